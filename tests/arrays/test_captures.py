"""Arrays on streams that are being captured: no operation of theirs breaks the capture."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import PyGPU
from PyGPU import host
from tests.own_interpreter import IN_CHILD, own_interpreter

gpu = PyGPU.checked
MIB = 1 << 20

if IN_CHILD:
    stream = PyGPU.Stream(non_blocking=True)


def begin(of=None):
    gpu.cudaStreamBeginCapture(of or stream, PyGPU.cudaStreamCaptureModeGlobal)


def end(of=None):
    return gpu.cudaStreamEndCapture(of or stream)  # raises if the capture was broken


class Memory(bytearray):  # takes weak references, which show when it is freed
    pass


def source(value=0.0):
    memory = Memory(8000)
    array = np.frombuffer(memory)
    array[...] = value
    return array, weakref.ref(memory)


def launch(graph):
    gpu.cudaDeviceSynchronize()
    executable = gpu.cudaGraphInstantiate(graph, 0)
    gpu.cudaGraphLaunch(executable, stream)
    stream.synchronize()
    gpu.cudaGraphExecDestroy(executable)


@pytest.fixture
def captures(behind):
    return behind("drivers_pools.cpp")


@pytest.fixture(params=["host", "GPUs"])
def captures_on_devices(request):
    """The same interpreter and, where there is one, a GPU."""
    return request.getfixturevalue("captures" if request.param == "host" else "on_gpus")


@own_interpreter("captures")
def test_copies_go_into_the_graph_with_all_they_need():
    a = PyGPU.zeros(1000)
    ones, gone = source(1)
    begin()
    a.set_async(ones, stream)
    out = a.get_async(stream)
    del ones
    PyGPU.to_gpu(np.arange(3.0))  # releases what finished work kept
    gc.collect()
    PyGPU.ready(out), PyGPU.ready(a)
    graph = end()
    for _ in range(2):
        out[...] = 0
        launch(graph)
        assert (out == 1).all()
    assert gone() is not None
    gpu.cudaGraphDestroy(graph)
    PyGPU.to_gpu(np.arange(3.0))
    gc.collect()
    assert gone() is None


@own_interpreter("captures")
def test_what_is_staged_stays_for_every_launch():
    a = PyGPU.zeros((40, 50))
    begin()
    a.set_async(np.arange(2000.0).reshape(50, 40).T, stream)
    PyGPU.to_gpu(np.arange(3.0))
    graph = end()
    gc.collect()
    _others = [np.full(2000, 7.0) for _ in range(50)]
    for _ in range(2):
        a.fill(0)
        launch(graph)
        assert (a.get() == np.arange(2000.0).reshape(50, 40).T).all()
    gpu.cudaGraphDestroy(graph)


@own_interpreter("captures")
def test_a_captured_array_lives_as_long_as_the_graph():
    a = PyGPU.zeros(1000)
    out = PyGPU.pagelocked_zeros(1000)
    begin()
    a.get_async(stream, out)
    graph = end()
    del a
    gc.collect()
    PyGPU.trim_memory()
    others = [PyGPU.ones(1000) for _ in range(4)]
    launch(graph)  # strict mode would report a use of freed memory
    assert not out.any()
    gpu.cudaGraphDestroy(graph)
    del others
    PyGPU.to_gpu(np.zeros(1))
    PyGPU.trim_memory()
    assert PyGPU.memory_info().used == 0


@own_interpreter("captures")
def test_what_would_wait_is_refused_before_it_breaks_the_capture():
    a = PyGPU.to_gpu(np.arange(6.0).reshape(2, 3))
    torn = np.zeros((4, 6))[::2, ::2]
    begin()
    with stream:
        for use in (a.get, lambda: a.set(np.zeros((2, 3))), lambda: a.get_async(ary=torn)):
            with pytest.raises(PyGPU.GPUError) as raised:
                use()
            assert raised.value.error == PyGPU.cudaErrorStreamCaptureUnsupported
    assert int(end())
    assert (a.get() == np.arange(6.0).reshape(2, 3)).all()


@own_interpreter("captures")
def test_memory_made_while_its_stream_is_captured_is_ordinary_memory():
    begin()
    with stream:
        fresh = PyGPU.empty(100)
        fresh.set_async(PyGPU.pagelocked_zeros(100) + 3)
        gone = PyGPU.empty(100)
        del gone
    graph = end()
    launch(graph)
    assert (fresh.get() == 3).all()
    gpu.cudaGraphDestroy(graph)
    del fresh
    PyGPU.to_gpu(np.zeros(1))
    PyGPU.trim_memory()
    assert not [line for line in host.leaks().splitlines() if "memory" in line], host.leaks()


@own_interpreter("captures")
def test_a_slow_stream_does_not_keep_what_others_have_done():
    a, b, slow = PyGPU.zeros(1000), PyGPU.zeros(1000), PyGPU.Stream(True)
    with host.pause(slow):
        a.set_async(PyGPU.pagelocked_zeros(1000), slow)
        quick, gone = source()
        b.set_async(quick, stream)
        del quick
        stream.synchronize()
        PyGPU.to_gpu(np.zeros(1))
        assert gone() is None
    PyGPU.wait(a)


@own_interpreter("captures")
def test_a_failing_query_does_not_keep_what_others_have_done():
    a = PyGPU.zeros(1000)
    (one, first), (other, second) = source(), source()
    with host.pause(stream):
        a.set_async(one, stream), a.set_async(other, stream)
    del one, other
    stream.synchronize()
    with host.fail("cudaEventQuery", error=999):
        PyGPU.to_gpu(np.zeros(1))
    assert second() is None
    PyGPU.to_gpu(np.zeros(1))
    assert first() is None


@own_interpreter("captures")
def test_what_ends_meanwhile_leaves_the_capture_whole():
    other = PyGPU.Stream(non_blocking=True)

    class Node:
        def __init__(self):
            self.me = self
            self.used, self.known = PyGPU.zeros(1000), PyGPU.zeros(10)
            self.used.set_async(PyGPU.pagelocked_zeros(1000), stream)  # before the capture begins
            self.recorded = PyGPU.zeros(10)
            self.recorded.record_stream(stream)
            with stream:
                self.home = PyGPU.empty(10)
            self.pinned = PyGPU.pagelocked_zeros(9)
            self.mine = self.known.ptr, self.pinned
            self.stream, self.event = PyGPU.Stream(), PyGPU.Event().record(stream)
            self.typed = PyGPU.DeviceArray_float64(10)
            self.typed.allocate()
            self.handle = PyGPU.cudaEvent_t()

    nodes = [Node() for _ in range(4)]
    begin()
    nodes.clear()
    assert gc.collect()
    late = PyGPU.to_gpu(np.arange(5.0))
    late.record_stream(stream)
    late.set_async(np.ones(5), other)
    assert (PyGPU.wait(late.get_async(other)) == 1).all()
    del late
    gc.collect()
    PyGPU.trim_memory()
    gpu.cudaGraphDestroy(end())  # the capture is intact
    PyGPU.trim_memory()
    assert PyGPU.memory_info().used == 0


@own_interpreter("captures")
def test_waiting_for_the_device_without_memory_leaves_the_capture_whole():
    """A byte put aside serves to wait for the device.

    Without one, trim_memory() raises MemoryError.
    """
    a = PyGPU.zeros(1000)
    known = [PyGPU.zeros(10), PyGPU.zeros(10)]
    for one in known:
        assert one.ptr
    with host.fail("cudaMalloc", error=2, times=None):
        begin()
        a.set_async(PyGPU.pagelocked_zeros(1000), stream)
        del one, known[0]
        assert PyGPU.memory_info().deferred == 80
        PyGPU.trim_memory()  # uses the byte
        assert PyGPU.memory_info().deferred == 0
        known.clear()
        with pytest.raises(MemoryError) as raised:
            PyGPU.trim_memory()
        assert raised.value.error == 2 and "trim_memory()" in str(raised.value)
        assert PyGPU.memory_info().deferred == 80  # still deferred, as others may use it
        with host.fail("cudaMallocFromPoolAsync", error=2, times=None):
            with pytest.raises(MemoryError) as raised:
                PyGPU.empty(1000)
            assert raised.value.error == 2 and "8000 bytes asked for" in str(raised.value)
        with host.fail("cudaMallocFromPoolAsync", error=2):  # what goes back to the pool suffices
            assert PyGPU.empty(1000).size == 1000
    gpu.cudaGraphDestroy(end())  # the capture is intact
    PyGPU.trim_memory()
    assert PyGPU.memory_info().deferred == 0 and not gpu.cudaGetLastError()


@own_interpreter("captures_on_devices")
def test_what_ends_meanwhile_leaves_the_capture_of_a_blocking_stream_whole():
    """The default stream waits for a blocking stream: nothing may be queued or waited for there."""
    blocking, home, third = PyGPU.Stream(), PyGPU.Stream(True), PyGPU.Stream(True)

    class Node:
        def __init__(self):
            self.me = self
            self.small = [PyGPU.zeros(1000, "u1") for _ in range(80)]  # only 64 pieces are kept
            self.large = PyGPU.zeros(8 * MIB, "u1")
            self.recorded = PyGPU.zeros(3 * MIB, "u1")
            self.recorded.record_stream(third)
            with home:
                self.abroad = PyGPU.zeros(4 * MIB, "u1")
            self.abroad.get()  # uses the default stream
            self.known = PyGPU.zeros(5 * MIB, "u1")
            assert self.known.ptr
            self.typed = PyGPU.DeviceArray_uint8(6 * MIB)
            assert self.typed.allocate() == self.typed.to_device() == 0
            self.pinned = PyGPU.pagelocked_zeros(MIB)
            self.stream, self.event = PyGPU.Stream(), PyGPU.Event().record()

    node, much = Node(), PyGPU.empty(300 * MIB, "u1")
    a, source = PyGPU.zeros(1000), PyGPU.pagelocked_zeros(1000)
    assert a.ptr and much.ptr
    begin(blocking)
    gpu.cudaMemcpyAsync(a, source, 8000, PyGPU.cudaMemcpyHostToDevice, blocking)
    del node, much
    assert gc.collect()
    with home:
        # Without a capture this would free the deferred memory, which is past the limit.
        fresh = PyGPU.zeros(1000)
        assert fresh.get(stream=home).size == 1000
    for use in (PyGPU.wait, PyGPU.ready, lambda array: array.set_async(source, third)):
        with pytest.raises(PyGPU.GPUError) as raised:
            use(a)
        assert raised.value.error == PyGPU.cudaErrorStreamCaptureImplicit
    PyGPU.trim_memory()
    PyGPU.set_pool_threshold(64 * MIB)
    assert PyGPU.memory_info().deferred >= 320 * MIB
    gpu.cudaGraphDestroy(end(blocking))  # the capture is intact
    assert not gpu.cudaGetLastError()
    del a, fresh, raised
    home.synchronize()  # a pool gives back memory only after a wait
    PyGPU.trim_memory()
    info = PyGPU.memory_info()
    assert info.deferred == info.used == info.pooled == 0, info


@own_interpreter("captures")
def test_trimming_gives_all_of_the_pool_back():
    """A driver's pool gives back only memory that was freed to it and has been waited for."""
    used, known = PyGPU.zeros(1000_000), PyGPU.zeros(1000_000)
    assert known.ptr
    del used, known
    PyGPU.trim_memory()
    info = PyGPU.memory_info()
    assert info.deferred == info.used == info.pooled == 0, info
