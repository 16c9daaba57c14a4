"""RAPIDS: cuDF's columns on an array, and an array on RMM's memory."""

from __future__ import annotations

import peer


class Peer(peer.Peer):
    title = "RAPIDS: cuDF, RMM"
    module = "cudf"
    distribution = "cudf-cu13"
    needs_card = True
    out = "cudf.Series(a.ravel())"
    into = "PyGPU.asarray(x)"
    refused = "np.asarray(a)", TypeError
    lacks = frozenset(
        {"float16", "complex64", "complex128", "bfloat16", "float8_e4m3fn", "float8_e5m2"}
    )

    def _find(self):
        for self.distribution in ("cudf-cu13", "cudf-cu12", "cudf"):
            try:
                return super()._find()
            except peer.importlib.metadata.PackageNotFoundError:
                pass
        raise peer.Absent("not installed")

    def load(self):
        import cudf
        import rmm

        self.rmm = self.names["rmm"] = rmm
        self.cudf = self.names["cudf"] = cudf

    def give(self, a):
        self.shape = a.shape
        return super().give(a)

    def make(self, values):
        """A buffer of RMM's has bytes alone."""
        self.like = values
        return self.rmm.DeviceBuffer.to_device(values.tobytes())

    def take(self, x):
        return super().take(x).view(self.like.dtype).reshape(self.like.shape)

    def values(self, x):
        return x.to_numpy().reshape(self.shape)

    def address(self, x):
        return x.ptr if hasattr(x, "ptr") else x.__cuda_array_interface__["data"][0]
