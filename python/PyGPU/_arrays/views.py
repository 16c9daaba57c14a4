"""Views on the same memory: as another dtype, and as bytes."""

from __future__ import annotations

import math

from PyGPU._base.late import Late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy as np

    from PyGPU._arrays.base import Array
else:
    np = Late("numpy")


def layout_as(array: Array, dtype: Any) -> tuple[list[int], list[int], np.dtype[Any]]:
    """Shape, strides and dtype of the memory as another dtype: as numpy does, else as PyCUDA does.

    Another item size rescales the last axis. If that isn't contiguous, numpy refuses, and PyCUDA
    rescales the axis of the smallest stride, as here. ValueError if neither of them can.
    """
    kind, own = np.dtype(dtype), array.itemsize
    if not kind.itemsize and kind.kind == "V":  # "V" alone is as long as the item
        kind = np.dtype(f"V{own}")
    size, parts = kind.itemsize, kind.shape
    shape, strides = list(array.shape), list(array.strides)
    if size != own:
        if not shape:
            raise ValueError("view(): the item size of a 0-d array can't change")
        axis = _rescaled(array)
        length = shape[axis] * own
        if parts or not size or (own % size if size < own else length % size):
            raise ValueError(
                f"view(): {length} bytes of axis {axis} can't be read as elements of {size} bytes"
            )
        shape[axis], strides[axis] = length // size, size
    for at, extent in enumerate(parts):  # a dtype that is an array itself: more axes
        shape.append(extent)
        strides.append(kind.base.itemsize * math.prod(parts[at + 1 :]))
    return shape, strides, kind.base


def _rescaled(array: Array) -> int:
    """The axis that another item size rescales."""
    smallest = min(range(array.ndim), key=lambda at: abs(array.strides[at]))
    for axis in (array.ndim - 1, smallest):
        if array.shape[axis] == 1 or not array.size or array.strides[axis] == array.itemsize:
            return axis
    raise ValueError("view(): for another item size, the last axis must be contiguous")


def bytes_of(array: Array, swapped: bool) -> Any:
    """The view on the bytes of each number, last byte first if `swapped`."""
    word = array.itemsize // 2 if array.dtype.kind == "c" else array.itemsize
    word = 4 if array.dtype.kind == "U" else word
    shape = (*array.shape, array.itemsize // word, word)
    strides = (*array.strides, word, -1 if swapped else 1)
    return array._view(shape, strides, word - 1 if swapped else 0, "u1")
