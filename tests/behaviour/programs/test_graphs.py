"""Graphs: built from nodes, read back, launched, changed, refused with a reason."""

from __future__ import annotations

import ctypes
import gc
import os
import tempfile
import threading
import time
import weakref
from typing import Any

import numpy as np

import PyGPU
from PyGPU import cuda
from tests.behaviour.programs.kernels import kernel
from tests.behaviour.programs.memory import on_device, read
from tests.behaviour.programs.program import program, refuses
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_devices")
gpu = PyGPU.checked
COUNT = 64


class Scale:
    """The parameters of a kernel node that multiplies floats, and the memory that holds them."""

    def __init__(self, pointer: int, factor: float) -> None:
        self.values = (ctypes.c_void_p(pointer), ctypes.c_float(factor), ctypes.c_uint32(COUNT))
        self.places = (ctypes.c_void_p * 3)(*map(ctypes.addressof, self.values))
        self.node = cuda.cudaKernelNodeParams(
            func=kernel("scale"),
            gridDim=2,
            blockDim=32,
            kernelParams=ctypes.addressof(self.places),
        )


def filled(pointer: int) -> Any:
    """The parameters of a node that sets COUNT words to the bits of 1.0."""
    return cuda.cudaMemsetParams(
        dst=pointer, value=0x3F800000, elementSize=4, width=COUNT, height=1, pitch=0
    )


@program
def test_whole() -> None:
    """Nodes of six kinds, their edges, types and parameters read back, launched twice.

    memset -> kernel -> copy -> host function, with an event and an empty node.
    """
    called: list[int] = []
    prototype = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    host = prototype(lambda data: called.append(1))
    event, stream = cuda.cudaEvent_t(), cuda.cudaStream_t(flags=1)
    back = np.zeros(COUNT, dtype=np.float32)
    zeros = np.zeros(COUNT, dtype=np.float32)
    with on_device(zeros) as pointer:
        graph, scale = cuda.cudaGraph_t(), Scale(pointer, 2.5)
        filling = gpu.cudaGraphAddMemsetNode(graph, None, 0, filled(pointer))
        scaling = gpu.cudaGraphAddKernelNode(graph, [filling], 1, scale.node)
        copying = gpu.cudaGraphAddMemcpyNode1D(
            graph, [scaling], 1, back, pointer, back.nbytes, cuda.cudaMemcpyDeviceToHost
        )
        hosting = gpu.cudaGraphAddHostNode(graph, [copying], 1, {"fn": host, "userData": None})
        marking = gpu.cudaGraphAddEventRecordNode(graph, [copying], 1, event)
        joining = gpu.cudaGraphAddEmptyNode(graph, None, 0)
        gpu.cudaGraphAddDependencies(graph, [hosting, marking], [joining, joining], None, 2)
        nodes = [filling, scaling, copying, hosting, marking, joining]
        assert set(gpu.cudaGraphGetNodes(graph)) == set(nodes), "nodes"
        assert gpu.cudaGraphGetRootNodes(graph) == [filling], "roots"
        from_, to, _ = gpu.cudaGraphGetEdges(graph)
        wanted = {(filling, scaling), (scaling, copying), (copying, hosting), (copying, marking)}
        wanted |= {(hosting, joining), (marking, joining)}
        assert set(zip(from_, to, strict=True)) == wanted, "edges"
        before, _ = gpu.cudaGraphNodeGetDependencies(joining)
        assert set(before) == {hosting, marking}, "what the last waits for"
        after, _ = gpu.cudaGraphNodeGetDependentNodes(copying)
        assert set(after) == {hosting, marking}, "what waits for the copy"
        kinds = ("Memset", "Kernel", "Memcpy", "Host", "EventRecord", "Empty")
        for node, kind in zip(nodes, kinds, strict=True):
            wanted_kind = getattr(cuda, f"cudaGraphNodeType{kind}")
            assert gpu.cudaGraphNodeGetType(node) == wanted_kind, kind
        description = gpu.cudaGraphMemsetNodeGetParams(filling)
        assert (description.dst, description.value, description.width) == (
            pointer,
            0x3F800000,
            COUNT,
        ), "the memset"
        launch, err = cuda.cudaGraphKernelNodeGetParams(scaling)
        if err:  # 12.9 and 13.0 read back only kernels that are compiled into the program
            assert err == cuda.cudaErrorInvalidDeviceFunction, "reading the kernel back"
            cuda.cudaGetLastError()
        else:
            assert (launch.gridDim.x, launch.blockDim.x) == (2, 32), "the kernel's grid"
        assert gpu.cudaGraphEventRecordNodeGetEvent(marking) == event, "the event"

        ready = gpu.cudaGraphInstantiate(graph, 0)
        gpu.cudaGraphUpload(ready, stream)
        for times in (1, 2):
            back[:] = 0
            gpu.cudaGraphLaunch(ready, stream)
            gpu.cudaStreamSynchronize(stream)
            assert back.tolist() == [2.5] * COUNT, "what it computed"
            assert len(called) == times, "calls of the host function"
        assert gpu.cudaEventQuery(event), "the event"
        gpu.cudaGraphExecDestroy(ready)


@program
def test_changed() -> None:
    """What was instantiated: new parameters, a node switched off, an update.

    cudaGraphExecKernelNodeSetParams, cudaGraphNodeSetEnabled, cudaGraphExecUpdate.
    """
    stream = cuda.cudaStream_t(flags=1)
    with on_device(np.ones(COUNT, dtype=np.float32)) as pointer:
        graph, double, triple = cuda.cudaGraph_t(), Scale(pointer, 2), Scale(pointer, 3)
        node = gpu.cudaGraphAddKernelNode(graph, None, 0, double.node)
        ready = gpu.cudaGraphInstantiate(graph, 0)

        def after_launch() -> list[float]:
            gpu.cudaGraphLaunch(ready, stream)
            gpu.cudaStreamSynchronize(stream)
            return sorted(set(read(pointer, COUNT)))

        assert after_launch() == [2.0], "as it was"
        gpu.cudaGraphExecKernelNodeSetParams(ready, node, triple.node)
        assert after_launch() == [6.0], "with new parameters"
        gpu.cudaGraphNodeSetEnabled(ready, node, 0)
        assert gpu.cudaGraphNodeGetEnabled(ready, node) == 0, "enabled"
        assert after_launch() == [6.0], "switched off"
        gpu.cudaGraphNodeSetEnabled(ready, node, 1)
        result = gpu.cudaGraphExecUpdate(ready, graph)
        assert result.result == cuda.cudaGraphExecUpdateSuccess, "the update"
        assert after_launch() == [12.0], "as the graph has it"
        gpu.cudaGraphExecDestroy(ready)


@program
def test_refused_update() -> None:
    """An update that fails gives its reason and the node beside the error.

    One more node changes the topology, another kind of node changes the type.
    """
    with on_device(np.zeros(COUNT, dtype=np.float32)) as pointer:
        graph = cuda.cudaGraph_t()
        gpu.cudaGraphAddMemsetNode(graph, None, 0, filled(pointer))
        ready = gpu.cudaGraphInstantiate(graph, 0)
        longer, other = cuda.cudaGraph_t(), cuda.cudaGraph_t()
        first = gpu.cudaGraphAddMemsetNode(longer, None, 0, filled(pointer))
        gpu.cudaGraphAddEmptyNode(longer, [first], 1)
        result, err = cuda.cudaGraphExecUpdate(ready, longer)
        refuses("one node more", err, "cudaErrorGraphExecUpdateFailure")
        assert result.result == cuda.cudaGraphExecUpdateErrorTopologyChanged, "its reason"
        empty = gpu.cudaGraphAddEmptyNode(other, None, 0)
        result, err = cuda.cudaGraphExecUpdate(ready, other)
        refuses("another kind", err, "cudaErrorGraphExecUpdateFailure")
        assert result.result == cuda.cudaGraphExecUpdateErrorNodeTypeChanged, "its reason"
        assert result.errorNode == empty, "its node"
        gpu.cudaGraphExecDestroy(ready)


@program
def test_refused_instantiation() -> None:
    """A graph that can't be instantiated: the reason in the parameters that come back.

    A graph that the device launches may not have a host function.
    """
    graph = cuda.cudaGraph_t()
    gpu.cudaGraphAddHostNode(
        graph, None, 0, {"fn": ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda data: None)}
    )
    flags = cuda.cudaGraphInstantiateFlagDeviceLaunch
    ready, params, err = cuda.cudaGraphInstantiateWithParams(graph, {"flags": flags})
    assert ready is None, "what was instantiated"
    assert err, "an error"
    cuda.cudaGetLastError()
    assert params is not None, "params came back"
    assert params.result_out != cuda.cudaGraphInstantiateSuccess, "a reason"


@program
def test_nested() -> None:
    """A clone, a graph within a graph, and a picture of both as text.

    cudaGraphClone, cudaGraphNodeFindInClone, cudaGraphAddChildGraphNode, DebugDotPrint.
    """
    with on_device(np.zeros(COUNT, dtype=np.float32)) as pointer:
        graph, outer = cuda.cudaGraph_t(), cuda.cudaGraph_t()
        node = gpu.cudaGraphAddMemsetNode(graph, None, 0, filled(pointer))
        clone = gpu.cudaGraphClone(graph)
        twin = gpu.cudaGraphNodeFindInClone(node, clone)
        assert gpu.cudaGraphGetNodes(clone) == [twin], "the clone's node"
        inner = gpu.cudaGraphAddChildGraphNode(outer, None, 0, graph)
        held = gpu.cudaGraphChildGraphNodeGetGraph(inner)
        assert len(gpu.cudaGraphGetNodes(held)) == 1, "nodes inside"
        handle, path = tempfile.mkstemp(suffix=".dot")
        os.close(handle)
        gpu.cudaGraphDebugDotPrint(outer, path, 0)
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        os.unlink(path)
        assert text.lstrip().startswith("digraph"), "the picture is a graph"
        gpu.cudaGraphDestroy(clone)


@program
def test_memory_nodes() -> None:
    """Memory that belongs to a graph: allocated and freed by nodes.

    The parameters come back with the address, and the device counts the memory.
    """
    stream, graph = cuda.cudaStream_t(flags=1), cuda.cudaGraph_t()
    back = np.zeros(COUNT, dtype=np.float32)
    asked = cuda.cudaMemAllocNodeParams(bytesize=COUNT * 4)
    asked.poolProps.allocType = cuda.cudaMemAllocationTypePinned
    asked.poolProps.location = (cuda.cudaMemLocationTypeDevice, 0)
    taking, allocated = gpu.cudaGraphAddMemAllocNode(graph, None, 0, asked)
    assert allocated.dptr and not asked.dptr, "an address came back"
    filling = gpu.cudaGraphAddMemsetNode(graph, [taking], 1, filled(allocated.dptr))
    copying = gpu.cudaGraphAddMemcpyNode1D(
        graph, [filling], 1, back, allocated.dptr, back.nbytes, cuda.cudaMemcpyDeviceToHost
    )
    freeing = gpu.cudaGraphAddMemFreeNode(graph, [copying], 1, allocated.dptr)
    assert gpu.cudaGraphMemFreeNodeGetParams(freeing) == allocated.dptr, "what is freed"
    ready = gpu.cudaGraphInstantiate(graph, 0)
    gpu.cudaGraphLaunch(ready, stream)
    gpu.cudaStreamSynchronize(stream)
    assert back.tolist() == [1.0] * COUNT, "what came back"
    high = gpu.cudaDeviceGetGraphMemAttribute(0, cuda.cudaGraphMemAttrUsedMemHigh)
    assert high >= COUNT * 4, "it was counted"
    gpu.cudaGraphExecDestroy(ready)
    gpu.cudaDeviceGraphMemTrim(0)


@program
def test_copied_attributes() -> None:
    """Attributes of kernel nodes: which node cudaGraphKernelNodeCopyAttributes writes.

    Uses the newest release's names, hDst and hSrc.
    """
    with on_device(np.zeros(COUNT, dtype=np.float32)) as pointer:
        graph, scale = cuda.cudaGraph_t(), Scale(pointer, 2)
        one = gpu.cudaGraphAddKernelNode(graph, None, 0, scale.node)
        other = gpu.cudaGraphAddKernelNode(graph, None, 0, scale.node)
        cooperative = cuda.cudaLaunchAttributeCooperative
        gpu.cudaGraphKernelNodeSetAttribute(one, cooperative, 1)
        assert gpu.cudaGraphKernelNodeGetAttribute(one, cooperative) == 1, "set"
        assert gpu.cudaGraphKernelNodeGetAttribute(other, cooperative) == 0, "not set"
        gpu.cudaGraphKernelNodeCopyAttributes(hDst=other, hSrc=one)
        both = [gpu.cudaGraphKernelNodeGetAttribute(node, cooperative) for node in (one, other)]
        assert both == [1, 1], "source and destination"


@program
def test_user_object() -> None:
    """A user object: its callable runs when the last graph that holds it goes.

    cudaUserObjectCreate, moved into a graph.
    """
    gone = threading.Event()
    seen: list[Any] = []

    def destroy(data: Any) -> None:
        seen.append(data)
        gone.set()

    graph = cuda.cudaGraph_t()
    flags = cuda.cudaUserObjectNoDestructorSync
    held = gpu.cudaUserObjectCreate("data", destroy, 1, flags)
    gpu.cudaGraphRetainUserObject(graph, held, 1, cuda.cudaGraphUserObjectMove)
    assert seen == [], "not yet"
    gpu.cudaGraphDestroy(graph)
    assert gone.wait(10), "it ran within 10 s"
    assert seen == ["data"], "its data"


@program
def test_host_nodes() -> None:
    """Python callables in host nodes: called at each launch, changed, kept as long as the graph.

    Added by cudaGraphAddHostNode and cudaGraphAddNode; in a clone and in an executable graph.
    """
    seen: list[Any] = []
    stream, graph = cuda.cudaStream_t(flags=1), cuda.cudaGraph_t()

    class Called:
        """A callable that takes a weak reference."""

        def __call__(self, data: Any) -> None:
            seen.append(data)

    def launched(ready: Any) -> list[Any]:
        seen.clear()
        gpu.cudaGraphLaunch(ready, stream)
        gpu.cudaStreamSynchronize(stream)
        return list(seen)

    first, second = Called(), Called()
    ended = [weakref.ref(first), weakref.ref(second)]
    node = gpu.cudaGraphAddHostNode(graph, None, 0, {"fn": first, "userData": ["first"]})
    params = gpu.cudaGraphHostNodeGetParams(node)
    assert params.fn is first and params.userData == ["first"], "the callable came back"
    if PyGPU.cuda.cudaRuntimeGetVersion()[0] >= 12020:
        host = cuda.cudaGraphNodeTypeHost
        gpu.cudaGraphAddNode(
            graph, [node], None, 1, {"type": host, "host": {"fn": second, "userData": 2}}
        )
    else:
        gpu.cudaGraphAddHostNode(graph, [node], 1, (second, 2))
    del first, second, params
    ready = gpu.cudaGraphInstantiate(graph, 0)
    clone = gpu.cudaGraphClone(graph)
    del graph
    gc.collect()
    for times in (1, 2):
        assert launched(ready) == [["first"], 2], f"launch {times}"
    other = gpu.cudaGraphInstantiate(clone, 0)
    gpu.cudaGraphExecDestroy(ready)
    assert launched(other) == [["first"], 2], "the clone's"
    twin = gpu.cudaGraphGetRootNodes(clone)[0]
    gpu.cudaGraphExecHostNodeSetParams(other, twin, {"fn": seen.append, "userData": "new"})
    assert launched(other) == ["new", 2], "with new parameters"
    gpu.cudaGraphHostNodeSetParams(twin, (seen.append, "newer"))
    gpu.cudaGraphDestroy(clone)
    assert all(one() for one in ended), "still kept"
    gpu.cudaGraphExecDestroy(other)
    until = time.monotonic() + 10  # the driver lets go at some time, PyGPU at the next call
    while any(one() for one in ended) and time.monotonic() < until:
        gpu.cudaStreamSynchronize(stream)
    assert not any(one() for one in ended), "let go within 10 s"
