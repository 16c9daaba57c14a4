"""What calls wait for: never a reused event, never a stream known by its address alone.

A call that a full stream makes wait releases the interpreter's lock, since Python code on the
device may be what makes room. Libraries in front of the host runtime imitate a card.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import threading
import weakref
from types import SimpleNamespace

import numpy as np
import pytest

import PyGPU
from PyGPU import host
from tests.own_interpreter import IN_CHILD, own_interpreter

gpu = PyGPU.checked

if IN_CHILD:
    front = ctypes.CDLL(os.environ["PYGPU_CUDA_LIBRARY"])
    PyGPU.to_gpu(np.zeros(3))
    stream, other = PyGPU.Stream(non_blocking=True), PyGPU.Stream(non_blocking=True)
    pinned, out = PyGPU.pagelocked_zeros(1000), PyGPU.pagelocked_zeros(1000)
    pinned += 5


class HeldIn:
    """A call on another thread that is held inside this runtime function."""

    def __init__(self, name, call, *args):
        front.hold(name)
        self.thread = threading.Thread(target=call, args=args)
        self.thread.start()
        assert front.wait_for_held()

    def until(self, name):  # goes on until it is held in this function
        front.hold(name)
        assert front.let_go() and front.wait_for_held()

    def end(self):
        assert front.let_go()
        self.thread.join()


@pytest.fixture
def held(behind):
    """An interpreter whose library `front` has hold() and let_go()."""
    return behind("held_calls.cpp")


@pytest.fixture
def reused(behind):
    return behind("reused_streams.cpp")


@own_interpreter("held")
def test_who_waits_for_a_copy_does_not_wait_for_what_its_event_marks_next():
    a, b = PyGPU.zeros(1000), PyGPU.zeros(1000)
    pinned = PyGPU.pagelocked_empty(1000)
    with host.pause(stream):
        out = a.get_async(stream)
        front.hold(b"cudaEventSynchronize")
        waiter = threading.Thread(target=PyGPU.wait, args=(out,))
        waiter.start()
        assert front.wait_for_held()
    stream.synchronize()
    PyGPU.to_gpu(np.zeros(3))  # releases what the copy kept, with its event
    with host.pause(other):
        b.set_async(pinned, other)  # takes the same event again
        assert front.let_go()
        waiter.join(20)
        assert not waiter.is_alive(), "it waits for the other stream"


@own_interpreter("held")
def test_a_fill_during_an_export_is_waited_for_by_the_next_export():
    """The first export waits for the upload, and doesn't forget what was queued meanwhile."""
    a, large = PyGPU.zeros(1000), PyGPU.zeros(32 << 10)
    with host.pause(0):
        a.set(np.arange(1000.0))  # the upload is not done yet
        front.hold(b"cudaEventSynchronize")
        first = threading.Thread(target=lambda: a.__cuda_array_interface__)
        first.start()
        assert front.wait_for_held()
    large.set(np.arange(32768.0))  # so that the fill has another event than the upload
    gpu.cudaStreamSynchronize(0)
    with host.pause(0):
        a.fill(5)
        assert front.let_go()
        first.join(20)
        assert not first.is_alive(), "it waits for the fill"
        front.hold(b"cudaEventSynchronize")
        second = threading.Thread(target=lambda: a.__cuda_array_interface__)
        second.start()
        waits = front.wait_for_held()
    assert not waits or front.let_go()
    second.join()
    assert waits, "the export didn't wait for the fill"


@own_interpreter("held")
def test_memory_is_trimmed_by_two_threads():
    """The second one destroys no event that the first one waits for."""
    a = PyGPU.zeros(1000)
    a.set(np.arange(1000.0))
    raised: list[BaseException] = []

    def trim():
        try:
            PyGPU.trim_memory()
        except BaseException as error:
            raised.append(error)

    front.hold(b"cudaEventSynchronize")
    first = threading.Thread(target=trim)
    first.start()
    assert front.wait_for_held()
    trim()
    assert front.let_go()
    first.join()
    assert not raised
    assert (PyGPU.to_gpu(np.arange(9)).get() == np.arange(9)).all()


@own_interpreter("held")
def test_who_waits_for_an_upload_does_not_wait_for_what_its_event_marks_next():
    a, b = PyGPU.zeros(1000), PyGPU.zeros(1000)
    pinned = PyGPU.pagelocked_empty(1000)
    with host.pause(0):
        a.set(np.arange(1000.0))  # the upload is not done yet
        front.hold(b"cudaEventSynchronize")
        waiter = threading.Thread(target=lambda: a.__cuda_array_interface__)
        waiter.start()
        assert front.wait_for_held()
    PyGPU.trim_memory()  # gives back the memory of small uploads
    with host.pause(other):
        b.set_async(pinned, other)
        assert front.let_go()
        waiter.join(20)
        assert not waiter.is_alive(), "it waits for the other stream"
    PyGPU.wait(b)
    assert (PyGPU.to_gpu(np.arange(9)).get() == np.arange(9)).all()


CALLS = {
    "an event on the memory's stream": ("EventRecord", lambda it: it.used.get_async(other)),
    "a stream that comes after it": ("StreamWaitEvent", lambda it: it.used.get_async(other)),
    "a stream after an upload": ("StreamWaitEvent", lambda it: it.fresh.get_async(stream)),
    "after what others did": ("EventRecord", lambda it: it.used.fill(1)),
    "a stream after another": ("EventRecord", lambda it: stream.wait(other)),
    "a stream after an event": ("StreamWaitEvent", lambda it: stream.wait(it.event)),
    "an event": ("EventRecord", lambda it: it.event.record(stream)),
    "a copy's own event": ("EventRecord", lambda it: it.mine.get_async(stream)),
    "a free after what others did": ("EventRecord", lambda it: delattr(it, "used")),
    "a free": ("FreeAsync", lambda it: delattr(it, "big")),
    "a stream's device": ("StreamGetDevice", lambda it: PyGPU.Stream.of(int(stream))),
    "its device by trial": ("EventRecord", lambda it: PyGPU.Stream.of(int(stream))),
}


@pytest.mark.parametrize("case", CALLS)
@own_interpreter("held")
def test_a_call_that_waits_lets_other_threads_go_on(case):
    function, call = CALLS[case]
    before_12_8 = host.fail("cudaStreamGetDevice", error=801, times=None)
    it = SimpleNamespace(fresh=PyGPU.zeros(9), used=PyGPU.zeros(9), event=PyGPU.Event().record())
    it.used.record_stream(stream)
    it.mine, it.big = PyGPU.zeros(9, stream=stream), PyGPU.empty(5 << 20, "u1")
    PyGPU.wait(it.mine)
    came = []
    helper = threading.Thread(target=lambda: came.append(front.wait_for_held() and front.let_go()))
    with host.pause(0), before_12_8 if "trial" in case else contextlib.nullcontext():
        it.fresh.set(np.ones(9))  # the upload is not done yet
        front.hold(f"cuda{function}".encode())
        helper.start()
        call(it)
    helper.join()
    assert came == [1], "nobody could run"


@own_interpreter("held")
def test_a_graph_that_is_closed_during_its_launch_ends_afterwards():
    array = PyGPU.zeros(9)
    with stream.capture() as graph:
        array.fill(1)
    graph.launch(stream)
    stream.synchronize()

    def launch():
        gpu.cudaFree(0)  # the driver's launch needs a context
        graph.launch(stream)

    launching = HeldIn(b"cuGraphLaunch", launch)
    closing = threading.Thread(target=graph.close)
    closing.start()
    closing.join()
    launching.end()
    assert front.destroyed_graphs() == 1
    assert not front.graph_destroyed_while_held()


@own_interpreter("held")
def test_a_reset_while_memory_is_trimmed_ends_what_was_to_be_freed():
    """After the reset its address may belong to anybody."""
    known = [PyGPU.DeviceMemory(64) for _ in range(3)]
    assert all(map(int, known))
    known.clear()
    # Held while kept memory is freed.
    trimming = HeldIn(b"cudaStreamIsCapturing", PyGPU.trim_memory)
    # Held while deferred memory is freed; the device was waited for.
    trimming.until(b"cudaStreamIsCapturing")
    gpu.cudaDeviceReset()
    trimming.end()  # a free after the reset would be reported as misuse
    assert PyGPU.memory_info().deferred == 0


@own_interpreter("reused")
def test_a_stream_at_the_address_of_a_destroyed_one_waits_for_the_memory():
    """No object has kept the former one, so nothing tells them apart but that it may be another."""
    home = PyGPU.Stream(non_blocking=True)
    with home:
        array = PyGPU.zeros(1000, "u1")
    home.synchronize()
    former = gpu.cudaStreamCreateWithFlags(1)
    go_on = threading.Event()
    gpu.cudaLaunchHostFunc(home, lambda _: go_on.wait(), None)
    with home:
        array.fill(7)
    array.get_async(int(former), out[:125].view("u1"))
    address = int(former)
    gpu.cudaStreamDestroy(former)
    new, found = PyGPU.Stream(non_blocking=True), []
    assert int(new) == address

    def get():
        with new:
            found.append(array.get())

    thread = threading.Thread(target=get)
    thread.start()
    thread.join(0.2)
    go_on.set()
    thread.join()
    assert np.unique(found[0]).tolist() == [7]


@own_interpreter("reused")
def test_a_copy_on_a_destroyed_stream_is_not_done_before_one_on_the_next():
    """Both streams have the same address."""

    class Memory(bytearray):  # takes weak references, which show when it is freed
        pass

    gate, out = threading.Event(), PyGPU.pagelocked_zeros(2000)
    a, b, memory = PyGPU.to_gpu(np.arange(1000.0)), PyGPU.zeros(1000), Memory(8000)
    source, gone = np.frombuffer(memory), weakref.ref(memory)
    old = PyGPU.cudaStream_t(flags=1)
    address = int(old)
    gpu.cudaLaunchHostFunc(old, lambda data: gate.wait(), None)
    b.set_async(source, address)
    a.get_async(address, out[:1000])
    gpu.cudaStreamDestroy(old)
    new = PyGPU.cudaStream_t(flags=1)
    assert int(new) == address
    a.get_async(new, out[1000:])
    gpu.cudaStreamSynchronize(new)
    assert not PyGPU.ready(out), "only the newer copy is done"
    del source, memory
    with host.fail("cudaEventQuery"):
        PyGPU.to_gpu(np.zeros(3))
    assert gone() is not None, "the older copy reads it still"
    gate.set()
    PyGPU.wait(out)
    assert (out == np.tile(np.arange(1000.0), 2)).all() and PyGPU.ready(out)
    PyGPU.to_gpu(np.zeros(3))
    gc.collect()
    assert gone() is None


@own_interpreter("held")
def test_a_synchronous_call_waits_for_what_was_queued_after_another_had_ordered():
    """Threads work on parts of one memory. Later calls wait for what any thread began."""
    a = PyGPU.zeros(1000)
    writer = HeldIn(b"cudaMemcpyAsync", a.set_async, pinned, stream)
    a.fill(1)  # comes after the stream's work, but the copy is not queued yet
    with host.pause(stream):
        writer.end()
        HeldIn(b"cudaStreamWaitEvent", a.fill, 7).end()
    stream.synchronize()
    assert (a.get() == 7).all()


WRITERS = {
    "an array's": (b"cudaMemcpyAsync", lambda a: a.set_async(pinned), 5),
    "a device array's": (b"cudaMemcpy", lambda a: a.device_array.to_device(), 0),
}


@pytest.mark.parametrize("case", WRITERS)
@own_interpreter("held")
def test_a_stream_comes_after_what_was_queued_after_it_was_ordered(case):
    function, write, written = WRITERS[case]
    a = PyGPU.ones(1000)
    writer = HeldIn(function, write, a)
    a.get_async(stream, out)
    with host.pause(0) as default:
        if not written:  # the write is done when it returns
            default.resume()
        writer.end()
        HeldIn(b"cudaStreamWaitEvent", a.get_async, stream, out).end()
    stream.synchronize()
    assert (out == written).all()


@own_interpreter("held")
def test_who_exports_memory_leaves_later_calls_in_order():
    third = PyGPU.Stream(non_blocking=True)
    with stream:
        a = PyGPU.zeros(1000)

    def fill():
        with third:
            a.fill(7)

    with host.pause(other):
        a.set_async(pinned, other)
        assert a.device_array.__cuda_array_interface__
        # The export named the memory's own stream, which has come after the others since then.
        HeldIn(b"cudaStreamWaitEvent", fill).end()
    other.synchronize()
    assert (a.get() == 7).all()
