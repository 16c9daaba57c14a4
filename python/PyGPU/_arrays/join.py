"""Functions of several arrays, and PyCUDA's functions that call a method of an array."""

from __future__ import annotations

from PyGPU._arrays import base as _core
from PyGPU._arrays.sequence import listed, number
from PyGPU._base.late import Late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    import numpy as np

    from PyGPU._arrays.array import GPUArray
else:
    np = Late("numpy")


def _listed(arrays: Any, call: str) -> list[Any]:
    if isinstance(arrays, (str, bytes, dict, set, frozenset)):
        kind = type(arrays).__name__
        raise TypeError(f"{call}: parameter 'arrays' must be a sequence of arrays, not {kind}")
    items = listed(arrays, f"{call}: parameter 'arrays'")
    if not items:
        raise ValueError(f"{call}: parameter 'arrays' is empty")
    return [_array_of(one, call) for one in items]


def _array_of(one: Any, call: str) -> Any:
    if isinstance(one, _core.Array):
        return one
    _core.check_no_mask(one)
    shared = None if isinstance(one, np.ndarray) else _core.shared(one, call, None)
    return np.asarray(one) if shared is None else shared


def concatenate(arrays: Sequence[Any], axis: int = 0, allocator: Any = None) -> GPUArray:
    """The arrays one after the other along an axis, in a new array of their common dtype.

    It has the machine's byte order, as numpy's.
    The allocator is that of the first array that has one, unless given. ValueError if the other
    extents differ; GPUError.
    """
    alike = _core.join(arrays, axis, False, allocator)
    if alike is not None:
        return alike
    arrays = _listed(arrays, "concatenate()")
    axis = number(axis, "concatenate(): parameter 'axis'")
    shape = list(arrays[0].shape)
    axes = len(shape)
    if not shape:
        raise ValueError("concatenate(): arrays without an axis can't be joined")
    if not -axes <= axis < axes:
        raise ValueError(f"concatenate(): there is no axis {axis}")
    axis %= axes
    extents = []
    for array in arrays:
        other = list(array.shape)
        if len(other) == axes:
            extents.append(other[axis])
            other[axis] = shape[axis]
        if other != shape:
            raise ValueError(
                f"concatenate(): shapes {arrays[0].shape} and {array.shape} differ on other axes "
                f"than {axis}"
            )
    shape[axis] = sum(extents)
    joined = _empty(arrays, shape, allocator)
    start = 0
    for array, extent in zip(arrays, extents, strict=True):
        _put(joined[(slice(None),) * axis + (slice(start, start + extent),)], array)
        start += extent
    return joined


def _empty(arrays: list[Any], shape: Sequence[int], allocator: Any) -> GPUArray:
    """A new array for all of these."""
    for array in arrays:
        if allocator is None:
            allocator = getattr(array, "allocator", None)
    return _core.empty(tuple(shape), np.result_type(*(one.dtype for one in arrays)), allocator)


def _put(part: GPUArray, array: Any) -> None:
    """Set a part of the result. Bytes that are only reversed are read once."""
    dtype = array.dtype
    swapped = not dtype.isnative and dtype.fields is None and dtype.newbyteorder() == part.dtype
    on_device = isinstance(array, _core.Array)
    if swapped and on_device:
        from PyGPU._arrays.views import bytes_of

        part, array = bytes_of(part, False), bytes_of(array, True)
    part[...] = array


def stack(arrays: Sequence[Any], axis: int = 0, allocator: Any = None) -> GPUArray:
    """The arrays, all of one shape, along a new axis. ValueError, GPUError."""
    alike = _core.join(arrays, axis, True, allocator)
    if alike is not None:
        return alike
    arrays = _listed(arrays, "stack()")
    axis = number(axis, "stack(): parameter 'axis'")
    if any(array.shape != arrays[0].shape for array in arrays):
        raise ValueError("stack(): all arrays must have the same shape")
    shape = list(arrays[0].shape)
    axes = len(shape) + 1
    if not -axes <= axis < axes:
        raise ValueError(f"stack(): there is no axis {axis}")
    axis %= axes
    shape.insert(axis, len(arrays))
    joined = _empty(arrays, shape, allocator)
    for at, array in enumerate(arrays):
        _put(joined[(slice(None),) * axis + (at,)], array)
    return joined


def transpose(a: GPUArray, axes: Any = None) -> GPUArray:
    """`a.transpose(axes)`."""
    return a.transpose(axes)


def reshape(a: GPUArray, *shape: Any, order: str = "C") -> GPUArray:
    """`a.reshape(*shape, order=order)`."""
    return a.reshape(*shape, order=order)
