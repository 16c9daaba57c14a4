"""PyGPU's objects where C takes a handle: as parameters, in lists, and in structs."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import PyGPU
from tests.objects.kernels import COUNT, kernel
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_devices")
gpu = PyGPU.checked


def test_a_graph_by_c_alone():
    array, graph, stream = PyGPU.zeros(COUNT, np.float32), PyGPU.Graph(), PyGPU.Stream()
    first = graph.empty()
    sizes = {"gridDimX": 1, "gridDimY": 1, "gridDimZ": 1, "blockDimY": 1, "blockDimZ": 1}
    parameters = PyGPU.CUDA_KERNEL_NODE_PARAMS(
        func=kernel("add"), blockDimX=COUNT, kernelParams=[array, np.float32(3)], **sizes
    )
    node = gpu.cuGraphAddKernelNode(graph, [first], 1, parameters)
    gpu.cudaGraphAddDependencies(graph, [node], [graph.empty()], None, 1)
    gpu.cudaGraphLaunch(graph.executable, stream)
    gpu.cudaStreamSynchronize(stream)
    assert array.get().tolist() == [3] * COUNT
    assert len(graph.edges()) == 2
    assert first.succ == {one for one in graph.nodes() if int(one) == int(node)}


def test_fields_of_structs():
    graph, stream, event = PyGPU.Graph(), PyGPU.Stream(), PyGPU.Event()
    child = PyGPU.Graph()
    child.empty()
    parameters = {"type": PyGPU.cudaGraphNodeTypeGraph, "graph": {"graph": child}}
    gpu.cudaGraphAddNode(graph, None, None, 0, parameters)
    assert [node.kind for node in graph.nodes()] == ["graph"]
    assert int(PyGPU.cudaLaunchConfig_t(stream=stream).stream) == stream.handle
    assert int(PyGPU.cudaEventRecordNodeParams(event=event).event) == event.handle
    assert PyGPU.cudaMemLocation(type=1, id=PyGPU.Device(0)).id == 0


def test_a_struct_keeps_the_object():
    child = PyGPU.Graph()
    gone = weakref.ref(child)
    parameters = PyGPU.cudaChildGraphNodeParams(graph=child)
    del child
    gc.collect()
    assert gone() is not None
    parameters.graph = None
    gc.collect()
    assert gone() is None


def test_the_driver_takes_them_too():
    graph, pool, stream = PyGPU.Graph(), PyGPU.MemoryPool(), PyGPU.Stream()
    node = gpu.cuGraphAddEmptyNode(graph, None, 0)
    assert int(gpu.cuGraphGetNodes(graph)[0]) == int(node)
    address = gpu.cuMemAllocFromPoolAsync(256, pool, stream)
    gpu.cuMemFreeAsync(address, stream)
    stream.synchronize()
    assert pool.used_mem_current == 0


def test_streams_and_events_are_no_handles_of_another_kind():
    stream, event = PyGPU.Stream(), PyGPU.Event()
    gpu.cudaEventRecord(event, stream)
    gpu.cudaStreamSynchronize(stream)
    assert event.query()
    for name, one in (
        ("StreamSynchronize", event),
        ("EventSynchronize", stream),
        ("GraphExecDestroy", event),
        ("GraphExecDestroy", stream),
    ):
        with pytest.raises(TypeError):
            getattr(gpu, f"cuda{name}")(one)
    gpu.cudaStreamDestroy(stream)
    with pytest.raises(PyGPU.GPUError):
        gpu.cudaStreamSynchronize(stream)


def test_another_kind_is_refused():
    for one in (PyGPU.Graph(), PyGPU.MemoryPool(), PyGPU.Graph().empty()):
        for name in ("StreamSynchronize", "EventSynchronize", "Free", "GraphExecDestroy"):
            with pytest.raises(TypeError):
                getattr(gpu, f"cuda{name}")(one)
