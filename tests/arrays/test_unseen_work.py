"""A synchronous copy waits for work that PyGPU can't see, as cudaMemcpy does."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import PyGPU
from PyGPU import host
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_cuda")
gpu = PyGPU.checked
SIZE = 1 << 16


@pytest.fixture
def on_cuda(program, host_library):
    """The host runtime as CUDA's: other libraries' memory is taken there."""
    return program.having(PYGPU_BACKEND="cuda", PYGPU_CUDA_LIBRARY=str(host_library))


def memory():
    address = gpu.cudaMalloc(SIZE)
    gpu.cudaMemset(address, 0, SIZE)
    gpu.cudaDeviceSynchronize()
    return address


class Theirs:
    """Memory of a library whose work is on the default stream."""

    def __init__(self, address):
        self.__cuda_array_interface__ = {
            "shape": (SIZE,),
            "typestr": "|u1",
            "data": (int(address), False),
            "version": 3,
            "stream": 1,
        }


def lent(on):
    address = memory()
    return address, PyGPU.asarray(Theirs(address))


def foreign(on):
    address = memory()
    return address, PyGPU.GPUArray((SIZE,), "u1", gpudata=address)


def recorded(on):
    """PyGPU's own, whose address is known; later record_stream() says which streams use it."""
    array = PyGPU.zeros(SIZE, "u1")
    address = int(array.ptr)
    array.record_stream(on)
    return address, array


@pytest.mark.parametrize("made", [lent, foreign, recorded])
@pytest.mark.parametrize("gets_before", [0, 1])
def test_a_get_on_another_stream_waits_for_it(made, gets_before):
    on = PyGPU.Stream(non_blocking=True)
    address, array = made(on)
    found = []

    def get():
        with on:
            found.append(array.get())

    for _ in range(gets_before):
        get()
    go_on = threading.Event()
    gpu.cudaLaunchHostFunc(0, lambda _: go_on.wait(), None)
    gpu.cudaMemsetAsync(address, 7, SIZE, 0)  # PyGPU doesn't know what this writes
    thread = threading.Thread(target=get)
    thread.start()
    thread.join(0.2)
    go_on.set()
    thread.join()
    assert np.unique(found[-1]).tolist() == [7]


@pytest.mark.parametrize("step", [1, 3])
def test_an_upload_reads_what_earlier_work_of_its_stream_writes(step):
    """Also with threads that help, and with strided memory."""
    stream, count = PyGPU.Stream(non_blocking=True), 2 << 20
    source = PyGPU.full(count * step, 7, "u1")
    with stream:
        array = PyGPU.zeros(count, "u1")
    stream.synchronize()
    PyGPU._core.arrays._set_copies(forced="pieces", threads=4)
    held = host.pause(stream)
    filled = source.get_async(stream)

    def upload():
        with stream:
            array.set(filled[::step])

    thread = threading.Thread(target=upload)
    thread.start()
    thread.join(0.2)
    held.resume()
    thread.join()
    assert np.unique(array.get()).tolist() == [7]
