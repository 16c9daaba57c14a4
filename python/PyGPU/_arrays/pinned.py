"""numpy arrays in page-locked and in managed memory."""

from __future__ import annotations

import math
import sys

from PyGPU._arrays.order import like
from PyGPU._arrays.sequence import numbers
from PyGPU._base.late import Late
from PyGPU._core import arrays

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy as np
else:
    np = Late("numpy")


def without_objects(dtype: Any) -> np.dtype[Any]:
    """The dtype of an array on memory from elsewhere. TypeError for Python objects."""
    kind: np.dtype[Any] = np.dtype(dtype)
    if kind.hasobject:
        raise TypeError(f"{kind} holds Python objects, which devices can't read")
    return kind


def _array(shape: Any, dtype: Any, order: Any, managed: bool) -> np.ndarray[Any, Any]:
    kind = without_objects(dtype)
    extents = numbers(shape, "parameter 'shape'")
    if min(extents, default=0) < 0:
        raise ValueError(f"the shape has a negative extent: {shape!r}")
    size = math.prod(extents) * kind.itemsize
    if size > sys.maxsize:
        raise ValueError(f"an array of shape {shape!r} is larger than any memory")
    if order not in ("C", "F"):
        raise ValueError(f"parameter 'order' must be C or F, not {order!r}")
    memory = arrays.HostMemory(size, managed)
    array: np.ndarray[Any, Any] = np.ndarray(extents, kind, memory, order=order)
    return array


def _like(other: Any, dtype: Any, order: str, call: str) -> np.ndarray[Any, Any]:
    if not hasattr(other, "strides"):
        other = np.asarray(other)
    kind = without_objects(other.dtype if dtype is None else dtype)
    strides = like(other, kind.itemsize, order, call)
    memory = arrays.HostMemory(math.prod(other.shape) * kind.itemsize)
    array: np.ndarray[Any, Any] = np.ndarray(other.shape, kind, memory, strides=strides)
    return array


def pagelocked_empty(shape: Any, dtype: Any = float, order: str = "C") -> np.ndarray[Any, Any]:
    """A numpy array in page-locked memory: devices copy from and to it asynchronously.

    `shape` is an int or a tuple. The memory is freed with the last array on it. GPUError if the
    runtime refuses.
    """
    return _array(shape, dtype, order, False)


def pagelocked_zeros(shape: Any, dtype: Any = float, order: str = "C") -> np.ndarray[Any, Any]:
    """`pagelocked_empty()`, filled with zeros."""
    array = pagelocked_empty(shape, dtype, order)
    array.fill(0)
    return array


def pagelocked_empty_like(other: Any, dtype: Any = None, order: str = "K") -> np.ndarray[Any, Any]:
    """`pagelocked_empty()` with another array's shape; dtype and order are its own unless given."""
    return _like(other, dtype, order, "pagelocked_empty_like()")


def pagelocked_zeros_like(other: Any, dtype: Any = None, order: str = "K") -> np.ndarray[Any, Any]:
    """`pagelocked_empty_like()`, filled with zeros."""
    array = _like(other, dtype, order, "pagelocked_zeros_like()")
    array.fill(0)
    return array


def managed_empty(shape: Any, dtype: Any = float, order: str = "C") -> np.ndarray[Any, Any]:
    """A numpy array in managed memory: host and devices use the same address.

    The host must not touch it while a device without concurrent access works. GPUError.
    """
    return _array(shape, dtype, order, True)


def managed_zeros(shape: Any, dtype: Any = float, order: str = "C") -> np.ndarray[Any, Any]:
    """`managed_empty()`, filled with zeros."""
    array = managed_empty(shape, dtype, order)
    array.fill(0)
    return array
