"""Owners that end: during a capture, while an error waits to be seen, after a device reset."""

from __future__ import annotations

import gc
import os
from typing import Any

import numpy as np
from check import check, holds, same
from memory import on_device, read

import PyGPU
from PyGPU import cuda

gpu = PyGPU.checked


@check("owners end and are collected during a capture, which stays whole")
def beside_a_capture() -> None:
    """Streams, events and graphs, one of them in a cycle, in the strictest mode."""
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
        same("what was captured", set(read(pointer, 16, np.uint8)), {3})
        gpu.cudaGraphExecDestroy(ready)
        gpu.cudaGraphDestroy(graph)


@check("an owner that goes leaves the error that waits to be seen")
def beside_an_error() -> None:
    """The destroy call must not take the thread's last error away."""
    streams = [cuda.cudaStream_t(), cuda.cudaStream_t()]
    same("a device that isn't there", cuda.cudaSetDevice(999), cuda.cudaErrorInvalidDevice)
    del streams
    gc.collect()
    same("the last error", cuda.cudaGetLastError(), cuda.cudaErrorInvalidDevice)
    same("once taken", cuda.cudaGetLastError(), cuda.cudaSuccess)


@check("a child process lets go of what its parent owns, and says what is wrong")
def in_a_child() -> str:
    """The driver doesn't survive a fork: calls must fail, but neither crash nor hang."""
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
    same("its end", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
    holds(f"the child's call fails: {said}", said != "cudaSuccess")
    same("the parent's stream", gpu.cudaStreamQuery(stream), True)
    return said


@check("what a reset of the device ended is forgotten; what came after it lives")
def after_a_reset() -> None:
    """A new object may have the address of an old one by then."""
    before = [cuda.cudaStream_t(), cuda.cudaEvent_t()]
    gpu.cudaDeviceReset()
    after, event = cuda.cudaStream_t(), cuda.cudaEvent_t()
    del before
    gc.collect()
    with on_device(np.zeros(16, dtype=np.uint8)) as pointer:
        gpu.cudaMemsetAsync(pointer, 5, 16, after)
        gpu.cudaEventRecord(event, after)
        gpu.cudaEventSynchronize(event)
        same("the new stream works", set(read(pointer, 16, np.uint8)), {5})
