"""PyCUDA's memory pools, over the one that PyGPU has for each device."""

from __future__ import annotations

import itertools
import weakref
from typing import Any

from PyGPU import gpuarray
from PyGPU._pycuda.host_memory import Array, pagelocked_empty
from PyGPU._pycuda.memory import mem_alloc

_BITS = 4  # leading bits of a size that choose its bin, in PyCUDA


class _Pool:
    """Counts what a pool gave out and what came back, as PyCUDA's pools do.

    A block is held from when it is freed until one of the same bin is allocated. The memory itself
    goes back to PyGPU's pool, which may use it for something else meanwhile.
    """

    def __init__(self) -> None:
        self._active: dict[int, dict[int, tuple[weakref.ref[Any], int]]] = {}  # by bin and number
        self._held: dict[int, list[None]] = {}  # only lists change in one step, whoever interrupts
        self._numbers = itertools.count()
        self._holds = True

    def bin_number(self, size: int) -> int:
        """The bin of blocks of a size."""
        log = max(size.bit_length() - 1, 0)
        shift = log - _BITS
        leading = size >> shift if shift >= 0 else size << -shift
        return log << _BITS | leading & (1 << _BITS) - 1

    def alloc_size(self, bin: int) -> int:
        """The largest size of a bin, which is what one of its blocks counts as."""
        shift = (bin >> _BITS) - _BITS
        head = 1 << _BITS | bin & (1 << _BITS) - 1
        return (head + 1 << shift) - 1 if shift >= 0 else head >> -shift

    @property
    def active_blocks(self) -> int:
        """Blocks of this pool that are in use."""
        return sum(len(blocks) for blocks in self._blocks().values())

    @property
    def active_bytes(self) -> int:
        """Bytes of this pool that are in use, as they were asked for."""
        return sum(size for blocks in self._blocks().values() for _, size in blocks.values())

    @property
    def held_blocks(self) -> int:
        """Blocks that were freed, and would be given out again."""
        self._blocks()
        return sum(map(len, list(self._held.values())))

    @property
    def managed_bytes(self) -> int:
        """Bytes of blocks in use and held, with what their bins add."""
        blocks = [*self._blocks().items(), *list(self._held.items())]
        return sum(self.alloc_size(bin) * len(ones) for bin, ones in blocks)

    def free_held(self) -> None:
        """Give unused memory back to the driver. Waits for the device."""
        self._blocks()
        self._held.clear()
        gpuarray.trim_memory()

    def stop_holding(self) -> None:
        """free_held(), and count no freed block as held from now on."""
        self._holds = False
        self.free_held()

    def _count(self, allocation: Any, size: int) -> None:
        bin, number = self.bin_number(size), next(self._numbers)
        self._end_freed(bin)
        if held := self._held.get(bin):
            held.pop()
        ended = weakref.ref(allocation, lambda _: self._end(bin, number))
        self._active.setdefault(bin, {})[number] = ended, size

    def _end(self, bin: int, number: int) -> None:
        if self._active[bin].pop(number, None) and self._holds:
            self._held.setdefault(bin, []).append(None)

    def _end_freed(self, bin: int) -> None:
        """Notice calls of free(). The end of an allocation calls _end() by itself."""
        for number, (reference, _) in list(self._active.get(bin, {}).items()):
            allocation = reference()
            if allocation is not None and allocation.freed:
                self._end(bin, number)

    def _blocks(self) -> dict[int, dict[int, tuple[weakref.ref[Any], int]]]:
        for bin in list(self._active):
            self._end_freed(bin)
        return {bin: dict(blocks) for bin, blocks in list(self._active.items())}


class DeviceMemoryPool(_Pool):
    """PyGPU's pool of the current device, under PyCUDA's names. It counts its own blocks."""

    def allocate(self, size: int) -> gpuarray.DeviceMemory:
        """Memory of the current device."""
        memory = mem_alloc(size)
        self._count(memory, size)
        return memory

    __call__ = allocate

    def stop_holding(self) -> None:
        """Keep no freed memory from now on, of any pool of this device."""
        gpuarray.set_pool_threshold(0)
        super().stop_holding()


class PageLockedAllocator:
    """Allocates page-locked memory. `flags` (host_alloc_flags) change nothing."""

    def __init__(self, flags: Any = 0) -> None:
        self.flags = flags


class PageLockedMemoryPool(_Pool):
    """PyGPU's page-locked memory under PyCUDA's names. It counts its own blocks."""

    def __init__(self, allocator: PageLockedAllocator | None = None) -> None:
        super().__init__()
        self.allocator = allocator or PageLockedAllocator()

    def allocate(self, shape: Any, dtype: Any, order: str = "C") -> Array:
        """A numpy array in page-locked memory."""
        array = pagelocked_empty(shape, dtype, order, self.allocator.flags)
        self._count(array.base, array.nbytes)
        return array
