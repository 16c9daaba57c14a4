"""An array that grows without a copy: addresses are reserved once, memory is mapped when needed.

    python examples/virtual_memory_grows.py

A list of numbers grows to 64 times its first size. The program does that twice: by new arrays, into
which the old elements are copied, and by a PyGPU.VirtualMemory, where the array only gets longer.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

import PyGPU

STEPS, RESERVED = 6, 1 << 40


class Copied:
    """A list that moves into a larger array when it is full."""

    def __init__(self, size: int) -> None:
        self.array = PyGPU.empty(size, np.float32)

    def grow(self, size: int) -> PyGPU.GPUArray:
        larger = PyGPU.empty(size, np.float32)
        larger[: self.array.size] = self.array
        self.array = larger
        return larger


class Mapped:
    """A list that gets memory behind its last element."""

    def __init__(self, size: int) -> None:
        self.memory = PyGPU.VirtualMemory(RESERVED, 4 * size)
        self.array = self.memory.array(size, np.float32)

    def grow(self, size: int) -> PyGPU.GPUArray:
        self.memory.grow(4 * size)
        self.array = self.memory.array(size, np.float32)
        return self.array


def grown(how: str, kind: Callable[[int], Copied | Mapped], first: int) -> None:
    """Grow a list, fill what is new, and check all of it."""
    made = kind(first)
    made.array.fill(0)
    start, size = made.array.ptr, first
    begin = time.perf_counter()
    for step in range(1, STEPS + 1):
        made.grow(2 * size)[size:] = step
        size *= 2
    PyGPU.Device().synchronize()
    took = (time.perf_counter() - begin) * 1e3
    expected = np.repeat(np.arange(STEPS + 1), [first, *(first << one for one in range(STEPS))])
    if not (made.array.get() == expected).all():
        sys.exit(f"{how}: the elements aren't as they were written")
    stayed = "the same address" if made.array.ptr == start else "another address"
    print(f"{how}: {first} to {size} elements in {took:.1f} ms, at {stayed}")


def main() -> None:
    print(PyGPU.Device().name)
    with PyGPU.VirtualMemory(RESERVED) as memory:
        first = memory.granularity // 4
        print(f"{memory.reserved >> 30} GiB of addresses, memory by pieces of {4 * first} bytes")
    for how, kind in (("copied", Copied), ("mapped", Mapped)):
        grown(how, kind, first)


if __name__ == "__main__":
    main()
