"""RAPIDS: a column of cuDF on an array, and an array on memory of RMM."""

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
        """Look for cuDF, else for RMM alone, whose memory can still be taken."""
        for module in ("cudf", "rmm"):
            for distribution in (f"{module}-cu13", f"{module}-cu12", module):
                self.module, self.distribution = module, distribution
                try:
                    return super()._find()
                except (peer.Absent, peer.importlib.metadata.PackageNotFoundError):
                    pass
        raise peer.Absent("not installed")

    def load(self):
        import rmm

        self.names["rmm"] = rmm
        if self.module == "cudf":
            import cudf

            self.names["cudf"] = cudf
        else:
            self.ways = self.shared = ("in",)
            self.lacks = frozenset()  # RMM's buffers are bytes without a dtype

    def give(self, a):
        self.shape = a.shape
        return super().give(a)

    def make(self, values):
        """A buffer of RMM, which is bytes without a dtype."""
        self.like = values
        return self.names["rmm"].DeviceBuffer.to_device(values.tobytes())

    def take(self, x):
        return super().take(x).view(self.like.dtype).reshape(self.like.shape)

    def values(self, x):
        return x.to_numpy().reshape(self.shape)

    def address(self, x):
        return x.ptr if hasattr(x, "ptr") else x.__cuda_array_interface__["data"][0]
