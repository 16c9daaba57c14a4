"""cuBLAS, called through ctypes with arrays as arguments."""

from __future__ import annotations

import ctypes

import peer
from peer import PyGPU


class Peer(peer.Peer):
    title = "cuBLAS through ctypes"
    needs_card = True
    ways = shared = ("out",)
    out = "(PyGPU.wait(a), cublas.cublasScopy_v2(handle, a.nbytes // 4, a, 1, there, 1))"
    refused = "cublas.cublasScopy_v2(handle, 1, a.view('i4'), 1, a, 1)", ctypes.ArgumentError
    # ctypes has other types for these. Those that it has no type for pass as words of 32 bits.
    lacks = frozenset(
        {
            "bool",
            "int8",
            "int16",
            "int32",
            "int64",
            "uint8",
            "uint16",
            "uint32",
            "uint64",
            "float64",
        }
    )

    def load(self):
        for release in (13, 12):
            try:
                cublas = ctypes.CDLL(f"libcublas.so.{release}")
                break
            except OSError:
                continue
        else:
            raise peer.Absent("no libcublas here")
        handle = ctypes.c_void_p()
        assert not cublas.cublasCreate_v2(ctypes.byref(handle))
        pointer, number = ctypes.POINTER(ctypes.c_float), ctypes.c_int
        cublas.cublasScopy_v2.argtypes = ctypes.c_void_p, number, pointer, number, pointer, number
        self.names |= {"cublas": cublas, "handle": handle}
        self.version = str(release)

    def give(self, a):
        """The copy that cuBLAS makes, and the address that it got."""
        there = PyGPU.zeros(a.shape, a.dtype)
        _, status = self.run(self.out, a=a, there=there)
        assert not status, status
        return there, a._as_parameter_.value

    def values(self, x):
        return x[0].get()

    def address(self, x):
        return x[1]
