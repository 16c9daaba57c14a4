"""PyGPU gives back memory that it keeps before an allocation fails. Freed pieces are joined."""

from __future__ import annotations

import numpy as np
import pytest

import PyGPU
from tests.own_interpreter import IN_CHILD, own_interpreter

pytestmark = own_interpreter("short_of_memory")

gpu = PyGPU.checked
MiB = 1 << 20
ALL = 63 * MiB  # all except what the runtime and PyGPU need

if IN_CHILD:
    PyGPU.to_gpu(np.zeros(3))


@pytest.fixture
def short_of_memory(program):
    return program.having(PYGPU_HOST_DEVICES="1", PYGPU_HOST_MEMORY="64MiB")


def arrays(count, size, **options):
    return [PyGPU.empty(size, "u1", **options) for _ in range(count)]


def test_pieces_are_joined():
    for size in (10, 20, 30):
        held = arrays(60 // size, size * MiB)
        held.clear()
    assert PyGPU.empty(ALL, "u1").nbytes == ALL


def test_small_pieces_that_are_kept_go_back():
    arrays(40, MiB // 2).clear()
    arrays(64, 1000).clear()
    assert PyGPU.empty(ALL, "u1").nbytes == ALL


def test_deferred_pieces_go_back():
    held = arrays(6, 10 * MiB)
    assert all(array.ptr for array in held)
    held.clear()
    assert PyGPU.memory_info().deferred == 60 * MiB
    assert PyGPU.empty(ALL, "u1").nbytes == ALL
    assert PyGPU.memory_info().deferred == 0


def test_managed_memory_gets_what_was_kept():
    arrays(6, 10 * MiB).clear()
    arrays(15, MiB).clear()
    held = arrays(6, 10 * MiB)
    assert all(array.ptr for array in held)
    held.clear()
    assert PyGPU.HostMemory(ALL, managed=True).size == ALL


def test_a_copy_gets_what_was_kept():
    """The copy needs temporary memory on the device, as the rows are too narrow for the bus."""
    whole = np.arange(8 * MiB, dtype="u1").reshape(-1, 32)
    array = PyGPU.to_gpu(whole)
    held = arrays(9, 6 * MiB)  # once deferred, they leave too little memory
    assert all(one.ptr for one in held)
    held.clear()
    assert (array[:, ::2].get() == whole[:, ::2]).all()
    array[:, 1::2] = whole[:, ::2]
    assert (array[:, 1::2].get() == whole[:, ::2]).all()


def test_other_streams_pieces_go_back():
    stream = PyGPU.Stream(non_blocking=True)
    held = arrays(6, 10 * MiB, stream=stream)
    for array in held:
        array.fill(1, stream)
    held.clear()
    del array
    assert PyGPU.empty(ALL, "u1").nbytes == ALL


def test_garbage_in_cycles_goes_back():
    """PyGPU collects garbage before it reports that memory is out."""

    class Owner:
        def __init__(self):
            self.me, self.array = self, PyGPU.empty(20 * MiB, "u1")

    for _ in range(6):
        Owner()
