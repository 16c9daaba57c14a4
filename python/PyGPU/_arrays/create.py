"""New arrays: filled, like others, from buffers."""

from __future__ import annotations

from PyGPU._arrays import base as _core
from PyGPU._arrays.array import GPUArray, empty_like
from PyGPU._base.late import Late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy as np
else:
    np = Late("numpy")


def to_gpu_async(ary: Any, allocator: Any = None, stream: Any = None) -> GPUArray:
    """`to_gpu()` queued on a stream. The array's memory follows the order of that stream.

    It returns at once. Don't write to `ary` until the copy is done. PyGPU keeps it alive until
    then. GPUError.
    """
    return _core.to_gpu(ary, allocator, stream, True)


def zeros(
    shape: Any, dtype: Any = float, allocator: Any = None, order: str = "C", stream: Any = None
) -> GPUArray:
    """A new array of zeros on the current device. GPUError."""
    array = _core.empty(shape, dtype, allocator, order, stream)
    array._fill(bytes(array.itemsize), stream, True)
    return array


def full(
    shape: Any,
    fill_value: Any,
    dtype: Any = None,
    allocator: Any = None,
    order: str = "C",
    stream: Any = None,
) -> GPUArray:
    """A new array with one value everywhere; the dtype is the value's unless given. GPUError."""
    if dtype is None:
        on_device = isinstance(fill_value, _core.Array)
        dtype = fill_value.dtype if on_device else np.asarray(fill_value).dtype
    array = _core.empty(shape, dtype, allocator, order, stream)
    return array.fill(fill_value, stream)


def ones(
    shape: Any, dtype: Any = float, allocator: Any = None, order: str = "C", stream: Any = None
) -> GPUArray:
    """A new array of ones on the current device. GPUError."""
    return full(shape, 1, float if dtype is None else dtype, allocator, order, stream)


def full_like(
    other: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    allocator: Any = None,
    stream: Any = None,
) -> GPUArray:
    """`empty_like()`, with one value everywhere."""
    return empty_like(other, dtype, order, allocator, stream).fill(fill_value, stream)


def ones_like(
    other: Any, dtype: Any = None, order: str = "K", allocator: Any = None, stream: Any = None
) -> GPUArray:
    """`empty_like()`, filled with ones."""
    return full_like(other, 1, dtype, order, allocator, stream)


def arange(*range_: Any, dtype: Any = None, allocator: Any = None, stream: Any = None) -> GPUArray:
    """`numpy.arange(start, stop, step, dtype)` as a new array on the device. GPUError."""
    if dtype is None and range_ and isinstance(range_[-1], np.dtype):  # as PyCUDA takes it
        range_, dtype = range_[:-1], range_[-1]
    values = np.arange(*range_, dtype=dtype)
    return _core.to_gpu(values, allocator, stream, stream is not None)
