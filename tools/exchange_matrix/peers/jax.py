"""JAX. Its arrays never change, so there is no work on a side stream to wait for."""

from __future__ import annotations

import os

import numpy as np
import peer


class Peer(peer.Peer):
    title = "JAX"
    module = "jax"
    out = "jax.dlpack.from_dlpack(a)"
    into = "PyGPU.from_dlpack(x)"
    refused = "jax.dlpack.from_dlpack(a[:, ::2])", Exception

    def load(self):
        os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
        os.environ.setdefault("JAX_PLATFORMS", "cpu" if self.on_host else "cuda,cpu")
        import jax

        jax.config.update("jax_enable_x64", True)
        if not self.on_host and jax.default_backend() == "cpu":
            raise peer.Absent("installed without CUDA")
        self.jax = self.names["jax"] = jax

    def make(self, values):
        return self.jax.numpy.array(values)

    def values(self, x):
        return np.asarray(x)

    def address(self, x):
        return x.unsafe_buffer_pointer()
