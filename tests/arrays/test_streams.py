"""PyGPU.Stream and PyGPU.Event: ownership, ordering, timing, and resets, forks and exits."""

from __future__ import annotations

import builtins
import gc
import os
import threading
import weakref

import pytest

import PyGPU
from PyGPU import host
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_devices")


def test_a_stream_orders_waits_and_tells():
    first, second = PyGPU.Stream(), PyGPU.Stream(non_blocking=True, priority=0)
    assert int(first) == first.handle == first.__cuda_stream__()[1] != int(second)
    assert first.__cuda_stream__()[0] == 0 and first.device == 0
    same = PyGPU.Stream.of(int(first))
    assert first == same != second and hash(first) == hash(same) and same is not first
    flags = [int(PyGPU.checked.cudaStreamGetFlags(one)) for one in (first, second)]
    assert flags == [PyGPU.cudaStreamDefault, PyGPU.cudaStreamNonBlocking]
    memory = PyGPU.DeviceMemory(4)
    back = bytearray(4)
    with host.pause(first):
        assert not PyGPU.cudaMemsetAsync(memory, 1, 4, first)
        assert not first.query() and second.query()
        event = first.record()
        second.wait(event)
        assert not PyGPU.cudaMemsetAsync(memory, 2, 4, second)
        third = PyGPU.Stream(True)
        third.wait(second)
        assert not third.query() and not event.query() and not second.query()
    third.synchronize()
    assert first.query() and second.query() and event.query()
    event.synchronize()
    assert not PyGPU.cudaMemcpy(back, memory, 4, PyGPU.cudaMemcpyDefault)
    assert back == bytes([2] * 4)
    for handle in (PyGPU.cudaEvent_t(), PyGPU.Event(), PyGPU.cudaStream_t(), second):
        first.wait(handle)
    for wrong in (3, None, "x", object(), memory):
        with pytest.raises(TypeError, match=r"Stream\.wait"):
            first.wait(wrong)
    assert repr(PyGPU.Stream.of(0)) == "<PyGPU.Stream, default, device 0>"


def test_events_measure():
    stream = PyGPU.Stream()
    start, end = PyGPU.Event(), PyGPU.Event()
    assert start.query() and repr(start) == "<PyGPU.Event, not recorded>"
    start.synchronize()
    assert start.record(stream) is start and end.record(stream=stream) is end
    end.synchronize()
    elapsed = start.elapsed_time(end)
    assert elapsed >= 0 and elapsed == start.time_till(end) == end.time_since(start)
    with host.pause(stream):
        end.record(stream)
        for one, other, code in (
            (start, end, 600),
            (start, PyGPU.Event(), 1),
            (start, PyGPU.Event(timing=False).record(), 400),
        ):
            with pytest.raises(PyGPU.GPUError) as raised:
                one.elapsed_time(other)
            assert raised.value.error == code and "Event.elapsed_time" in str(raised.value)
    with pytest.raises(TypeError):
        start.elapsed_time(3)
    # The runtime's own functions take both by their handles.
    fresh = PyGPU.Event()
    assert not PyGPU.cudaEventRecord(fresh, stream) and not PyGPU.cudaEventSynchronize(fresh)
    assert fresh.query() and not PyGPU.cudaStreamWaitEvent(stream, fresh, 0)


def test_the_block_makes_it_current_on_this_thread():
    one, two = PyGPU.Stream(), PyGPU.Stream()

    def current():
        return int(PyGPU.Stream.of(None))

    assert current() == 0
    with one as entered:
        assert entered is one and current() == int(one) and PyGPU.Stream.of(None) is one
        with two, one, PyGPU.Stream.of(0):
            assert current() == 0
        with two:
            assert current() == int(two)
            seen = []
            thread = threading.Thread(target=lambda: seen.append(current()))
            thread.start(), thread.join()
            assert seen == [0], "another thread has its own"
            _event = PyGPU.Event().record()
        assert current() == int(one)
        try:
            with two:
                raise KeyError
        except KeyError:
            assert current() == int(one)
        memory = PyGPU.DeviceMemory(64)
    assert current() == 0
    with pytest.raises(RuntimeError):
        two.__exit__(None, None, None)
    one.__enter__(), two.__enter__()
    with pytest.raises(RuntimeError):
        one.__exit__(None, None, None)
    two.__exit__(None, None, None), one.__exit__(None, None, None)
    assert current() == 0
    del one  # the memory keeps the stream that orders its free
    del memory


@pytest.mark.gpus(2)
def test_streams_of_other_devices():
    streams = []
    for device in range(PyGPU.checked.cudaGetDeviceCount()):
        assert not PyGPU.cudaSetDevice(device)
        streams.append(PyGPU.Stream(True))
    assert not PyGPU.cudaSetDevice(0)
    for device, stream in enumerate(streams):
        assert stream.device == device and f"device {device}" in repr(stream)
        with stream:
            assert PyGPU.cudaGetDevice()[0] == device
            assert PyGPU.DeviceMemory(8).device == device
            event = PyGPU.Event().record()
        assert f"device {device}" in repr(event) and PyGPU.cudaGetDevice()[0] == 0
        for other in streams:
            other.wait(stream)
            other.wait(event)
        stream.synchronize()
        assert stream.query()
        stream.record().query()
        assert PyGPU.cudaGetDevice()[0] == 0


def test_streams_of_others():
    handle = PyGPU.cudaStream_t()

    class Torch:
        def __cuda_stream__(self):
            return 0, int(handle)

    other = Torch()
    gone = weakref.ref(other)
    for given in (handle, int(handle), other):
        stream = PyGPU.Stream.of(given)
        assert int(stream) == int(handle) and "another's" in repr(stream)
        with stream:
            assert int(PyGPU.Stream.of(None)) == int(handle)
    del other, given
    gc.collect()
    assert gone() is not None
    stream.synchronize()
    del stream
    assert gone() is None and not PyGPU.cudaStreamSynchronize(handle), "it was not ended"
    for wrong, error in ((3.5, TypeError), ("x", TypeError), (77, ValueError), (-1, OverflowError)):
        with pytest.raises(error):
            PyGPU.Stream.of(wrong)


def test_what_ends_them():
    """Garbage cycles, a callback and several threads end streams and events; none is left."""

    def leaks():
        return [line for line in host.leaks().splitlines() if "pool" not in line]

    cycle = [PyGPU.Stream(), PyGPU.Event().record()]
    cycle += [cycle, PyGPU.Stream.of(cycle[0])]

    class Other:
        def __init__(self):
            self.stream = PyGPU.Stream.of(self)

        def __cuda_stream__(self):
            return 0, 0

    Other()
    del cycle
    gc.collect()
    assert not leaks(), leaks()
    kept = [PyGPU.Stream(), PyGPU.Event().record()]
    assert not PyGPU.cudaLaunchHostFunc(0, lambda data: kept.clear(), None)
    assert not PyGPU.cudaDeviceSynchronize() and not kept
    PyGPU.Stream()
    assert not leaks(), leaks()

    def work():
        for _ in range(50):
            with PyGPU.Stream(True) as stream:
                PyGPU.Event().record().synchronize()
                stream.wait(PyGPU.Stream().record())

    threads = [threading.Thread(target=work) for _ in range(4)]
    [thread.start() for thread in threads], [thread.join() for thread in threads]
    PyGPU.Stream()
    assert not leaks(), leaks()


def test_a_fork_and_a_reset_end_them():
    """Runs alone: under ASan of g++ 12 no thread may end, and free memory, during a fork."""
    stream, event = PyGPU.Stream(), PyGPU.Event().record()
    event.synchronize()
    child = os.fork()
    if not child:
        codes = []
        for call in (
            stream.synchronize,
            stream.query,
            stream.record,
            stream.__enter__,
            lambda: PyGPU.Event().record(stream),
            PyGPU.Stream,
        ):
            try:
                call()
            except PyGPU.GPUError as error:
                codes.append(int(error.error))
        assert event.query()
        stream = event = None
        os._exit(codes != [400] * 5 + [3])
    assert os.waitpid(child, 0)[1] == 0
    assert stream.query() and event.query()
    assert not PyGPU.cudaDeviceReset()
    with pytest.raises(PyGPU.GPUError) as raised:
        stream.synchronize()
    assert raised.value.error == 400
    again = PyGPU.Stream()  # may have the address of the ended stream
    stream = event = None
    again.synchronize()
    builtins.kept = again, again.record()


def test_destroying_functions_take_them_from_their_owner():
    stream, event = PyGPU.Stream(True), PyGPU.Event()
    event.record(stream).synchronize()
    with stream:
        a, b = PyGPU.zeros(1000), PyGPU.empty(1000)
    c = PyGPU.zeros(1000)
    c.set_async(PyGPU.pagelocked_zeros(1000) + 1, stream)
    c.record_stream(stream)
    assert not PyGPU.cudaEventDestroy(event) and not PyGPU.cudaStreamDestroy(stream)
    assert event.query() and repr(event) == "<PyGPU.Event, not recorded>"
    event.record().synchronize()  # records a new event
    for use in (
        stream.synchronize,
        stream.query,
        stream.record,
        stream.__enter__,
        stream.__cuda_stream__,
        lambda: a.get(stream=stream),
    ):
        with pytest.raises(PyGPU.GPUError) as raised:
            use()
        assert raised.value.error == PyGPU.cudaErrorInvalidResourceHandle
    assert "ended" in repr(stream)
    assert (c.get() == 1).all() and not a.get().any()
    a.fill(2), c.fill(3)
    assert (a[::2].get() == 2).all() and (c.copy().get() == 3).all()
    PyGPU.wait(a), PyGPU.wait(c)
    del b, raised
    a = c = stream = event = use = None
    PyGPU.trim_memory()
    assert PyGPU.memory_info().used == 0
    lines = host.leaks().splitlines()
    assert not [line for line in lines if "stream" in line], lines


def test_a_destroyed_handle_that_an_array_used():
    handle = PyGPU.cudaStream_t(flags=1)
    a = PyGPU.zeros(1000, stream=handle)
    c = PyGPU.zeros(1000)
    c.set_async(PyGPU.pagelocked_zeros(1000) + 1, handle)
    PyGPU.wait(c)
    assert not PyGPU.cudaStreamDestroy(handle)
    assert (c.get() == 1).all() and not a.get().any()
    del a, c
    PyGPU.trim_memory()
    assert PyGPU.memory_info().used == 0
