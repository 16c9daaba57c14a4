"""PyCUDA's numpy arrays in page-locked, managed and aligned memory."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from PyGPU import gpuarray
from PyGPU._arrays.pinned import without_objects
from PyGPU._kernels import driver

Array = np.ndarray[Any, Any]


class HostPointer:
    """Host memory that devices can reach. It is the base of the numpy array on it."""

    def __init__(self, array: Array, owner: Any) -> None:
        self.__array_interface__ = array.__array_interface__
        self._array: Array | None = array
        self._owner = owner

    @property
    def freed(self) -> bool:
        """Whether free() gave the memory back."""
        return self._array is None

    def get_device_pointer(self) -> int:
        """The address that kernels use."""
        address: int = driver.call("cudaHostGetDevicePointer")(self._pointer(), 0)
        return address

    def _pointer(self) -> int:
        if self._array is None:
            raise ValueError("the memory was freed")
        return int(self._array.ctypes.data)


class PagelockedHostAllocation(HostPointer):
    """Page-locked memory."""

    def free(self) -> None:
        """Give the memory back now. Its arrays must not be used afterwards."""
        self._array = None
        self._owner.free()


class ManagedAllocation(HostPointer):
    """Managed memory. A kernel takes the array by its address."""

    def __int__(self) -> int:
        return self._pointer()

    def get_device_pointer(self) -> int:
        """The address that kernels use: that of the host."""
        return self._pointer()

    def attach(self, mem_flags: Any, stream: Any = None) -> None:
        """Say who uses the memory, by mem_attach_flags."""
        driver.call("cudaStreamAttachMemAsync")(stream, self._pointer(), 0, int(mem_flags))

    def free(self) -> None:
        """Give the memory back now. Its arrays must not be used afterwards."""
        self._array = None
        self._owner.free()


class RegisteredHostMemory(HostPointer):
    """Memory of another array. It is page-locked until unregister(), or while this is in use."""

    def __init__(self, array: Array, flags: int) -> None:
        super().__init__(array, gpuarray.register(array, flags))
        self.base = array

    def unregister(self) -> None:
        """End the page-lock."""
        self._owner.unregister()


def _on(allocation: HostPointer) -> Array:
    array: Array = np.asarray(allocation)
    return array


def pagelocked_empty(shape: Any, dtype: Any, order: str = "C", mem_flags: Any = 0) -> Array:
    """A numpy array in page-locked memory. `mem_flags` (host_alloc_flags) change nothing."""
    _flags("pagelocked_empty()", mem_flags, 7)
    array = gpuarray.pagelocked_empty(shape, dtype, order)
    return _on(PagelockedHostAllocation(array, array.base))


def managed_empty(shape: Any, dtype: Any, order: str = "C", mem_flags: Any = 0) -> Array:
    """A numpy array in managed memory. `mem_flags` are of mem_attach_flags; 0 is GLOBAL."""
    array = gpuarray.managed_empty(shape, dtype, order)
    allocation = ManagedAllocation(array, array.base)
    if int(mem_flags) not in (0, 1):
        allocation.attach(mem_flags)
    return _on(allocation)


def aligned_empty(shape: Any, dtype: Any, order: Any = "C", alignment: int = 4096) -> Array:
    """A numpy array of ordinary memory, which starts at a multiple of `alignment` bytes."""
    kind = without_objects(dtype)
    extents = (shape,) if np.ndim(shape) == 0 else tuple(shape)
    size = math.prod(int(one) for one in extents) * kind.itemsize
    memory = np.empty(size + alignment, np.uint8)
    start = -memory.ctypes.data % alignment
    array: Array = np.ndarray(extents, kind, memory, start, order=order)
    return array


def register_host_memory(ary: Array, flags: Any = 0) -> Array:
    """A new array on the same memory, page-locked while the new array is in use."""
    _flags("register_host_memory()", flags, 3)
    return _on(RegisteredHostMemory(ary, int(flags)))


def pagelocked_zeros(shape: Any, dtype: Any, order: str = "C", mem_flags: Any = 0) -> Array:
    """pagelocked_empty(), filled with zeros."""
    return _zeroed(pagelocked_empty(shape, dtype, order, mem_flags))


def pagelocked_empty_like(array: Array, mem_flags: Any = 0) -> Array:
    """pagelocked_empty() with the shape, dtype and order of another array."""
    return pagelocked_empty(array.shape, array.dtype, _order(array), mem_flags)


def pagelocked_zeros_like(array: Array, mem_flags: Any = 0) -> Array:
    """pagelocked_empty_like(), filled with zeros."""
    return _zeroed(pagelocked_empty_like(array, mem_flags))


def managed_zeros(shape: Any, dtype: Any, order: str = "C", mem_flags: Any = 0) -> Array:
    """managed_empty(), filled with zeros."""
    return _zeroed(managed_empty(shape, dtype, order, mem_flags))


def managed_empty_like(array: Array, mem_flags: Any = 0) -> Array:
    """managed_empty() with the shape, dtype and order of another array."""
    return managed_empty(array.shape, array.dtype, _order(array), mem_flags)


def managed_zeros_like(array: Array, mem_flags: Any = 0) -> Array:
    """managed_empty_like(), filled with zeros."""
    return _zeroed(managed_empty_like(array, mem_flags))


def aligned_zeros(shape: Any, dtype: Any, order: Any = "C", alignment: int = 4096) -> Array:
    """aligned_empty(), filled with zeros."""
    return _zeroed(aligned_empty(shape, dtype, order, alignment))


def aligned_empty_like(array: Array, alignment: int = 4096) -> Array:
    """aligned_empty() with the shape, dtype and order of another array."""
    return aligned_empty(array.shape, array.dtype, _order(array), alignment)


def aligned_zeros_like(array: Array, alignment: int = 4096) -> Array:
    """aligned_empty_like(), filled with zeros."""
    return _zeroed(aligned_empty_like(array, alignment))


def _zeroed(array: Array) -> Array:
    array.fill(0)
    return array


def _order(array: Array) -> str:
    if not array.flags.forc:
        raise ValueError("could not detect the array's order: it isn't contiguous")
    return "C" if array.flags.c_contiguous else "F"


def _flags(call: str, flags: Any, known: int) -> None:
    if int(flags) & ~known:
        raise ValueError(f"{call}: unknown flags {flags!r}")
