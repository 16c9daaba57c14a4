"""Views on parts of the elements: real and imaginary parts, other dtypes."""

from __future__ import annotations

from PyGPU._arrays.create import zeros_like
from PyGPU._late import Late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy as np

    from PyGPU._arrays.array import GPUArray
else:
    np = Late("numpy")


def part(array: GPUArray, imaginary: bool) -> GPUArray:
    """The view on the real or the imaginary parts; a real array's imaginary part is zeros."""
    if array.dtype.kind == "c":
        kind = np.dtype(f"{array.dtype.byteorder}f{array.itemsize // 2}")
        offset = kind.itemsize if imaginary else 0
        return array._view(array.shape, array.strides, offset, kind)
    if not imaginary:
        return array
    return zeros_like(array)


def view_as(array: GPUArray, dtype: Any) -> GPUArray:
    """The same memory read as another dtype: the contiguous axis is rescaled.

    ValueError if its extent doesn't fit, or if no axis is contiguous.
    """
    kind = np.dtype(dtype)
    shape, strides = list(array.shape), list(array.strides)
    if kind.itemsize == array.itemsize:
        return array._view(shape, strides, 0, kind)
    if not shape:
        raise ValueError("the item size of a 0-d array can't change")
    axis = len(shape) - 1  # numpy's choice; PyCUDA takes another in an array of F order
    if strides[axis] != array.itemsize and array.itemsize in strides:
        axis = strides.index(array.itemsize)
    if strides[axis] != array.itemsize and shape[axis] != 1 and array.size:
        raise ValueError("for another item size, one axis must be contiguous")
    length = shape[axis] * array.itemsize
    if not kind.itemsize or length % kind.itemsize:
        raise ValueError(
            f"{length} bytes of the contiguous axis are no multiple of the item size of {kind}"
        )
    shape[axis], strides[axis] = length // kind.itemsize, kind.itemsize
    return array._view(shape, strides, 0, kind)
