"""Stream.call(): functions that streams call in order, while no thread of C waits for the GIL."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import threading

import pytest

import PyGPU
from PyGPU._arrays.base import finish_calls
from tests.own_interpreter import own_interpreter

own = own_interpreter("on_devices")
PATIENCE = 60


@own
def test_calls_come_in_order_and_with_their_arguments():
    stream, out = PyGPU.Stream(), []
    for number in range(500):
        stream.call(out.append, number, wait=number % 3 == 0)
    stream.synchronize()
    finish_calls()
    waited = [one for one in out if one % 3 == 0]
    queued = [one for one in out if one % 3]
    assert waited == list(range(0, 500, 3)), "the stream waits for these"
    assert queued == sorted(queued)
    assert sorted(out) == list(range(500))


@own
def test_the_stream_goes_on():
    stream, may_end = PyGPU.Stream(), threading.Event()
    stream.call(may_end.wait, PATIENCE, wait=False)
    stream.synchronize()
    may_end.set()


def hold_the_gil_and_wait(stream: PyGPU.Stream) -> None:
    """As a binding does that doesn't give up the GIL."""
    name = "cudaStreamSynchronize"
    wait = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(PyGPU.cuda.address(name))
    assert wait(stream.handle) == 0


@own
def test_threads_that_hold_the_gil_in_calls_do_not_hang():
    counts = [0] * 8

    def work(at: int) -> None:
        stream = PyGPU.Stream(non_blocking=True)

        def count() -> None:
            counts[at] += 1

        for _ in range(20):
            for _ in range(50):
                stream.call(count, wait=False)
            hold_the_gil_and_wait(stream)

    threads = [threading.Thread(target=work, args=(at,)) for at in range(len(counts))]
    [one.start() for one in threads], [one.join() for one in threads]
    finish_calls()
    assert counts == [1000] * len(counts)


@own
def test_an_exception_is_reported_and_the_next_call_made():
    stream, out, reported = PyGPU.Stream(), [], []
    sys.unraisablehook = lambda report: reported.append(report.exc_type)
    stream.call(divmod, 1, 0, wait=False)
    stream.call(out.append, 1, wait=False)
    stream.synchronize()
    finish_calls()
    assert reported == [ZeroDivisionError]
    assert out == [1]


@own
def test_in_a_graph():
    """Each launch calls it, also if the graph ends before the call is made."""
    stream, out, may_go = PyGPU.Stream(), [], threading.Event()
    with stream.capture() as graph:
        stream.call(out.append, 1, wait=False)
    stream.call(may_go.wait, PATIENCE, wait=False)
    for _ in range(3):
        graph.launch(stream)
    stream.synchronize()
    graph.close()
    del graph
    gc.collect()
    PyGPU.Graph().close()
    may_go.set()
    finish_calls()
    assert out == [1] * 3


def at_the_end() -> None:
    stream = PyGPU.Stream()
    for number in range(100):
        stream.call(sys.stdout.write, f"{number} ", wait=False)
    stream.synchronize()  # it has reached them all


def in_the_midst() -> None:
    """Threads still make calls while the interpreter ends."""
    stream = PyGPU.Stream()

    def work() -> None:
        while True:
            stream.call(int, wait=False)

    for _ in range(4):
        threading.Thread(target=work, daemon=True).start()
    stream.call(int)
    stream.synchronize()


@own
def test_wrong_arguments():
    stream = PyGPU.Stream()
    with pytest.raises(TypeError, match=r"parameter 'function' can't be called: 3"):
        stream.call(3)
    with pytest.raises(TypeError):
        stream.call()


def with_a_child() -> None:
    """A child has none of the calls that its parent makes, and waits for none at its end."""
    stream, may_end = PyGPU.Stream(), threading.Event()
    stream.call(may_end.wait, PATIENCE, wait=False)
    stream.synchronize()
    child = os.fork()
    if child:
        assert os.waitpid(child, 0)[1] == 0
        may_end.set()


def test_a_child_of_a_fork_ends(on_devices):
    on_devices(with_a_child)


def test_the_end_of_the_program_makes_the_calls(on_devices):
    assert on_devices(at_the_end).stdout.split() == [str(number) for number in range(100)]


def test_a_program_ends_in_the_midst_of_calls(on_devices):
    for _ in range(3):
        on_devices(in_the_midst)
