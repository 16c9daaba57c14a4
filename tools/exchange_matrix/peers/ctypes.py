"""ctypes: arrays as arguments of a C function, and arrays of ctypes' own."""

from __future__ import annotations

import ctypes

import peer
from peer import PyGPU, address_of, np


class Peer(peer.Peer):
    title = "ctypes"
    out = "(PyGPU.wait(a), cudaMemcpy(x, a, a.nbytes, kind))"
    into = "PyGPU.asarray(x)"
    refused = "takes_floats(a.view('i4'))", ctypes.ArgumentError
    lacks = frozenset(
        {"float16", "complex64", "complex128", "bfloat16", "float8_e4m3fn", "float8_e5m2"}
    )

    def load(self):
        """Prepare the C functions. One is the runtime's copy, as the host can't read a card."""
        address, size = ctypes.c_void_p, ctypes.c_size_t
        copy = ctypes.CFUNCTYPE(ctypes.c_int, address, address, size, ctypes.c_int)
        takes_floats = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_float))
        self.names["cudaMemcpy"] = copy(address_of("Memcpy"))
        self.names["takes_floats"] = takes_floats(lambda _: None)
        self.names["kind"] = PyGPU.cudaMemcpyDeviceToHost
        self.shared = ("out", "in") if self.on_host else ("out",)

    def give(self, a):
        """The copy that the function made, and the address that it got."""
        x = np.empty(a.shape, a.dtype)
        _, status = self.run(self.out, a=a, x=x.ctypes.data)
        assert not status, status
        return x, a._as_parameter_.value

    def make(self, values):
        return np.ctypeslib.as_ctypes(values.copy())

    def values(self, x):
        return x[0]

    def address(self, x):
        return x[1] if isinstance(x, tuple) else ctypes.addressof(x)
