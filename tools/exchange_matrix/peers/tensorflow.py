"""TensorFlow, by DLPack; its tensors never change."""

from __future__ import annotations

import os

import peer


class Peer(peer.Peer):
    title = "TensorFlow"
    module = "tensorflow"
    out = "dlpack.from_dlpack(a.__dlpack__())"
    into = "PyGPU.from_dlpack(x)"
    refused = "dlpack.from_dlpack(a[:, ::2].__dlpack__())", Exception
    lacks = frozenset({"float8_e4m3fn", "float8_e5m2"})

    def load(self):
        os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
        os.environ["TF_FORCE_GPU_ALLOW_GROWTH"] = "true"
        import tensorflow

        if not self.on_host and not tensorflow.config.list_physical_devices("GPU"):
            raise peer.Absent("installed without CUDA")
        self.names["dlpack"] = tensorflow.experimental.dlpack
        self.tensorflow = tensorflow

    def _find(self):
        """Look for both distributions: the build for the CPU has a name of its own."""
        for self.distribution in ("tensorflow", "tensorflow-cpu"):
            try:
                return super()._find()
            except peer.importlib.metadata.PackageNotFoundError:
                pass
        raise peer.Absent("not installed")

    def make(self, values):
        return self.tensorflow.constant(values)

    def values(self, x):
        return x.numpy()

    def address(self, x):
        """The address in the DLPack capsule: TensorFlow tells it in no other way."""
        return peer.PyGPU.from_dlpack(x).ptr
