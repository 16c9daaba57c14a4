"""Correct code with PyGPU's objects: type checkers must accept every line."""

from __future__ import annotations

from typing_extensions import assert_type

import PyGPU
from PyGPU import checked


def graphs(kernel: PyGPU.Kernel, values: PyGPU.GPUArray) -> None:
    stream, event = PyGPU.Stream(), PyGPU.Event()
    with stream.capture() as graph:
        kernel(values, grid=1, block=32)
    assert_type(graph, PyGPU.Graph)
    node = graph.kernel(kernel, values, 1.0, grid=1, block=32, after=graph.nodes(), name="one")
    node.update(values, 2.0)
    graph.record(event, after=node)
    both = graph.join(graph.memset(values, 0), graph.callback(lambda: None, after=node))
    assert_type(both.pred, set[PyGPU.GraphNode])
    assert_type(graph.edges(), list[tuple[PyGPU.GraphNode, PyGPU.GraphNode]])
    loop = graph.while_loop(graph.create_condition(1), after=both)
    assert_type(loop.body.empty(), PyGPU.GraphNode)
    graph.update(graph.clone())
    graph.launch(stream)
    assert_type(checked.cudaGraphGetNodes(graph), list[PyGPU.cudaGraphNode_t])
    checked.cudaGraphDestroyNode(node)
    PyGPU.cudaChildGraphNodeParams(graph=graph)
    assert_type(event - stream.record(), float)
    assert_type(stream.priority, int)
    assert_type(graph.dot("graph.svg"), str)


def devices_and_pools() -> None:
    with PyGPU.Device(0) as device:
        assert_type(device.create_stream(True), PyGPU.Stream)
    assert_type(PyGPU.Device.all(), tuple[PyGPU.Device, ...])
    assert_type(device.compute_capability.major, int)
    checked.cudaSetDevice(device)
    pool = PyGPU.MemoryPool(device, release_threshold=1 << 20)
    pool.release_threshold = 0
    assert_type(pool.used_mem_high, int)
    assert_type(pool.allocate(8, stream=PyGPU.Stream()), PyGPU.DeviceMemory)
    PyGPU.empty(8, "f4", allocator=pool)
    device.memory_pool = pool
    checked.cudaMemPoolTrimTo(pool, 0)
