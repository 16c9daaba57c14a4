"""Arrays travel between processes as pickles: protocol 5, and real clusters of Dask and Ray."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import PyGPU
from tests.own_interpreter import own_interpreter

VALUES = np.arange(1 << 16, dtype=np.float32).reshape(256, 256)


@pytest.fixture
def with_dask(on_host):
    pytest.importorskip("distributed")
    return on_host


@pytest.fixture
def with_ray(on_host):
    pytest.importorskip("ray")
    return on_host


def double(array):
    assert isinstance(array, PyGPU.GPUArray)
    return PyGPU.to_gpu(array.get() * 2)


@own_interpreter("on_host")
def test_elements_travel_out_of_band():
    array = PyGPU.to_gpu(VALUES)
    buffers = []
    text = pickle.dumps(array, protocol=5, buffer_callback=buffers.append)
    assert len(text) < 1000
    assert [buffer.raw().nbytes for buffer in buffers] == [VALUES.nbytes]
    np.testing.assert_array_equal(pickle.loads(text, buffers=buffers).get(), VALUES)


@own_interpreter("on_host")
def test_methods_travel_by_name():
    """A cluster's worker is told which method to call."""
    array = PyGPU.to_gpu(VALUES)
    for method in (PyGPU.GPUArray.get, PyGPU.GPUArray.copy, PyGPU.to_gpu):
        assert pickle.loads(pickle.dumps(method)) == method
    assert pickle.loads(pickle.dumps(array.get))().shape == VALUES.shape


@own_interpreter("with_dask")
def test_dasks_workers_take_and_return_arrays():
    from distributed import Client, LocalCluster
    from distributed.protocol import serialize

    array = PyGPU.to_gpu(VALUES)
    _, frames = serialize(array)
    assert VALUES.nbytes in [memoryview(frame).nbytes for frame in frames], "not copied into a text"
    cluster = LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    )
    with cluster, Client(cluster) as client:
        result = client.submit(double, client.scatter(array)).result(timeout=60)
        np.testing.assert_array_equal(result.get(), VALUES * 2)


@own_interpreter("with_ray")
def test_rays_workers_take_and_return_arrays():
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        result = ray.get(ray.remote(double).remote(PyGPU.to_gpu(VALUES)), timeout=120)
        np.testing.assert_array_equal(result.get(), VALUES * 2)
    finally:
        ray.shutdown()
