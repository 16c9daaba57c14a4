"""Eight threads share arrays, streams and their memory, on the host runtime.

`make sanitize` runs these tests again, with TSan in the module and in the host runtime.
"""

from __future__ import annotations

import gc
from dataclasses import replace

import numpy as np
import pytest

import PyGPU
from PyGPU._core import arrays
from tests.own_interpreter import own_interpreter
from tests.threads.at_once import at_once

pytestmark = own_interpreter("run")


def nothing_is_left():
    gc.collect()
    for device in range(3):
        with PyGPU.device(device):
            PyGPU.cudaDeviceSynchronize()
            PyGPU.to_gpu(np.zeros(1))
            PyGPU.trim_memory()
            assert PyGPU.memory_info().used == 0, device


@pytest.fixture
def run(run_on_host):
    """Three devices; nothing may be left at the end."""
    return replace(run_on_host.having(PYGPU_HOST_DEVICES="3"), last=nothing_is_left)


def test_each_thread_its_own():
    def work(number):
        with PyGPU.device(number % 3), PyGPU.Stream(non_blocking=number % 2) as stream:
            for turn in range(40):
                wanted = np.arange(600.0).reshape(20, 30) * turn
                a = PyGPU.to_gpu(wanted)
                assert (a[::-1, ::3].get() == wanted[::-1, ::3]).all()
                b = a.T.copy()
                b[2] = 5
                b[:, 1].fill(6)
                pinned = PyGPU.pagelocked_zeros((30, 20)) + turn
                c = PyGPU.to_gpu_async(pinned, stream=stream)
                out = c.get_async(stream)
                del c
                assert (PyGPU.wait(out) == turn).all()
                event = PyGPU.Event().record(stream)
                da = PyGPU.DeviceArray_float64(wanted.copy())
                assert da.allocate() == da.to_device() == da.to_host() == 0
                event.synchronize()
                cycle = [a, b]
                cycle.append(cycle)
                if not turn % 10:
                    gc.collect()
                    PyGPU.trim_memory()

    at_once(work)


def test_one_array_of_all():
    whole = PyGPU.to_gpu(np.arange(1000.0))
    pinned = PyGPU.pagelocked_zeros(1000) + 1

    def work(number):
        with PyGPU.device(number % 3):
            mine = PyGPU.Stream(non_blocking=True)
        for _ in range(40):
            out = whole.get_async(mine)
            whole.record_stream(mine)
            part = whole[number::8]
            assert (part.get() == np.arange(1000.0)[number::8]).all()
            assert (PyGPU.wait(out) == np.arange(1000.0)).all()
            there = PyGPU.empty(1000, stream=mine)
            there.set_async(pinned, mine)
            PyGPU.ready(there), PyGPU.ready(pinned), PyGPU.ready(whole)
            mine.wait(PyGPU.Event().record())
            assert whole.ptr and PyGPU.memory_info().used >= whole.nbytes
        PyGPU.wait(whole)

    at_once(work)


def test_addresses_escape_beside_copies():
    """Half of the threads ask for the addresses of arrays that the others copy into."""
    shared = [PyGPU.zeros(100) for _ in range(40)]
    events = [PyGPU.Event() for _ in range(40)]

    def work(number):
        for turn, (a, event) in enumerate(zip(shared, events, strict=True)):
            if number % 2:
                a.set(np.full(100, float(turn)))
                event.record()
                event.synchronize()
            else:
                assert a.ptr and a.__dlpack__()
                a.fill(turn)
                event.record()
            assert (a.get() == turn).all()

    at_once(work)


def test_what_one_makes_others_let_go_of():
    shared = []

    def work(number):
        for turn in range(60):
            with PyGPU.device(turn % 3):
                stream = PyGPU.Stream()
                a = PyGPU.zeros(100 + turn, stream=stream)
                b = PyGPU.pagelocked_zeros(100 + turn)
                a.set_async(b, stream)
                if turn % 4 == 0:
                    PyGPU.cudaMemcpy(b, a, 800, PyGPU.cudaMemcpyDeviceToHost)
                if turn % 5 == 0:
                    PyGPU.cudaStreamDestroy(stream)
            shared.append((a, b, stream, PyGPU.Event().record()))
            if turn % 3:
                taken = shared.pop(0)
                assert not taken[0].get().any()
                del taken
            if turn % 20 == number:
                gc.collect()
                PyGPU.trim_memory(device=number % 3)

    at_once(work)
    shared.clear()


def test_arrays_end_in_callbacks_beside_others():
    def work(number):
        stream = PyGPU.cudaStream_t(flags=1)
        for _ in range(30):
            kept = [PyGPU.to_gpu(np.zeros(50)), PyGPU.pagelocked_zeros(9), PyGPU.Stream()]
            assert not PyGPU.cudaLaunchHostFunc(stream, list.clear, kept)
            assert not PyGPU.ones(20).get().sum() - 20
        assert not PyGPU.cudaStreamSynchronize(stream) and not kept

    at_once(work)


def test_large_copies_share_the_threads_of_the_pool():
    """Each has its own staging ring.

    A thread that would have to wait for the others copies alone.
    """
    arrays._set_copies(forced="pieces", threads=7, piece=128 << 10)

    def work(number):
        size = (17 << 20 if number % 2 else 3 << 20) + number  # more or less than the ring holds
        values = np.random.default_rng(number).integers(0, 255, size, "u1")
        with PyGPU.Stream(non_blocking=number % 2):
            for _ in range(3):
                there = PyGPU.to_gpu(values)
                assert (there.get() == values).all()
                assert (there[::-2].get() == values[::-2]).all()

    at_once(work)
