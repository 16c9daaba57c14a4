"""The end of the interpreter doesn't wait for kernels that never end."""

from __future__ import annotations

import numpy as np
import pytest

import PyGPU
from tests.own_interpreter import AT_EXIT

TEXT = b""".version 8.0\n.target sm_80\n.address_size 64
.visible .entry k(.param .u64 p) { again: bra again; }"""


def loop():
    array, stream = PyGPU.to_gpu(np.zeros(4, np.int32)), PyGPU.Stream()
    module = PyGPU.Module(TEXT)
    module["k"](array, grid=1, block=32)
    module["k"](array, grid=1, block=32, stream=stream)
    AT_EXIT.append((array, module, stream))
    print("leaving")


def locked():
    return PyGPU.GPUArray(10, gpudata=PyGPU.HostMemory(80))


def managed():
    return PyGPU.GPUArray(10, gpudata=PyGPU.HostMemory(80, managed=True))


def address_read():
    array = locked()
    assert array.ptr
    return array


class Resource:
    def allocate(self, size):
        return PyGPU.checked.cudaMalloc(size)

    def deallocate(self, pointer, size):
        PyGPU.checked.cudaFree(pointer)


def of_a_resource():
    return PyGPU.empty(10, allocator=Resource())


def registered():
    memory = np.zeros(10)
    AT_EXIT.append(PyGPU.register(memory))
    return PyGPU.to_gpu(memory)


def loop_before_work_on(created):
    array, stream, module = created(), PyGPU.Stream(non_blocking=True), PyGPU.Module(TEXT)
    module["k"](array, grid=1, block=32, stream=stream)
    array.fill(0, stream)
    AT_EXIT.append((array, module, stream))
    print("leaving")


def test_a_program_ends_while_its_kernel_loops(on_host):
    assert on_host(loop).stdout == "leaving\n"


@pytest.mark.parametrize("created", [locked, managed, address_read, of_a_resource, registered])
def test_a_program_ends_although_its_memory_is_in_use(on_host, created):
    done = on_host(loop_before_work_on, created, PYGPU_HOST_LEAKS="1")
    assert done.stdout == "leaving\n"
