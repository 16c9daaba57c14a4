"""CuPy, by DLPack; its arrays have the CUDA Array Interface, too."""

from __future__ import annotations

from contextlib import contextmanager

import peer


class Peer(peer.Peer):
    title = "CuPy"
    module = "cupy"
    needs_card = True
    out = "cupy.from_dlpack(a)"
    into = "PyGPU.from_dlpack(x)"
    refused = "cupy.from_dlpack(a[::-1])", BufferError
    lacks = frozenset({"float8_e4m3fn", "float8_e5m2"})

    def load(self):
        import cupy

        self.version = cupy.__version__
        self.cupy = self.names["cupy"] = cupy

    def _find(self):
        """Look for the module only: the distribution's name contains the release of CUDA."""
        if peer.importlib.util.find_spec("cupy") is None:
            raise peer.Absent("not installed")

    def make(self, values):
        return self.cupy.asarray(values)

    def values(self, x):
        return x.get()

    def address(self, x):
        return x.data.ptr

    @contextmanager
    def side(self):
        with self.cupy.cuda.Stream(non_blocking=True) as stream:
            yield stream.ptr

    def fill(self, x, value):
        x.fill(value)
