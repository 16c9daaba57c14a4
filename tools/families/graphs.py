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
from check import check, holds, refuses, same
from kernels import kernel
from memory import on_device, read

import PyGPU
from PyGPU import cuda

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


@check("nodes of six kinds, their edges, types and parameters read back, launched twice")
def whole() -> str:
    """memset -> kernel -> copy -> host function, with an event and an empty node."""
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
        same("nodes", set(gpu.cudaGraphGetNodes(graph)), set(nodes))
        same("roots", gpu.cudaGraphGetRootNodes(graph), [filling])
        from_, to, _ = gpu.cudaGraphGetEdges(graph)
        wanted = {(filling, scaling), (scaling, copying), (copying, hosting), (copying, marking)}
        wanted |= {(hosting, joining), (marking, joining)}
        same("edges", set(zip(from_, to, strict=True)), wanted)
        before, _ = gpu.cudaGraphNodeGetDependencies(joining)
        same("what the last waits for", set(before), {hosting, marking})
        after, _ = gpu.cudaGraphNodeGetDependentNodes(copying)
        same("what waits for the copy", set(after), {hosting, marking})
        kinds = ("Memset", "Kernel", "Memcpy", "Host", "EventRecord", "Empty")
        for node, kind in zip(nodes, kinds, strict=True):
            wanted_kind = getattr(cuda, f"cudaGraphNodeType{kind}")
            same(kind, gpu.cudaGraphNodeGetType(node), wanted_kind)
        description = gpu.cudaGraphMemsetNodeGetParams(filling)
        same(
            "the memset",
            (description.dst, description.value, description.width),
            (pointer, 0x3F800000, COUNT),
        )
        launch, err = cuda.cudaGraphKernelNodeGetParams(scaling)
        if err:  # 12.9 and 13.0 read back only kernels that are compiled into the program
            same("reading the kernel back", err, cuda.cudaErrorInvalidDeviceFunction)
            cuda.cudaGetLastError()
        else:
            same("the kernel's grid", (launch.gridDim.x, launch.blockDim.x), (2, 32))
        same("the event", gpu.cudaGraphEventRecordNodeGetEvent(marking), event)

        ready = gpu.cudaGraphInstantiate(graph, 0)
        gpu.cudaGraphUpload(ready, stream)
        for times in (1, 2):
            back[:] = 0
            gpu.cudaGraphLaunch(ready, stream)
            gpu.cudaStreamSynchronize(stream)
            same("what it computed", back.tolist(), [2.5] * COUNT)
            same("calls of the host function", len(called), times)
        same("the event", gpu.cudaEventQuery(event), True)
        gpu.cudaGraphExecDestroy(ready)
    return f"{len(nodes)} nodes, {len(from_)} edges"


@check("what was instantiated: new parameters, a node switched off, an update")
def changed() -> None:
    """cudaGraphExecKernelNodeSetParams, cudaGraphNodeSetEnabled, cudaGraphExecUpdate."""
    stream = cuda.cudaStream_t(flags=1)
    with on_device(np.ones(COUNT, dtype=np.float32)) as pointer:
        graph, double, triple = cuda.cudaGraph_t(), Scale(pointer, 2), Scale(pointer, 3)
        node = gpu.cudaGraphAddKernelNode(graph, None, 0, double.node)
        ready = gpu.cudaGraphInstantiate(graph, 0)

        def after_launch() -> list[float]:
            gpu.cudaGraphLaunch(ready, stream)
            gpu.cudaStreamSynchronize(stream)
            return sorted(set(read(pointer, COUNT)))

        same("as it was", after_launch(), [2.0])
        gpu.cudaGraphExecKernelNodeSetParams(ready, node, triple.node)
        same("with new parameters", after_launch(), [6.0])
        gpu.cudaGraphNodeSetEnabled(ready, node, 0)
        same("enabled", gpu.cudaGraphNodeGetEnabled(ready, node), 0)
        same("switched off", after_launch(), [6.0])
        gpu.cudaGraphNodeSetEnabled(ready, node, 1)
        result = gpu.cudaGraphExecUpdate(ready, graph)
        same("the update", result.result, cuda.cudaGraphExecUpdateSuccess)
        same("as the graph has it", after_launch(), [12.0])
        gpu.cudaGraphExecDestroy(ready)


@check("an update that fails gives its reason and the node beside the error")
def refused_update() -> str:
    """One more node changes the topology, another kind of node changes the type."""
    with on_device(np.zeros(COUNT, dtype=np.float32)) as pointer:
        graph = cuda.cudaGraph_t()
        gpu.cudaGraphAddMemsetNode(graph, None, 0, filled(pointer))
        ready = gpu.cudaGraphInstantiate(graph, 0)
        longer, other = cuda.cudaGraph_t(), cuda.cudaGraph_t()
        first = gpu.cudaGraphAddMemsetNode(longer, None, 0, filled(pointer))
        gpu.cudaGraphAddEmptyNode(longer, [first], 1)
        result, err = cuda.cudaGraphExecUpdate(ready, longer)
        refuses("one node more", err, "cudaErrorGraphExecUpdateFailure")
        same("its reason", result.result, cuda.cudaGraphExecUpdateErrorTopologyChanged)
        empty = gpu.cudaGraphAddEmptyNode(other, None, 0)
        result, err = cuda.cudaGraphExecUpdate(ready, other)
        refuses("another kind", err, "cudaErrorGraphExecUpdateFailure")
        same("its reason", result.result, cuda.cudaGraphExecUpdateErrorNodeTypeChanged)
        same("its node", result.errorNode, empty)
        gpu.cudaGraphExecDestroy(ready)
    return f"{result.result!r}"


@check("a graph that can't be instantiated: the reason in the parameters that come back")
def refused_instantiation() -> str:
    """A graph that the device launches may not have a host function."""
    graph = cuda.cudaGraph_t()
    gpu.cudaGraphAddHostNode(
        graph, None, 0, {"fn": ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda data: None)}
    )
    flags = cuda.cudaGraphInstantiateFlagDeviceLaunch
    ready, params, err = cuda.cudaGraphInstantiateWithParams(graph, {"flags": flags})
    same("what was instantiated", ready, None)
    holds("an error", err)
    cuda.cudaGetLastError()
    holds("params came back", params is not None)
    holds("a reason", params.result_out != cuda.cudaGraphInstantiateSuccess)
    return f"{err.name}: {params.result_out!r}"


@check("a clone, a graph within a graph, and a picture of both as text")
def nested() -> str:
    """cudaGraphClone, cudaGraphNodeFindInClone, cudaGraphAddChildGraphNode, DebugDotPrint."""
    with on_device(np.zeros(COUNT, dtype=np.float32)) as pointer:
        graph, outer = cuda.cudaGraph_t(), cuda.cudaGraph_t()
        node = gpu.cudaGraphAddMemsetNode(graph, None, 0, filled(pointer))
        clone = gpu.cudaGraphClone(graph)
        twin = gpu.cudaGraphNodeFindInClone(node, clone)
        same("the clone's node", gpu.cudaGraphGetNodes(clone), [twin])
        inner = gpu.cudaGraphAddChildGraphNode(outer, None, 0, graph)
        held = gpu.cudaGraphChildGraphNodeGetGraph(inner)
        same("nodes inside", len(gpu.cudaGraphGetNodes(held)), 1)
        handle, path = tempfile.mkstemp(suffix=".dot")
        os.close(handle)
        gpu.cudaGraphDebugDotPrint(outer, path, 0)
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        os.unlink(path)
        holds("the picture is a graph", text.lstrip().startswith("digraph"))
        gpu.cudaGraphDestroy(clone)
    return f"{len(text)} characters of dot"


@check("memory that belongs to a graph: allocated and freed by nodes")
def memory_nodes() -> str:
    """The parameters come back with the address, and the device counts the memory."""
    stream, graph = cuda.cudaStream_t(flags=1), cuda.cudaGraph_t()
    back = np.zeros(COUNT, dtype=np.float32)
    asked = cuda.cudaMemAllocNodeParams(bytesize=COUNT * 4)
    asked.poolProps.allocType = cuda.cudaMemAllocationTypePinned
    asked.poolProps.location = (cuda.cudaMemLocationTypeDevice, 0)
    taking, allocated = gpu.cudaGraphAddMemAllocNode(graph, None, 0, asked)
    holds("an address came back", allocated.dptr and not asked.dptr)
    filling = gpu.cudaGraphAddMemsetNode(graph, [taking], 1, filled(allocated.dptr))
    copying = gpu.cudaGraphAddMemcpyNode1D(
        graph, [filling], 1, back, allocated.dptr, back.nbytes, cuda.cudaMemcpyDeviceToHost
    )
    freeing = gpu.cudaGraphAddMemFreeNode(graph, [copying], 1, allocated.dptr)
    same("what is freed", gpu.cudaGraphMemFreeNodeGetParams(freeing), allocated.dptr)
    ready = gpu.cudaGraphInstantiate(graph, 0)
    gpu.cudaGraphLaunch(ready, stream)
    gpu.cudaStreamSynchronize(stream)
    same("what came back", back.tolist(), [1.0] * COUNT)
    high = gpu.cudaDeviceGetGraphMemAttribute(0, cuda.cudaGraphMemAttrUsedMemHigh)
    holds("it was counted", high >= COUNT * 4)
    gpu.cudaGraphExecDestroy(ready)
    gpu.cudaDeviceGraphMemTrim(0)
    return f"{high} bytes at most"


@check("attributes of kernel nodes: which node cudaGraphKernelNodeCopyAttributes writes")
def copied_attributes() -> str:
    """Uses the newest release's names, hDst and hSrc."""
    with on_device(np.zeros(COUNT, dtype=np.float32)) as pointer:
        graph, scale = cuda.cudaGraph_t(), Scale(pointer, 2)
        one = gpu.cudaGraphAddKernelNode(graph, None, 0, scale.node)
        other = gpu.cudaGraphAddKernelNode(graph, None, 0, scale.node)
        cooperative = cuda.cudaLaunchAttributeCooperative
        gpu.cudaGraphKernelNodeSetAttribute(one, cooperative, 1)
        same("set", gpu.cudaGraphKernelNodeGetAttribute(one, cooperative), 1)
        same("not set", gpu.cudaGraphKernelNodeGetAttribute(other, cooperative), 0)
        gpu.cudaGraphKernelNodeCopyAttributes(hDst=other, hSrc=one)
        both = [gpu.cudaGraphKernelNodeGetAttribute(node, cooperative) for node in (one, other)]
        same("source and destination", both, [1, 1])
    return "hDst is written"


@check("a user object: its callable runs when the last graph that holds it goes")
def user_object() -> None:
    """cudaUserObjectCreate, moved into a graph."""
    gone = threading.Event()
    seen: list[Any] = []

    def destroy(data: Any) -> None:
        seen.append(data)
        gone.set()

    graph = cuda.cudaGraph_t()
    flags = cuda.cudaUserObjectNoDestructorSync
    held = gpu.cudaUserObjectCreate("data", destroy, 1, flags)
    gpu.cudaGraphRetainUserObject(graph, held, 1, cuda.cudaGraphUserObjectMove)
    same("not yet", seen, [])
    gpu.cudaGraphDestroy(graph)
    holds("it ran within 10 s", gone.wait(10))
    same("its data", seen, ["data"])


@check("Python callables in host nodes: called at each launch, changed, kept as long as the graph")
def host_nodes() -> str:
    """Added by cudaGraphAddHostNode and cudaGraphAddNode; in a clone and in an executable graph."""
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
    holds("the callable came back", params.fn is first and params.userData == ["first"])
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
        same(f"launch {times}", launched(ready), [["first"], 2])
    other = gpu.cudaGraphInstantiate(clone, 0)
    gpu.cudaGraphExecDestroy(ready)
    same("the clone's", launched(other), [["first"], 2])
    twin = gpu.cudaGraphGetRootNodes(clone)[0]
    gpu.cudaGraphExecHostNodeSetParams(other, twin, {"fn": seen.append, "userData": "new"})
    same("with new parameters", launched(other), ["new", 2])
    gpu.cudaGraphHostNodeSetParams(twin, (seen.append, "newer"))
    gpu.cudaGraphDestroy(clone)
    holds("still kept", all(one() for one in ended))
    gpu.cudaGraphExecDestroy(other)
    until = time.monotonic() + 10  # the driver lets go at some time, PyGPU at the next call
    while any(one() for one in ended) and time.monotonic() < until:
        gpu.cudaStreamSynchronize(stream)
    holds("let go within 10 s", not any(one() for one in ended))
    return "let go with the last executable"
