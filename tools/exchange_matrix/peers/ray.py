"""Ray, with a worker in another process: the elements travel through Ray's shared memory."""

from __future__ import annotations

import os

import peer
from peer import PyGPU


class Peer(peer.NumpyPeer):
    title = "Ray"
    module = "ray"
    out = "ray.get(get.remote(a))"
    into = "ray.get(to_gpu.remote(x))"
    refused = "ray.put(a.gpudata)", TypeError
    shared = ()

    def load(self):
        os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] = "0"
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        import ray

        ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
        self.ray = ray
        self.names |= {
            "ray": ray,
            "get": ray.remote(lambda a: a.get()),
            "to_gpu": ray.remote(lambda x: PyGPU.to_gpu(x)),
        }

    def close(self):
        self.ray.shutdown()
