"""What test_short_memory.py runs: `python short.py NAME`, on a host device of 64 MiB."""

from __future__ import annotations

import sys

import numpy as np

import PyGPU

gpu = PyGPU.checked
MiB = 1 << 20
ALL = 63 * MiB  # but for what the runtime and PyGPU need


def arrays(count, size, **options):
    return [PyGPU.empty(size, "u1", **options) for _ in range(count)]


def pieces_are_joined():
    for size in (10, 20, 30):
        held = arrays(60 // size, size * MiB)
        held.clear()
    assert PyGPU.empty(ALL, "u1").nbytes == ALL


def small_pieces_that_are_kept_go_back():
    arrays(40, MiB // 2).clear()
    arrays(64, 1000).clear()
    assert PyGPU.empty(ALL, "u1").nbytes == ALL


def parked_pieces_go_back():
    held = arrays(6, 10 * MiB)
    assert all(array.ptr for array in held)
    held.clear()
    assert PyGPU.memory_info().parked == 60 * MiB
    assert PyGPU.empty(ALL, "u1").nbytes == ALL
    assert PyGPU.memory_info().parked == 0


def managed_memory_gets_what_was_kept():
    arrays(6, 10 * MiB).clear()
    arrays(15, MiB).clear()
    held = arrays(6, 10 * MiB)
    assert all(array.ptr for array in held)
    held.clear()
    assert PyGPU.HostMemory(ALL, managed=True).size == ALL


def a_copy_gets_what_was_kept():
    """Its temporary memory on the device, where rows are too narrow for the bus."""
    whole = np.arange(8 * MiB, dtype="u1").reshape(-1, 32)
    array = PyGPU.to_gpu(whole)
    held = arrays(9, 6 * MiB)  # parked, they leave too little
    assert all(one.ptr for one in held)
    held.clear()
    assert (array[:, ::2].get() == whole[:, ::2]).all()
    array[:, 1::2] = whole[:, ::2]
    assert (array[:, 1::2].get() == whole[:, ::2]).all()


def other_streams_pieces_go_back():
    stream = PyGPU.Stream(non_blocking=True)
    held = arrays(6, 10 * MiB, stream=stream)
    for array in held:
        array.fill(1, stream)
    held.clear()
    del array
    assert PyGPU.empty(ALL, "u1").nbytes == ALL


def garbage_in_cycles_goes_back():
    """A collection comes before memory is said to be out."""

    class Owner:
        def __init__(self):
            self.me, self.array = self, PyGPU.empty(20 * MiB, "u1")

    for _ in range(6):
        Owner()


PyGPU.to_gpu(np.zeros(3))
globals()[sys.argv[1]]()
