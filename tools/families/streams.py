"""Streams: events and time, attributes, host callbacks, capture."""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from typing import Any

import numpy as np
from check import check, holds, refuses, same
from memory import on_device, read

import PyGPU
from PyGPU import cuda

gpu = PyGPU.checked


@check("events: time between them, waiting for them, the wrong kind")
def events() -> str:
    """64 MiB are set between two events."""
    stream, other = cuda.cudaStream_t(flags=1), cuda.cudaStream_t(flags=1)
    begin, end = cuda.cudaEvent_t(), cuda.cudaEvent_t()
    size = 64 << 20
    pointer = gpu.cudaMalloc(size)
    gpu.cudaEventRecord(begin, stream)
    gpu.cudaMemsetAsync(pointer, 5, size, stream)
    gpu.cudaEventRecord(end, stream)
    gpu.cudaStreamWaitEvent(other, end, 0)
    gpu.cudaMemsetAsync(pointer, 6, 16, other)
    gpu.cudaStreamSynchronize(other)
    same("what both did", read(pointer, 32, np.uint8), [6] * 16 + [5] * 16)
    same("cudaEventQuery", gpu.cudaEventQuery(end), True)
    milliseconds = gpu.cudaEventElapsedTime(begin, end)
    holds("some time has passed", 0 < milliseconds < 10_000)
    untimed = cuda.cudaEvent_t(flags=cuda.cudaEventDisableTiming)
    gpu.cudaEventRecord(untimed, stream)
    gpu.cudaEventSynchronize(untimed)
    value, err = cuda.cudaEventElapsedTime(begin, untimed)
    same("time of an event without", value, None)
    refuses("its error", err, "cudaErrorInvalidResourceHandle")
    gpu.cudaFree(pointer)
    return f"{milliseconds:.3f} ms"


@check("attributes: a struct, an enumerator and a number, set, read, copied")
def attributes() -> None:
    """cudaStreamSetAttribute, cudaStreamGetAttribute, cudaStreamCopyAttributes."""
    stream, other = cuda.cudaStream_t(), cuda.cudaStream_t()
    window_of = cuda.cudaLaunchAttributeAccessPolicyWindow
    policy_of = cuda.cudaLaunchAttributeSynchronizationPolicy
    with on_device(np.zeros(4096, dtype=np.uint8)) as pointer:
        window = {
            "base_ptr": pointer,
            "num_bytes": 4096,
            "hitRatio": 0.5,
            "hitProp": cuda.cudaAccessPropertyPersisting,
            "missProp": cuda.cudaAccessPropertyStreaming,
        }
        gpu.cudaStreamSetAttribute(stream, window_of, window)
        gpu.cudaStreamSetAttribute(stream, policy_of, cuda.cudaSyncPolicyBlockingSync)
        gpu.cudaStreamCopyAttributes(other, stream)
        for at, one in (("the stream", stream), ("its copy", other)):
            result = gpu.cudaStreamGetAttribute(one, window_of)
            got = {name: getattr(result, name) for name in window}
            same(f"the window of {at}", got, window)
            policy = gpu.cudaStreamGetAttribute(one, policy_of)
            same(f"the policy of {at}", policy, cuda.cudaSyncPolicyBlockingSync)


@check("host functions run in order, with their data; an exception is reported")
def host_functions() -> str:
    """cudaLaunchHostFunc; sys.unraisablehook gets the exception, and the stream goes on."""
    stream = cuda.cudaStream_t(flags=1)
    called: list[Any] = []
    reported: list[Any] = []
    data = object()

    def fails(arguments: object) -> None:
        raise KeyError("on purpose")

    def notes(arguments: object) -> None:
        called.append((arguments, threading.get_ident() != threading.main_thread().ident))

    before, sys.unraisablehook = sys.unraisablehook, lambda one: reported.append(one.exc_type)
    try:
        with on_device(np.zeros(16, dtype=np.uint8)) as pointer:
            gpu.cudaLaunchHostFunc(stream, notes, data)
            gpu.cudaLaunchHostFunc(stream, fails, data)
            gpu.cudaMemsetAsync(pointer, 4, 16, stream)
            gpu.cudaLaunchHostFunc(stream, notes, 2)
            gpu.cudaStreamSynchronize(stream)
            same("the work behind", read(pointer, 16, np.uint8), [4] * 16)
    finally:
        sys.unraisablehook = before
    same("the calls", called, [(data, True), (2, True)])
    same("the exceptions", reported, [KeyError])
    return "on a thread of the driver's"


@check("cudaStreamAddCallback gets stream, status and data, and is let go of")
def stream_callback() -> None:
    """The callable goes after it was called."""
    stream = cuda.cudaStream_t(flags=1)
    called: list[Any] = []

    class Callback:
        def __call__(self, arguments: Any, status: Any, data: Any) -> None:
            called.append((arguments == stream, status, data))

    callback = Callback()
    gone = weakref.ref(callback)
    gpu.cudaStreamAddCallback(stream, callback, ["data"], 0)
    del callback
    gpu.cudaStreamSynchronize(stream)
    gpu.cudaDeviceSynchronize()
    gc.collect()
    same("the call", called, [(True, cuda.cudaSuccess, ["data"])])
    same("the callable", gone(), None)


@check("a callable in a captured graph runs at each launch and dies with the graph")
def captured_callable() -> None:
    """After three launches the graph and its executable are destroyed."""
    stream = cuda.cudaStream_t(flags=1)
    called: list[Any] = []

    class Callback:
        def __call__(self, data: Any) -> None:
            called.append(data)

    callback = Callback()
    gone = weakref.ref(callback)
    gpu.cudaStreamBeginCapture(stream, cuda.cudaStreamCaptureModeThreadLocal)
    gpu.cudaLaunchHostFunc(stream, callback, 1)
    graph = gpu.cudaStreamEndCapture(stream)
    del callback
    ready = gpu.cudaGraphInstantiate(graph, 0)
    for _ in range(3):
        gpu.cudaGraphLaunch(ready, stream)
    gpu.cudaStreamSynchronize(stream)
    same("the calls", called, [1, 1, 1])
    gc.collect()
    holds("the callable lives as long as the graph", gone())
    gpu.cudaGraphExecDestroy(ready)
    gpu.cudaGraphDestroy(graph)
    # The driver reports on a thread of its own, at some time, that it won't call it any more.
    for _ in range(200):
        gpu.cudaDeviceSynchronize()
        gpu.cudaStreamQuery(stream)
        if gone() is None:
            return
        threading.Event().wait(0.01)
    raise AssertionError("the callable was not let go of in 2 s")


@check("work captured: what is known meanwhile, the graph that comes of it, its launch")
def captured() -> str:
    """cudaStreamGetCaptureInfo in the newest release's form, with any release of the library."""
    stream = cuda.cudaStream_t(flags=1)
    with on_device(np.zeros(16, dtype=np.uint8)) as pointer:
        status = gpu.cudaStreamGetCaptureInfo(stream)[0]
        same("before", status, cuda.cudaStreamCaptureStatusNone)
        gpu.cudaStreamBeginCapture(stream, cuda.cudaStreamCaptureModeGlobal)
        gpu.cudaMemsetAsync(pointer, 8, 16, stream)
        status, number, graph, nodes, edges = gpu.cudaStreamGetCaptureInfo(stream)
        same("meanwhile", status, cuda.cudaStreamCaptureStatusActive)
        holds("it has a number and a graph", number and graph)
        same("what comes next waits for the node", nodes, gpu.cudaGraphGetNodes(graph))
        same("of which there is one", len(nodes), 1)
        holds("edges beside it, or None", edges is None or len(edges) == 1)
        same("cudaStreamIsCapturing", gpu.cudaStreamIsCapturing(stream), status)
        mode = gpu.cudaThreadExchangeStreamCaptureMode(cuda.cudaStreamCaptureModeRelaxed)
        same("the thread's mode", mode, cuda.cudaStreamCaptureModeGlobal)
        freed = gpu.cudaMalloc(64)  # allowed in relaxed mode only
        gpu.cudaFree(freed)
        mode = gpu.cudaThreadExchangeStreamCaptureMode(mode)
        same("the mode in between", mode, cuda.cudaStreamCaptureModeRelaxed)
        whole = gpu.cudaStreamEndCapture(stream)
        same("the graph", whole, graph)
        same("nothing ran yet", set(read(pointer, 16, np.uint8)), {0})
        ready = gpu.cudaGraphInstantiate(whole, 0)
        gpu.cudaGraphLaunch(ready, stream)
        gpu.cudaStreamSynchronize(stream)
        same("what was launched", set(read(pointer, 16, np.uint8)), {8})
        gpu.cudaGraphExecDestroy(ready)
        gpu.cudaGraphDestroy(whole)
    return f"edge data: {edges}"


@check("a capture that is spoilt: the error of the call, and of its end")
def spoilt() -> None:
    """Waits for a stream that captures."""
    stream = cuda.cudaStream_t(flags=1)
    gpu.cudaStreamBeginCapture(stream, cuda.cudaStreamCaptureModeGlobal)
    err = cuda.cudaStreamSynchronize(stream)
    refuses("waiting", err, "cudaErrorStreamCaptureUnsupported")
    graph, err = cuda.cudaStreamEndCapture(stream)
    same("the graph", graph, None)
    refuses("the end", err, "cudaErrorStreamCaptureInvalidated")


@check("a capture into a graph that has nodes, and a change of what comes next")
def into_a_graph() -> None:
    """cudaStreamBeginCaptureToGraph, cudaStreamUpdateCaptureDependencies."""
    stream, graph = cuda.cudaStream_t(flags=1), cuda.cudaGraph_t()
    first = gpu.cudaGraphAddEmptyNode(graph, None, 0)
    second = gpu.cudaGraphAddEmptyNode(graph, None, 0)
    mode = cuda.cudaStreamCaptureModeThreadLocal
    with on_device(np.zeros(16, dtype=np.uint8)) as pointer:
        gpu.cudaStreamBeginCaptureToGraph(stream, graph, [first], None, 1, mode)
        same("what comes next", gpu.cudaStreamGetCaptureInfo(stream)[3], [first])
        add = cuda.cudaStreamAddCaptureDependencies
        gpu.cudaStreamUpdateCaptureDependencies(stream, [second], None, 1, add)
        same("and now", set(gpu.cudaStreamGetCaptureInfo(stream)[3]), {first, second})
        gpu.cudaMemsetAsync(pointer, 1, 16, stream)
        same("the end gives that graph", gpu.cudaStreamEndCapture(stream), graph)
    same("nodes", len(gpu.cudaGraphGetNodes(graph)), 3)
    from_, to, *_ = gpu.cudaGraphGetEdges(graph)
    same("edges from", set(from_), {first, second})
    same("edges to one", len(set(to)), 1)
