"""New arrays: filled, like others, from buffers."""

from __future__ import annotations

from PyGPU._arrays import base as _core
from PyGPU._arrays import order as _order
from PyGPU._arrays.array import GPUArray
from PyGPU._late import Late

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
    made = _core.empty(shape, dtype, allocator, order, stream)
    made._fill(bytes(made.itemsize), stream, True)
    return made


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
    made = _core.empty(shape, dtype, allocator, order, stream)
    return made.fill(fill_value, stream)


def ones(
    shape: Any, dtype: Any = float, allocator: Any = None, order: str = "C", stream: Any = None
) -> GPUArray:
    """A new array of ones on the current device. GPUError."""
    return full(shape, 1, dtype, allocator, order, stream)


def empty_like(
    other: Any, dtype: Any = None, order: str = "K", allocator: Any = None, stream: Any = None
) -> GPUArray:
    """A new array with the shape of another (a GPUArray or a numpy array). No element is set.

    The dtype is the other's unless given. `order` "K" keeps the order of its axes in memory. "A"
    makes F order if the other has only that. The allocator is the other's unless given. GPUError.
    """
    kind = np.dtype(other.dtype if dtype is None else dtype)
    strides = _order.like(other, kind.itemsize, order, "empty_like()")
    if allocator is None and isinstance(other, GPUArray):
        allocator = other.allocator
    made: GPUArray = GPUArray(other.shape, kind, allocator, strides=strides, stream=stream)
    return made


def zeros_like(
    other: Any, dtype: Any = None, order: str = "K", allocator: Any = None, stream: Any = None
) -> GPUArray:
    """`empty_like()`, filled with zeros."""
    made = empty_like(other, dtype, order, allocator, stream)
    made._fill(bytes(made.itemsize), stream, True)
    return made


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
