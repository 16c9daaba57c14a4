"""Fork, exit and threads: what the host runtime does there."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from dataclasses import replace

import numpy as np
import pytest

import PyGPU
from PyGPU import host
from tests.own_interpreter import AT_EXIT, own_interpreter


@pytest.fixture
def on_quiet_host(on_host):
    """Any output on stderr fails the test."""
    return replace(on_host, clean=True)


@own_interpreter("on_host")
def test_a_forked_child_gets_clear_errors():
    PyGPU.check(PyGPU.cudaMalloc(64))
    child = os.fork()
    if not child:
        codes = (
            int(PyGPU.cudaMalloc(64)[1]),
            int(PyGPU.cudaGetDeviceCount()[1]),
            int(PyGPU.cudaDeviceSynchronize()),
            int(PyGPU.cudaStreamCreate()[1]),
        )
        os._exit(0 if codes == (3, 3, 3, 3) else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert int(PyGPU.cudaDeviceSynchronize()) == 0


@own_interpreter("on_host")
def test_fork_before_the_first_call_is_fine():
    assert int(PyGPU.cudaRuntimeGetVersion()[1]) == 0
    child = os.fork()
    if not child:
        os._exit(int(PyGPU.cudaMalloc(64)[1]))
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("how", ["end", "exit", "paused"])
@own_interpreter("on_quiet_host")
def test_exit_with_work_in_flight(how):
    stream = PyGPU.cudaStream_t()
    p = PyGPU.check(PyGPU.cudaMalloc(64 << 20))
    pinned = PyGPU.check(PyGPU.cudaMallocHost(64 << 20))
    AT_EXIT.extend([stream, host.pause(stream) if how == "paused" else None])
    for _ in range(16):
        PyGPU.check(PyGPU.cudaMemcpyAsync(p, pinned, 64 << 20, 1, stream))
    threading.Thread(target=PyGPU.cudaStreamSynchronize, args=(stream,), daemon=True).start()
    if how == "exit":
        sys.exit(0)


@pytest.mark.parametrize("strict", [False, True])
@own_interpreter("on_quiet_host", prints="")
def test_exit_while_a_host_function_runs_and_others_wait(strict):
    """One function never ends, one waits behind it, and many on other streams want the GIL."""
    host.strict(strict)
    gpu, stream, begun = PyGPU.checked, PyGPU.cudaStream_t(), threading.Event()
    gpu.cudaLaunchHostFunc(stream, lambda _: (begun.set(), threading.Event().wait()), None)
    gpu.cudaLaunchHostFunc(stream, print, "never")
    begun.wait()
    others, count = [PyGPU.cudaStream_t(flags=1) for _ in range(4)], []
    AT_EXIT.extend([stream, others, count])
    for number in range(400):
        gpu.cudaLaunchHostFunc(others[number % 4], count.append, number)
    threading.Thread(target=PyGPU.cudaStreamSynchronize, args=(stream,), daemon=True).start()


@own_interpreter("on_host")
def test_eight_threads_share_streams():
    gpu, shared, problems = PyGPU.checked, PyGPU.cudaStream_t(), []

    def work(number):
        try:
            own = PyGPU.cudaStream_t(flags=number % 2)
            sent = np.full(5000, number, np.int32)
            for turn in range(50):
                p = gpu.cudaMalloc(sent.nbytes)
                stream = (own, shared, None)[turn % 3]
                back = np.zeros_like(sent)
                gpu.cudaMemcpyAsync(p, sent, sent.nbytes, 1, stream)
                gpu.cudaMemcpyAsync(back, p, sent.nbytes, 2, stream)
                gpu.cudaStreamSynchronize(stream)
                assert (back == number).all()
                gpu.cudaFree(p)
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert not problems, problems


@own_interpreter("on_host")
def test_a_callback_may_take_the_gil():
    called = []
    created = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda data: called.append(data))
    address = ctypes.cast(created, ctypes.c_void_p).value
    streams = [PyGPU.cudaStream_t(), None, PyGPU.cudaStream_t(flags=1)]
    for number in range(1, 301):
        PyGPU.check(PyGPU.cudaLaunchHostFunc(streams[number % 3], address, number))
    PyGPU.check(PyGPU.cudaDeviceSynchronize())
    assert sorted(called) == list(range(1, 301))
    assert [n for n in called if n % 3 == 0] == list(range(3, 301, 3))


@own_interpreter("on_host", PYGPU_PER_THREAD_DEFAULT_STREAM="1")
def test_the_per_thread_default_stream():
    p, q = PyGPU.check(PyGPU.cudaMalloc(64)), PyGPU.check(PyGPU.cudaMalloc(64))
    paused = host.pause(2)
    PyGPU.check(PyGPU.cudaMemsetAsync(p, 1, 64, 0))
    assert int(PyGPU.cudaStreamQuery(0)) == 600
    answers = []

    def other():
        PyGPU.check(PyGPU.cudaMemsetAsync(q, 1, 64, 0))
        answers.append(int(PyGPU.cudaStreamSynchronize(0)))

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert answers == [0]
    paused.resume()
    assert int(PyGPU.cudaStreamSynchronize(0)) == 0
