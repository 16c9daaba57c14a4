"""cffi: the address of an array, and memory of cffi's own."""

from __future__ import annotations

import peer
from peer import elements_at, np


class Peer(peer.Peer):
    title = "cffi"
    module = "cffi"
    out = "(PyGPU.wait(a), ffi.cast('void *', a.ptr))"
    into = "PyGPU.asarray(ffi.buffer(x)).view(dtype).reshape(shape)"
    refused = "ffi.from_buffer(a)", TypeError

    def load(self):
        from cffi import FFI

        self.ffi = self.names["ffi"] = FFI()
        self.shared = ("out", "in") if self.on_host else ("out",)

    def give(self, a):
        """The pointer, and the array beside it, as the pointer keeps nothing alive."""
        self.like = np.empty(a.shape, a.dtype)
        return self.run(self.out, a=a)[1], a

    def make(self, values):
        self.names |= {"dtype": values.dtype, "shape": values.shape}
        x = self.ffi.new("char[]", values.nbytes)
        self.ffi.memmove(x, values.tobytes(), values.nbytes)
        return x

    def values(self, x):
        return elements_at(self.address(x), self.like)

    def address(self, x):
        pointer = x[0] if isinstance(x, tuple) else x
        return int(self.ffi.cast("intptr_t", pointer))
