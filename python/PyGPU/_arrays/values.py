"""What numpy makes of values for the elements of an array."""

from __future__ import annotations

from contextlib import suppress

from PyGPU._arrays import base as _core
from PyGPU._base.late import Late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy as np
else:
    np = Late("numpy")


def elements(value: Any, dtype: Any, shape: tuple[int, ...]) -> np.ndarray[Any, Any] | bytes:
    """The elements that numpy would assign: converted to the dtype, and broadcast to the shape.

    The bytes of one element where the value is a scalar. ValueError where the shapes don't fit,
    TypeError where the value can't be converted.
    """
    _core.check_no_mask(value)
    if isinstance(value, np.generic):
        scalar, value = value, np.empty((), dtype)
        value[...] = scalar
    elif isinstance(value, np.ndarray):
        value = np.asarray(value)  # a class derived in Python may say anything of itself
    else:
        value = np.array(value, dtype)  # numpy's rules for what fits: 300 is no int8
    if not value.dtype.isnative and value.dtype != dtype:
        value = value.astype(value.dtype.newbyteorder("="))
    if value.dtype != dtype:
        converted = np.empty(value.shape, dtype)
        converted[...] = value  # numpy decides what may become what
        value = converted
    return value.tobytes() if value.ndim == 0 else _broadcast(value, shape)


def pattern(value: Any, dtype: Any, _: Any) -> bytes:
    """The bytes of one element, of a value that numpy's fill() would take."""
    _core.check_no_mask(value)
    element = np.empty((), dtype)
    if element.dtype.kind == "V" and element.dtype.names is None and np.size(value) != 1:
        # numpy's fill() takes the first element
        raise ValueError(f"fill(): the value has {np.size(value)} elements, and must have one")
    element.fill(value)
    return element.tobytes()


def from_data(data: Any, dtype: Any, call: str = "GPUArray()") -> np.ndarray[Any, Any]:
    """The numpy array of what GPUArray(data) and asarray(data) take: a buffer, or array-like."""

    if isinstance(data, str):
        raise TypeError(f"{call} takes a shape, an array or numbers, not a str")
    if not isinstance(data, np.ndarray) and not hasattr(data, "__array_interface__"):
        with suppress(TypeError):  # numpy knows more: objects with __array__, nested sequences
            data = memoryview(data)
    _core.check_no_mask(data)
    array = np.asarray(data)
    if array.dtype.kind in "SU" and not hasattr(data, "__array_interface__"):
        raise TypeError(f"{call}: text can't be on a device; encode it to an array of bytes")
    return array if dtype is None or array.dtype == np.dtype(dtype) else array.astype(dtype)


def _broadcast(value: Any, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    original = value.shape
    while value.ndim > len(shape) and value.shape[0] == 1:
        value = value[0, ...]  # with the Ellipsis it stays an array, of the same byte order
    try:
        return np.broadcast_to(value, shape)
    except ValueError:
        raise ValueError(
            f"could not broadcast input array from shape {original} into shape {shape}"
        ) from None
