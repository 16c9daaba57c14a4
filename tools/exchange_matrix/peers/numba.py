"""Numba's CUDA, by the CUDA Array Interface."""

from __future__ import annotations

from contextlib import contextmanager

import peer


class Peer(peer.Peer):
    title = "Numba"
    module = "numba"
    needs_card = True
    out = "cuda.as_cuda_array(a)"
    into = "PyGPU.asarray(x)"
    refused = "a.set(x[:1])", ValueError
    lacks = frozenset({"bfloat16", "float8_e4m3fn", "float8_e5m2"})

    def load(self):
        from numba import cuda

        if not cuda.is_available():
            raise peer.Absent("has no GPU here")
        self.cuda = self.names["cuda"] = cuda
        self.stream = None

    def make(self, values):
        return self.cuda.to_device(values)

    def values(self, x):
        return x.copy_to_host()

    def address(self, x):
        return x.device_ctypes_pointer.value

    @contextmanager
    def side(self):
        """A stream to set on Numba's arrays, which name the stream that they were made with."""
        stream = self.cuda.stream()
        self.stream = stream
        handle = stream.handle  # a ctypes pointer, or an object of NVIDIA's bindings
        yield int(getattr(handle, "value", handle))
        self.stream = None

    def fill(self, x, value):
        self.source = self.cuda.pinned_array(x.shape, x.dtype)
        self.source[...] = value
        x.stream = self.stream
        x.copy_to_device(self.source, stream=self.stream)
