"""Owners that end: during a capture, while an error waits to be seen, after a device reset."""

from __future__ import annotations

import gc
import os
from typing import Any

import numpy as np

import PyGPU
from PyGPU import cuda
from tests.behaviour.programs.memory import on_device, read
from tests.behaviour.programs.program import program
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_devices")
gpu = PyGPU.checked


@program
def test_beside_a_capture() -> None:
    """Owners end and are collected during a capture, which stays whole.

    Streams, events and graphs, one of them in a cycle, in the strictest mode.
    """
    cycle: list[Any] = [cuda.cudaStream_t(), cuda.cudaEvent_t(), cuda.cudaGraph_t()]
    cycle.append(cycle)
    event, stream = cuda.cudaEvent_t(), cuda.cudaStream_t(flags=1)
    with on_device(np.zeros(16, dtype=np.uint8)) as pointer:
        gpu.cudaStreamBeginCapture(stream, cuda.cudaStreamCaptureModeGlobal)
        del event, cycle
        gc.collect()
        gpu.cudaMemsetAsync(pointer, 3, 16, stream)
        graph = gpu.cudaStreamEndCapture(stream)
        ready = gpu.cudaGraphInstantiate(graph, 0)
        gpu.cudaGraphLaunch(ready, stream)
        gpu.cudaStreamSynchronize(stream)
        assert set(read(pointer, 16, np.uint8)) == {3}, "what was captured"
        gpu.cudaGraphExecDestroy(ready)
        gpu.cudaGraphDestroy(graph)


@program
def test_beside_an_error() -> None:
    """An owner that goes leaves the error that waits to be seen.

    The destroy call must not take the thread's last error away.
    """
    streams = [cuda.cudaStream_t(), cuda.cudaStream_t()]
    assert cuda.cudaSetDevice(999) == cuda.cudaErrorInvalidDevice, "a device that isn't there"
    del streams
    gc.collect()
    assert cuda.cudaGetLastError() == cuda.cudaErrorInvalidDevice, "the last error"
    assert cuda.cudaGetLastError() == cuda.cudaSuccess, "once taken"


@program
def test_in_a_child() -> None:
    """A child process lets go of what its parent owns, and says what is wrong.

    The driver doesn't survive a fork: calls must fail, but neither crash nor hang.
    """
    stream = cuda.cudaStream_t()
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        code = 1
        try:
            err = cuda.cudaStreamSynchronize(stream)
            del stream
            gc.collect()
            os.write(writer, err.name.encode())
            code = 0
        finally:
            os._exit(code)
    os.close(writer)
    said = os.read(reader, 100).decode()
    os.close(reader)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, "its end"
    assert said != "cudaSuccess", f"the child's call fails: {said}"
    assert gpu.cudaStreamQuery(stream), "the parent's stream"


@program
def test_after_a_reset() -> None:
    """What a reset of the device ended is forgotten; what came after it lives.

    A new object may have the address of an old one by then.
    """
    before = [cuda.cudaStream_t(), cuda.cudaEvent_t()]
    gpu.cudaDeviceReset()
    after, event = cuda.cudaStream_t(), cuda.cudaEvent_t()
    del before
    gc.collect()
    with on_device(np.zeros(16, dtype=np.uint8)) as pointer:
        gpu.cudaMemsetAsync(pointer, 5, 16, after)
        gpu.cudaEventRecord(event, after)
        gpu.cudaEventSynchronize(event)
        assert set(read(pointer, 16, np.uint8)) == {5}, "the new stream works"
