"""PyCUDA's memory pools, over the one that PyGPU has for each device."""

from __future__ import annotations

from typing import Any

from PyGPU import gpuarray
from PyGPU._pycuda.host_memory import Array, pagelocked_empty
from PyGPU._pycuda.memory import mem_alloc

_UNCOUNTED = (
    "PyGPU's pool is the driver's and counts bytes: active_bytes, managed_bytes, and "
    "PyGPU.memory_info()"
)


class _Pool:
    def __getattr__(self, name: str) -> int:
        why = f": {_UNCOUNTED}" if name in ("held_blocks", "active_blocks") else ""
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}{why}")


class DeviceMemoryPool(_Pool):
    """PyGPU's pool of the current device, under PyCUDA's names. All pools are the same one."""

    def allocate(self, size: int) -> gpuarray.DeviceMemory:
        """Memory of the current device."""
        return mem_alloc(size)

    __call__ = allocate

    @property
    def active_bytes(self) -> int:
        """Bytes in use, by whatever PyGPU allocated."""
        return gpuarray.memory_info().used

    @property
    def managed_bytes(self) -> int:
        """Bytes in use, and freed bytes that the pool keeps for later."""
        found = gpuarray.memory_info()
        return found.used + found.pooled

    def free_held(self) -> None:
        """Give unused memory back to the driver. Waits for the device."""
        gpuarray.trim_memory()

    def stop_holding(self) -> None:
        """Keep no freed memory from now on."""
        gpuarray.set_pool_threshold(0)
        gpuarray.trim_memory()


class PageLockedAllocator:
    """Allocates page-locked memory. `flags` (host_alloc_flags) change nothing."""

    def __init__(self, flags: Any = 0) -> None:
        self.flags = flags


class PageLockedMemoryPool(_Pool):
    """PyGPU's page-locked memory under PyCUDA's names. All pools are the same one."""

    def __init__(self, allocator: PageLockedAllocator | None = None) -> None:
        self.allocator = allocator or PageLockedAllocator()

    def allocate(self, shape: Any, dtype: Any, order: str = "C") -> Array:
        """A numpy array in page-locked memory."""
        return pagelocked_empty(shape, dtype, order, self.allocator.flags)

    def free_held(self) -> None:
        """Give unused memory back to the driver. Waits for the device."""
        gpuarray.trim_memory()

    stop_holding = free_held
