"""The objects over HIP's functions of the host runtime; kernels would need hipRTC."""

from __future__ import annotations

import numpy as np
import pytest

import PyGPU
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_hip")


def test_graphs():
    array, stream, called = PyGPU.zeros(32, np.float32), PyGPU.Stream(), []
    with stream.capture() as captured:
        array.fill(0, stream)
    graph = PyGPU.Graph()
    inner = graph.embed(captured)
    start = graph.memset(array, 1.5, after=inner)
    graph.callback(lambda: called.append(1), after=start)
    for value in (1.5, 2.5):
        start.update(array, value)
        graph.launch(stream)
        stream.synchronize()
        assert array.get().tolist() == [value] * 32
    assert called == [1, 1]
    assert len(graph.clone().edges()) == 2
    assert "inner" not in graph.dot()
    assert "host" in graph.dot()
    assert len(PyGPU.checked.cudaGraphGetNodes(graph)) == 3
    other = PyGPU.Graph()
    other.callback(int, name="the other")
    with pytest.raises(PyGPU.GPUError, match="can't be updated"):
        graph.update(other)


def test_devices_and_pools():
    device = PyGPU.Device()
    assert device.properties.warpSize == device.properties.warp_size
    assert PyGPU.Device.all()[0] == device
    pool = PyGPU.MemoryPool(device)
    array = PyGPU.empty(1024, np.float32, allocator=pool)
    assert pool.used_mem_current >= array.nbytes
    del array
    device.synchronize()
    assert pool.used_mem_current == 0
    assert isinstance(PyGPU.Stream(priority=-1).priority, int)
