"""Arrays of one device beside streams of another: events order them, and no call fails."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

import PyGPU
from PyGPU import host
from tests.own_interpreter import AT_EXIT, IN_CHILD, own_interpreter

pytestmark = [*own_interpreter("on_devices"), pytest.mark.gpus(2)]

on_host = hasattr(host, "fail")

if IN_CHILD:
    streams = []
    for number in range(PyGPU.checked.cudaGetDeviceCount()):
        with PyGPU.device(number):
            streams.append(PyGPU.Stream(non_blocking=True))
    ones = PyGPU.pagelocked_zeros(1000) + 1


class Other:
    """A stream of torch or CuPy."""

    def __init__(self, stream):
        self.stream = stream

    def __cuda_stream__(self):
        return 0, int(self.stream)


spellings = [lambda one: one, int, Other, lambda one: PyGPU.cudaStream_t(int(one))]


@pytest.fixture(params=["new", "old"])
def release(request):
    if request.param == "old" and request.node.callspec.params["on_devices"] == "GPUs":
        pytest.skip("PyGPU.host.fail is the host runtime's")
    return request.param


def use(release):
    """CUDA before 12.8 has no cudaStreamGetDevice."""
    if release == "old":
        fault = host.fail("cudaStreamGetDevice", error=801, times=None)
        fault.__enter__()
        AT_EXIT.append(fault)


def test_a_stream_argument_of_another_device(release):
    use(release)
    other = streams[1]
    # The first round loads the kernels: CUDA may wait for all work of the device with that.
    for spelled in [None, *spellings]:
        stream = (spelled or int)(other)
        a = PyGPU.zeros(1000)
        early = PyGPU.pagelocked_zeros(1000)
        with PyGPU.device(1):
            busy = PyGPU.zeros(1000)
        PyGPU.wait(a), PyGPU.wait(busy)
        with host.pause(other) if spelled else contextlib.nullcontext():
            busy.fill(1, other)
            a.set_async(early + 1, stream)
            out = a.get_async(stream)
            assert not spelled or not PyGPU.ready(out), "it did not wait for the stream"
            a.fill(2, stream)
            again = a[::2].get_async(stream)
            twin = a.copy(stream=stream)
            assert not spelled or not other.query()
        # Also the stream comes after the work that was asked for on it.
        PyGPU.cudaStreamSynchronize(other)
        assert (out == 1).all() and (again == 2).all()
        assert (twin.get() == 2).all() and twin.device == 0
        b = PyGPU.to_gpu_async(ones, stream=stream)
        c = PyGPU.empty(1000, stream=stream)
        c.set_async(b, stream)
        d = PyGPU.zeros(1000, stream=stream)
        assert (b.get() == 1).all() and (c.get() == 1).all() and not d.get().any()
        assert a.device == b.device == c.device == d.device == 0
        with PyGPU.device(len(streams) - 1):
            there = PyGPU.empty(1000)
        there.set_async(b, stream)
        assert (there.get(stream=stream) == 1).all() and (there.get() == 1).all()
        del a, b, c, d, there, twin
        PyGPU.to_gpu(ones)
    assert PyGPU.cudaGetDevice()[0] == 0 and not PyGPU.cudaGetLastError()


@pytest.mark.parametrize("mode", [0, 1, 2])
def test_a_stream_that_is_named_first_during_its_capture(mode):
    """CUDA ends a capture whose stream is asked for its device."""
    a, b = PyGPU.zeros(1000), PyGPU.to_gpu(ones)
    a.fill(2)
    for spelled in spellings:
        raw = PyGPU.checked.cudaStreamCreateWithFlags(1)
        PyGPU.wait(a.fill(0)), PyGPU.wait(b)
        PyGPU.checked.cudaStreamBeginCapture(raw, mode)
        stream = spelled(raw)
        a.set_async(b, stream)
        graph = PyGPU.checked.cudaStreamEndCapture(raw)
        executable = PyGPU.checked.cudaGraphInstantiate(graph, 0)
        assert not a.get().any()
        PyGPU.checked.cudaGraphLaunch(executable, raw)
        PyGPU.checked.cudaStreamSynchronize(raw)
        assert (a.get() == 1).all()


@pytest.mark.gpus(3)
def test_the_current_stream_is_its_devices():
    """As in torch: arrays of another device use that device's own current stream."""
    a = PyGPU.zeros(1000)
    with PyGPU.device(1):
        b = PyGPU.zeros(1000)
    PyGPU.wait(a), PyGPU.wait(b)
    with streams[0], streams[1]:
        assert PyGPU.cudaGetDevice()[0] == 1
        with host.pause(streams[0]):
            b.set_async(ones)
            PyGPU.wait(b)
            a.set_async(ones)
            assert not PyGPU.ready(a)
        assert (PyGPU.wait(a).get() == 1).all() and (b.get() == 1).all()
        with PyGPU.device(2), host.pause(streams[1]):
            c = PyGPU.to_gpu(np.arange(10.0))
            assert c.device == 2 and (c[::-1].get() == np.arange(10.0)[::-1]).all()
            c.fill(4)
            assert (c.copy().get() == 4).all()
            memory = PyGPU.DeviceMemory(100)
            assert memory.device == 2
    assert (c.get() == 4).all() and PyGPU.cudaGetDevice()[0] == 0


def test_a_recorded_stream_of_another_device(release):
    use(release)
    there = PyGPU.pagelocked_zeros(1000, "u1")
    for spelled in spellings:
        for make in (lambda: PyGPU.zeros(1000, "u1"), lambda: PyGPU.DeviceMemory(1000)):
            memory = make()
            address = int(memory.ptr if hasattr(memory, "ptr") else memory)
            with host.pause(streams[-1]):
                assert not PyGPU.cudaMemcpyAsync(there, address, 1000, 4, streams[-1])
                memory.record_stream(spelled(streams[-1]))
                assert not PyGPU.cudaMemsetAsync(int(PyGPU.DeviceMemory(8)), 0, 8, 0)
                before = PyGPU.memory_info().used
                del memory
                # A GPU's pool doesn't count memory whose free is queued.
                assert not on_host or PyGPU.memory_info().used == before
            assert not PyGPU.cudaStreamSynchronize(streams[-1])
            assert not PyGPU.cudaDeviceSynchronize()
            assert not on_host or PyGPU.memory_info().used == before - 1000
    a = PyGPU.to_gpu(np.arange(1000.0))
    a.record_stream(spelled(streams[-1]))
    assert (a.get() == np.arange(1000.0)).all()
    a.set(np.zeros(1000))
    a.fill(3)
    assert (a[::3].get() == 3).all()
    a.get_async(streams[0])
    assert (PyGPU.wait(a).get() == 3).all()
    del a
    PyGPU.trim_memory()
    assert PyGPU.memory_info().used == 0


def test_streams_and_events_know_their_device(release):
    use(release)
    for device, stream in enumerate(streams):
        for spelled in spellings:
            same = PyGPU.Stream.of(spelled(stream))
            assert same.device == device and same == stream
            with same:
                assert PyGPU.cudaGetDevice()[0] == device
            event = PyGPU.Event().record(spelled(stream))
            event.synchronize()
            assert f"device {device}" in repr(event)
            streams[0].wait(Other(stream))
    assert PyGPU.Stream.of(0).device == 0
    with PyGPU.device(1):
        assert PyGPU.Stream.of(0).device == PyGPU.Stream.of(None).device == 1
    event = PyGPU.Event().record(streams[0])
    with pytest.raises(PyGPU.GPUError, match=r"device 0.*device 1|device 1.*device 0"):
        event.record(streams[1])
    assert not PyGPU.cudaGetLastError()


def test_a_copy_between_devices_comes_before_later_work_on_its_source():
    """cudaMemcpyPeer's order: a named stream overwrote the source while it was still being read."""
    count = 1 << 23
    ones = PyGPU.pagelocked_zeros(count, "i4")
    ones[:] = 1
    with PyGPU.device(0):
        source, stream = PyGPU.zeros(count, "i4"), PyGPU.Stream()
    with PyGPU.device(1):
        target = PyGPU.zeros(count, "i4")
    for _ in range(5):
        source.fill(0)
        target[...] = source
        source.set_async(ones, stream)
        assert not target.get().any()
        assert source.get().all()
