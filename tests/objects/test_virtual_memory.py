"""PyGPU.VirtualMemory: growing without a copy, limits, other processes, and the end."""

from __future__ import annotations

import os

import numpy as np
import pytest

import PyGPU
from tests.objects.kernels import COUNT, kernel
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_devices")
MIB = 1 << 20


def test_growing_keeps_data_and_addresses():
    with PyGPU.VirtualMemory(1 << 34, MIB) as memory:
        first = memory.array(COUNT, np.float32)
        first.fill(2)
        before, size = int(memory), memory.size
        memory.grow(size + 1)
        memory.grow(1)  # never shrinks
        assert memory.size == 2 * size >= 2 * memory.granularity
        whole = memory.array(memory.size // 4, np.float32)
        assert int(memory) == before == whole.ptr
        whole[COUNT:] = 1
        kernel("add")(whole, 3, grid=1, block=COUNT)
        assert first.get().tolist() == [5] * COUNT
        assert whole.get().sum() == 5 * COUNT + memory.size // 4 - COUNT


def test_arrays_lie_within_it():
    memory = PyGPU.VirtualMemory(8 * MIB, MIB)
    array = memory.array((3, 4), "f8", offset=64, order="F")
    assert (array.ptr, array.strides) == (int(memory) + 64, (8, 24))
    for shape, offset in ((memory.size, 0), (1, memory.size), (1, -8), (-1, 0), (1, 4)):
        with pytest.raises(ValueError, match=r"does not fit|no multiple"):
            memory.array(shape, "f8", offset=offset)
    assert memory.array(0, "f8", offset=memory.size).size == 0


def test_no_growth_beyond_what_was_reserved():
    memory = PyGPU.VirtualMemory(MIB)
    assert memory.size == 0
    assert memory.reserved == memory.granularity
    with pytest.raises(ValueError, match="reserved"):
        memory.grow(memory.reserved + 1)
    with pytest.raises(ValueError, match="fit"):
        memory.array(1)
    for reserve, size in ((0, 0), (MIB, 2 * MIB), (MIB, -1), (-1, 0)):
        with pytest.raises(ValueError, match="sizes"):
            PyGPU.VirtualMemory(reserve, size)
    with pytest.raises(TypeError):
        PyGPU.VirtualMemory(1.5)


def test_too_much_is_a_memory_error_and_changes_nothing():
    more = 2 * PyGPU.checked.cudaMemGetInfo()[1]
    memory = PyGPU.VirtualMemory(more, MIB)
    array = memory.array(4, np.float32).fill(1)
    with pytest.raises(MemoryError):
        memory.grow(more)
    assert memory.size == memory.granularity
    assert array.get().tolist() == [1] * 4


def test_arrays_outlive_it_but_not_its_close():
    memory = PyGPU.VirtualMemory(MIB, MIB)
    array = memory.array(4, np.float32).fill(1)
    del memory
    assert array.get().tolist() == [1] * 4
    memory = PyGPU.VirtualMemory(MIB, MIB)
    array = memory.array(4, np.float32).fill(1)
    memory.close()
    memory.close()
    assert memory.freed
    assert "closed" in repr(memory)
    for use in (array.get, lambda: memory.grow(1), lambda: int(memory), lambda: memory.array(1)):
        with pytest.raises(ValueError, match=r"freed|closed"):
            use()


@own_interpreter("on_host")
def test_its_end_gives_everything_back():
    from PyGPU import host

    host.leaks()
    memory = PyGPU.VirtualMemory(16 * MIB, MIB)
    memory.grow(8 * MIB)
    array = memory.array(4, np.float32).fill(1)
    assert "cuMemMap" in host.leaks()
    memory.close()
    assert "cuMem" not in host.leaks()
    memory = PyGPU.VirtualMemory(16 * MIB, MIB)
    array = memory.array(4, np.float32).fill(1)
    del memory, array
    PyGPU.Device().synchronize()
    assert "cuMem" not in host.leaks()


def test_the_memory_of_another_process():
    mine = PyGPU.VirtualMemory(8 * MIB, MIB, ipc=True)
    mine.array(4, np.int32).fill(7)
    mine.grow(mine.size + 1)
    pieces = mine.export()
    assert [size for _, size in pieces] == [mine.granularity] * 2
    other = PyGPU.VirtualMemory.import_memory(pieces, reserve=8 * MIB)
    for descriptor, _ in pieces:
        os.close(descriptor)
    assert int(other) != int(mine)
    assert other.size == mine.size
    array = other.array(4, np.int32)
    assert array.get().tolist() == [7] * 4
    array.fill(8)
    PyGPU.Device().synchronize()
    assert mine.array(4, np.int32).get().tolist() == [8] * 4
    with pytest.raises(PyGPU.GPUError):
        PyGPU.VirtualMemory(MIB, MIB).export()  # it wasn't made for that


@own_interpreter("on_host", PYGPU_HOST_DEVICES="2")
def test_another_device_is_allowed_what_comes_later_too():
    memory = PyGPU.VirtualMemory(8 * MIB, MIB, device=PyGPU.Device(1))
    array = memory.array(4, np.float32)
    assert (array.device, memory.device_id, PyGPU.Device().device_id) == (1, 1, 0)
    ask, where = PyGPU.checked.cuMemGetAccess, {"type": 1, "id": 0}
    memory.allow(0, write=False)
    memory.grow(memory.size + 1)
    assert ask(where, int(memory)) == ask(where, int(memory) + memory.granularity) == 1
    memory.forbid(0)
    assert ask(where, int(memory)) == 0
