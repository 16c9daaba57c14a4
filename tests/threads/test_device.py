"""`with PyGPU.device()`: what it makes current, in each thread and at each nesting."""

from __future__ import annotations

import threading

import PyGPU
from tests.own_interpreter import own_interpreter


def in_a_thread(function):
    """What a function returns in a thread of its own."""
    answers = []
    thread = threading.Thread(target=lambda: answers.append(function()))
    thread.start()
    thread.join()
    return answers[0]


def allocated():
    """The status of a call of the driver's, which needs a current context."""
    pointer, status = PyGPU.cuMemAlloc(16)
    assert status or not PyGPU.cuMemFree(pointer)
    return status


@own_interpreter("on_host", PYGPU_HOST_DEVICES="2")
def test_a_block_makes_a_context_current_on_a_new_thread():
    """The runtime tells device 0 there, too. Asked of an H200: cuMemAlloc gives 201 without."""
    PyGPU.checked.cuInit(0)
    PyGPU.checked.cudaFree(None)
    stream = PyGPU.Stream()

    def inside(block):
        with block:
            return allocated()

    assert in_a_thread(allocated) == 201
    for block in (PyGPU.device(0), PyGPU.device(1), stream):
        assert in_a_thread(lambda block=block: inside(block)) == 0


@own_interpreter("on_host", PYGPU_HOST_DEVICES="2")
def test_one_object_serves_several_threads_and_nestings():
    """Each restores what was current in its own thread, at its own depth."""
    zero, one = PyGPU.device(0), PyGPU.device(1)
    entered, left = threading.Event(), threading.Event()

    def other():
        PyGPU.cudaSetDevice(1)
        with zero:
            entered.set()
            assert left.wait(10)
            inside = PyGPU.cudaGetDevice()[0]
        return inside, PyGPU.cudaGetDevice()[0]

    answers = []
    thread = threading.Thread(target=lambda: answers.append(other()))
    with zero:
        thread.start()
        assert entered.wait(10)
        with one, zero, one:
            assert PyGPU.cudaGetDevice()[0] == 1
        assert PyGPU.cudaGetDevice()[0] == 0
    assert PyGPU.cudaGetDevice()[0] == 0
    left.set()
    thread.join()
    assert answers == [(0, 1)]
