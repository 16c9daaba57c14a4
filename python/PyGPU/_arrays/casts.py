"""Converting the elements of arrays to another dtype, on the device."""

from __future__ import annotations

import sys
import warnings

from PyGPU._arrays import refuse
from PyGPU._arrays.views import bytes_of
from PyGPU._base.late import Late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy as np

    from PyGPU._arrays.base import Array
else:
    np = Late("numpy")


def astype(array: Array, dtype: Any, order: str, casting: Any, copy: bool, stream: Any) -> Any:
    """What `GPUArray.astype()` does."""
    own, due = array.dtype, np.dtype(dtype)
    if casting != "unsafe" and not np.can_cast(own, due, casting):
        raise TypeError(
            f"astype(): {own!r} can't be cast to {due!r} according to the rule {casting!r}"
        )
    if order == "A":
        order = "F" if array._contiguity == (False, True) else "C"
    if own != due:
        return _cast(array, due, order, stream)
    has_order = order == "K" or array._contiguity[order == "F"]
    return array if has_order and not copy else array._copy(order, stream)


def converted(array: Array, dtype: Any, stream: Any = None) -> Any:
    """The elements of an array as another dtype, for an assignment. TypeError."""
    return _cast(array, dtype, "K", stream)


def warn_of_lost_parts() -> None:
    """Warn as numpy does that imaginary parts are dropped."""
    kinds = getattr(np, "exceptions", np)  # before numpy 1.25 they were its own names
    depth = 1
    while sys._getframe(depth).f_globals.get("__name__", "").startswith("PyGPU."):
        depth += 1
    text = "Casting complex values to real discards the imaginary part"
    warnings.warn(text, kinds.ComplexWarning, stacklevel=depth + 1)


def _cast(array: Array, dtype: Any, order: str, stream: Any) -> Any:
    """A compact array with the elements cast, by way of other dtypes where one kernel can't."""
    at_once = array._cast(dtype, order, stream)
    if at_once is not None:
        return at_once
    native = dtype.newbyteorder("=")
    if not array.dtype.isnative or native != dtype:
        if not array.dtype.isnative:
            array = _swapped(array, stream)
        if array.dtype != native:
            array = _cast(array, native, "K", stream)
        if native != dtype:
            array = _swapped(array, stream)
        return array if order == "K" else array._copy(order, stream)
    middle = None
    if "bfloat16" in (array.dtype.name, dtype.name):  # ml_dtypes goes by way of float32, too
        middle = array._cast(np.float32, "K", stream)
    result = None if middle is None else middle._cast(dtype, order, stream)
    if result is None:
        raise TypeError(refuse.conversion(array.dtype, dtype))
    return result


def _swapped(array: Array, stream: Any) -> Any:
    """The same numbers in the other byte order."""
    other = array.dtype.newbyteorder()
    if array.dtype.kind not in "iufcmM":
        raise TypeError(refuse.conversion(array.dtype, other))
    result = array._view(array.shape, array.strides, 0, other)._copy("K", stream)
    bytes_of(result, False).set(bytes_of(array, True), stream is not None, stream)
    return result
