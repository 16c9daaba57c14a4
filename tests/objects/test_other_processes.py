"""Memory of PyGPU.MemoryPool and PyGPU.VirtualMemory that another process works on."""

from __future__ import annotations

import os
from multiprocessing import reduction

import numpy as np
import pytest

import PyGPU
from tests.ipc.processes import another, answer
from tests.objects.kernels import COUNT
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_devices")
SIZE = 4 * COUNT


def doubles_pool_memory(connection):
    """Takes a pool and a piece of it, and doubles what is there."""
    pool = PyGPU.MemoryPool.import_pool(descriptor := reduction.recv_handle(connection))
    os.close(descriptor)
    with pool.import_memory(answer(connection), SIZE) as memory:
        doubled(PyGPU.GPUArray(COUNT, np.int32, gpudata=memory))
        stream = PyGPU.Stream()
        PyGPU.checked.cudaStreamBeginCapture(stream, PyGPU.cudaStreamCaptureModeGlobal)
    PyGPU.checked.cudaStreamEndCapture(stream)  # the memory's end didn't break it
    connection.send("done")


def doubles_virtual_memory(connection):
    """Takes pieces as they come, and doubles what is in the last."""
    memory = PyGPU.VirtualMemory.import_memory([], reserve=1 << 24)
    for size in iter(connection.recv, 0):
        descriptor = reduction.recv_handle(connection)
        begin = memory.size
        memory.import_more([(descriptor, size)])
        os.close(descriptor)
        doubled(memory.array(COUNT, np.int32, offset=begin))
        connection.send(memory.size)


def doubled(array):
    array.set(2 * array.get())
    PyGPU.Device().synchronize()


def shared(make):
    try:
        return make()
    except PyGPU.GPUError as error:
        if "NotSupported" not in str(error) and "NOT_SUPPORTED" not in str(error):
            raise
        pytest.skip("this device shares no such memory")


def test_a_pool():
    pool = shared(lambda: PyGPU.MemoryPool(ipc=True))
    memory = pool.allocate(SIZE)
    array = PyGPU.GPUArray(COUNT, np.int32, gpudata=memory).fill(21)
    PyGPU.Device().synchronize()
    with another(doubles_pool_memory) as connection:
        descriptor = pool.export()
        reduction.send_handle(connection, descriptor, None)
        os.close(descriptor)
        connection.send(pool.export_memory(memory))
        assert answer(connection) == "done"
    assert array.get().tolist() == [42] * COUNT


def test_memory_that_grows():
    memory = shared(lambda: PyGPU.VirtualMemory(1 << 24, ipc=True))
    with another(doubles_virtual_memory) as connection:
        for number in range(1, 4):
            begin = memory.size
            memory.grow(begin + 1)
            array = memory.array(COUNT, np.int32, offset=begin).fill(number)
            PyGPU.Device().synchronize()
            *earlier, (descriptor, size) = memory.export()
            connection.send(size)
            reduction.send_handle(connection, descriptor, None)
            for one in (*(one for one, _ in earlier), descriptor):
                os.close(one)
            assert answer(connection) == memory.size
            assert array.get().tolist() == [2 * number] * COUNT
        connection.send(0)
