"""Streams: events and time, attributes, host callbacks, capture."""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from typing import Any

import numpy as np

import PyGPU
from PyGPU import cuda
from tests.behaviour.programs.memory import on_device, read
from tests.behaviour.programs.program import program, refuses
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_devices")
gpu = PyGPU.checked


@program
def test_events() -> None:
    """Events: time between them, waiting for them, the wrong kind.

    64 MiB are set between two events.
    """
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
    assert read(pointer, 32, np.uint8) == [6] * 16 + [5] * 16, "what both did"
    assert gpu.cudaEventQuery(end), "cudaEventQuery"
    milliseconds = gpu.cudaEventElapsedTime(begin, end)
    assert 0 < milliseconds < 10_000, "some time has passed"
    untimed = cuda.cudaEvent_t(flags=cuda.cudaEventDisableTiming)
    gpu.cudaEventRecord(untimed, stream)
    gpu.cudaEventSynchronize(untimed)
    value, err = cuda.cudaEventElapsedTime(begin, untimed)
    assert value is None, "time of an event without"
    refuses("its error", err, "cudaErrorInvalidResourceHandle")
    gpu.cudaFree(pointer)


@program
def test_attributes() -> None:
    """Attributes: a struct, an enumerator and a number, set, read, copied.

    cudaStreamSetAttribute, cudaStreamGetAttribute, cudaStreamCopyAttributes.
    """
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
            assert got == window, f"the window of {at}"
            policy = gpu.cudaStreamGetAttribute(one, policy_of)
            assert policy == cuda.cudaSyncPolicyBlockingSync, f"the policy of {at}"


@program
def test_host_functions() -> None:
    """Host functions run in order, with their data; an exception is reported.

    cudaLaunchHostFunc; sys.unraisablehook gets the exception, and the stream goes on.
    """
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
            assert read(pointer, 16, np.uint8) == [4] * 16, "the work behind"
    finally:
        sys.unraisablehook = before
    assert called == [(data, True), (2, True)], "the calls"
    assert reported == [KeyError], "the exceptions"


@program
def test_stream_callback() -> None:
    """cudaStreamAddCallback gets stream, status and data, and is let go of.

    The callable goes after it was called.
    """
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
    assert called == [(True, cuda.cudaSuccess, ["data"])], "the call"
    assert gone() is None, "the callable"


@program
def test_captured_callable() -> None:
    """A callable in a captured graph runs at each launch and dies with the graph.

    After three launches the graph and its executable are destroyed.
    """
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
    assert called == [1, 1, 1], "the calls"
    gc.collect()
    assert gone(), "the callable lives as long as the graph"
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


@program
def test_captured() -> None:
    """Work captured: what is known meanwhile, the graph that comes of it, its launch.

    cudaStreamGetCaptureInfo in the newest release's form, with any release of the library.
    """
    stream = cuda.cudaStream_t(flags=1)
    with on_device(np.zeros(16, dtype=np.uint8)) as pointer:
        status = gpu.cudaStreamGetCaptureInfo(stream)[0]
        assert status == cuda.cudaStreamCaptureStatusNone, "before"
        gpu.cudaStreamBeginCapture(stream, cuda.cudaStreamCaptureModeGlobal)
        gpu.cudaMemsetAsync(pointer, 8, 16, stream)
        status, number, graph, nodes, edges = gpu.cudaStreamGetCaptureInfo(stream)
        assert status == cuda.cudaStreamCaptureStatusActive, "meanwhile"
        assert number and graph, "it has a number and a graph"
        assert nodes == gpu.cudaGraphGetNodes(graph), "what comes next waits for the node"
        assert len(nodes) == 1, "of which there is one"
        assert edges is None or len(edges) == 1, "edges beside it, or None"
        assert gpu.cudaStreamIsCapturing(stream) == status, "cudaStreamIsCapturing"
        mode = gpu.cudaThreadExchangeStreamCaptureMode(cuda.cudaStreamCaptureModeRelaxed)
        assert mode == cuda.cudaStreamCaptureModeGlobal, "the thread's mode"
        freed = gpu.cudaMalloc(64)  # allowed in relaxed mode only
        gpu.cudaFree(freed)
        mode = gpu.cudaThreadExchangeStreamCaptureMode(mode)
        assert mode == cuda.cudaStreamCaptureModeRelaxed, "the mode in between"
        whole = gpu.cudaStreamEndCapture(stream)
        assert whole == graph, "the graph"
        assert set(read(pointer, 16, np.uint8)) == {0}, "nothing ran yet"
        ready = gpu.cudaGraphInstantiate(whole, 0)
        gpu.cudaGraphLaunch(ready, stream)
        gpu.cudaStreamSynchronize(stream)
        assert set(read(pointer, 16, np.uint8)) == {8}, "what was launched"
        gpu.cudaGraphExecDestroy(ready)
        gpu.cudaGraphDestroy(whole)


@program
def test_spoilt() -> None:
    """A capture that is spoilt: the error of the call, and of its end.

    Waits for a stream that captures.
    """
    stream = cuda.cudaStream_t(flags=1)
    gpu.cudaStreamBeginCapture(stream, cuda.cudaStreamCaptureModeGlobal)
    err = cuda.cudaStreamSynchronize(stream)
    refuses("waiting", err, "cudaErrorStreamCaptureUnsupported")
    graph, err = cuda.cudaStreamEndCapture(stream)
    assert graph is None, "the graph"
    refuses("the end", err, "cudaErrorStreamCaptureInvalidated")


@program
def test_into_a_graph() -> None:
    """A capture into a graph that has nodes, and a change of what comes next.

    cudaStreamBeginCaptureToGraph, cudaStreamUpdateCaptureDependencies.
    """
    stream, graph = cuda.cudaStream_t(flags=1), cuda.cudaGraph_t()
    first = gpu.cudaGraphAddEmptyNode(graph, None, 0)
    second = gpu.cudaGraphAddEmptyNode(graph, None, 0)
    mode = cuda.cudaStreamCaptureModeThreadLocal
    with on_device(np.zeros(16, dtype=np.uint8)) as pointer:
        gpu.cudaStreamBeginCaptureToGraph(stream, graph, [first], None, 1, mode)
        assert gpu.cudaStreamGetCaptureInfo(stream)[3] == [first], "what comes next"
        add = cuda.cudaStreamAddCaptureDependencies
        gpu.cudaStreamUpdateCaptureDependencies(stream, [second], None, 1, add)
        assert set(gpu.cudaStreamGetCaptureInfo(stream)[3]) == {first, second}, "and now"
        gpu.cudaMemsetAsync(pointer, 1, 16, stream)
        assert gpu.cudaStreamEndCapture(stream) == graph, "the end gives that graph"
    assert len(gpu.cudaGraphGetNodes(graph)) == 3, "nodes"
    from_, to, *_ = gpu.cudaGraphGetEdges(graph)
    assert set(from_) == {first, second}, "edges from"
    assert len(set(to)) == 1, "edges to one"
