"""Streams that wait for a value which never comes: what ends them."""

from __future__ import annotations

import ctypes
import signal
from functools import partial
from operator import methodcaller

import numpy as np
import pytest

from PyGPU import cu, cuda, host
from tests.own_interpreter import own_interpreter

gpu = cu.checked


def begin(make=lambda: gpu.cuDevicePrimaryCtxRetain(0)):
    gpu.cuInit(0)
    context = make()
    gpu.cuCtxSetCurrent(context)
    return context


def waiting(graph=False):
    """Host memory, and a stream that would write to it after an endless wait."""
    stream, memory = gpu.cuStreamCreate(1), gpu.cuMemAlloc(64)
    target = gpu.cuMemHostAlloc(64, 0)
    gpu.cuMemsetD8(memory, 0, 64)
    gpu.cuMemsetD8(target, 0, 64)
    if graph:
        gpu.cuStreamBeginCapture(stream, 2)
    gpu.cuStreamWaitValue32(stream, memory, 1, 0)
    gpu.cuMemsetD8Async(target, 7, 32, stream)
    if graph:
        executable = gpu.cuGraphInstantiateWithFlags(gpu.cuStreamEndCapture(stream), 0)
        gpu.cuGraphLaunch(executable, stream)
    event, other = gpu.cuEventCreate(0), gpu.cuStreamCreate(1)
    gpu.cuEventRecord(event, stream)
    gpu.cuStreamWaitEvent(other, event, 0)
    gpu.cuMemsetD8Async(target + 32, 7, 32, other)
    return target, stream


@pytest.mark.parametrize("graph", [False, True])
@pytest.mark.parametrize("what", ["cudaDeviceReset", "cuDevicePrimaryCtxReset", "cuCtxDestroy"])
@own_interpreter("on_host")
def test_what_ends_the_context_gives_up_its_work(what, graph):
    """Nothing behind the wait runs, in other streams either; and the device works afterwards."""
    own = what == "cuCtxDestroy"
    context = begin((lambda: gpu.cuCtxCreate(None, 0, 0)) if own else begin.__defaults__[0])
    kept = begin() if own else None
    target = np.zeros(64, dtype=np.uint8)
    gpu.cuMemHostRegister(target, 64, 0)
    gpu.cuCtxSetCurrent(context)
    _, stream = waiting(graph)
    gpu.cuMemsetD8Async(target.ctypes.data, 7, 64, stream)
    arguments = {"cudaDeviceReset": (), "cuCtxDestroy": (context,)}.get(what, (0,))
    assert getattr(cuda if what.startswith("cuda") else cu, what)(*arguments) == 0
    assert not target.any()
    begin()
    assert kept is None or kept == gpu.cuCtxGetCurrent()
    again = gpu.cuMemAlloc(64)
    gpu.cuMemsetD8(again, 3, 64)
    gpu.cuMemcpyDtoH(target, again, 64)
    assert (target == 3).all()


@own_interpreter("on_host")
def test_a_green_context_ends_only_its_own_streams():
    begin()
    whole = gpu.cuDeviceGetDevResource(0, 1)
    description = gpu.cuDevResourceGenerateDesc([whole], 1)
    green = gpu.cuGreenCtxCreate(description, 0, 1)
    memory = gpu.cuMemAlloc(64)
    gpu.cuMemsetD8(memory, 0, 64)
    theirs, ours = gpu.cuGreenCtxStreamCreate(green, 1, 0), gpu.cuStreamCreate(1)
    gpu.cuStreamWaitValue32(theirs, memory, 1, 0)
    gpu.cuStreamWaitValue32(ours, memory, 1, 0)
    gpu.cuMemsetD8Async(memory + 32, 5, 32, ours)
    gpu.cuGreenCtxDestroy(green)
    assert cu.cuStreamQuery(ours) == 600
    gpu.cuStreamWriteValue32(gpu.cuStreamCreate(1), memory, 1, 0)
    gpu.cuStreamSynchronize(ours)
    back = np.zeros(64, dtype=np.uint8)
    gpu.cuMemcpyDtoH(back, memory, 64)
    assert (back[32:] == 5).all()


@pytest.mark.parametrize("graph", [False, True])
@own_interpreter("on_host", PYGPU_HOST_TIMEOUT="1")
def test_the_timeout_counts(graph):
    begin()
    with host.reports() as reports:
        _, stream = waiting(graph)
        gpu.cuStreamDestroy(stream)
        assert cu.cuCtxSynchronize() == 702
    assert "a stream waits for a value for more than 1 s" in reports[0]
    assert cuda.cudaDeviceReset() == 0
    assert cuda.cudaDeviceSynchronize() == 0


@own_interpreter("on_host")
def test_an_interrupt_ends_the_wait():
    begin()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    waiting()
    c_raise = getattr(ctypes.CDLL(None), "raise")
    calls = partial(c_raise, signal.SIGINT), cu.cuCtxSynchronize
    with host.reports() as reports, pytest.raises(KeyboardInterrupt):
        list(map(methodcaller("__call__"), calls))  # no Python code runs between the two
    assert "an interrupt has ended" in reports[0]
    assert cu.cuCtxSynchronize() == 702
