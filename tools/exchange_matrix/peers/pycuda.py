"""PyCUDA's own arrays: out by the address, in by the CUDA Array Interface."""

from __future__ import annotations

import peer


class Peer(peer.Peer):
    title = "PyCUDA's arrays"
    module = "pycuda"
    needs_card = True
    out = "gpuarray.GPUArray(a.shape, a.dtype, base=a, gpudata=a.ptr)"
    into = "PyGPU.asarray(x)"
    refused = "a.set(x[:1])", ValueError
    lacks = frozenset({"bfloat16", "float8_e4m3fn", "float8_e5m2"})

    def load(self):
        import pycuda.autoprimaryctx  # noqa: F401
        from pycuda import driver, gpuarray

        self.driver = driver
        self.gpuarray = self.names["gpuarray"] = gpuarray

    def give(self, a):
        """Waits first: an address names no stream, so PyCUDA can't wait for the queued work."""
        peer.PyGPU.wait(a)
        return super().give(a)

    def make(self, values):
        return self.gpuarray.to_gpu(values)

    def values(self, x):
        return x.get()

    def address(self, x):
        return int(x.gpudata)
