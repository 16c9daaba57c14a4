"""Dask, with a worker in another process: the elements travel beside the pickle."""

from __future__ import annotations

import peer


class Peer(peer.NumpyPeer):
    title = "Dask"
    module = "distributed"
    out = "client.submit(PyGPU.GPUArray.get, a).result()"
    into = "client.submit(PyGPU.to_gpu, x).result()"
    refused = "client.submit(bool, a.gpudata)", TypeError
    shared = ()
    lacks = frozenset({"float8_e5m2"})  # a numpy array of it loses the dtype's name on the way

    def load(self):
        import dask
        from distributed import Client, LocalCluster

        self.version = dask.__version__
        dask.config.set({"distributed.comm.timeouts.connect": "60s"})
        self.cluster = LocalCluster(
            n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None
        )
        self.client = self.names["client"] = Client(self.cluster)

    def close(self):
        self.client.close()
        self.cluster.close()
