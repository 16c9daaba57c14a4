"""What `a[...] = value` does: values from numpy, from other arrays, and scalars, broadcast."""

from __future__ import annotations

from PyGPU._arrays import base as _core
from PyGPU._arrays import refuse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def assign(view: Any, value: Any, stream: Any = None) -> None:
    """Sets the elements of a GPUArray as numpy would: converted to its dtype, and broadcast.

    ValueError where the shapes don't fit, TypeError where the value can't be converted, GPUError.
    Another GPUArray is not converted, which is the host's or a kernel's work: TypeError.
    """
    import numpy as np

    if isinstance(value, _core.Array):
        if value.dtype != view.dtype:
            raise TypeError(refuse.conversion(value.dtype, view.dtype))
        copy_to(view, broadcast(value, view.shape), stream)
        return
    if isinstance(value, np.generic):
        given, value = value, np.empty((), view.dtype)
        value[...] = given
    elif isinstance(value, np.ndarray):
        value = np.asarray(value)  # a class derived in Python may say anything of itself
    else:
        value = np.array(value, view.dtype)  # numpy's rules for what fits: 300 is no int8
    if not value.dtype.isnative and value.dtype != view.dtype:
        value = value.astype(value.dtype.newbyteorder("="))
    if value.dtype != view.dtype:
        converted = np.empty(value.shape, view.dtype)
        converted[...] = value  # numpy decides what may become what
        value = converted
    if value.ndim == 0:
        view._fill(value.tobytes(), stream, stream is not None)
        return
    view._upload(_broadcast_host(value, view.shape), stream, stream is not None)


def fill(view: Any, value: Any, stream: Any = None) -> None:
    """Sets every element of a GPUArray to one value, which numpy's fill() would take. GPUError."""
    import numpy as np

    if isinstance(value, _core.Array) and not value.ndim:
        assign(view, value, stream)
        return
    pattern = np.empty((), view.dtype)
    pattern.fill(value)
    view._fill(pattern.tobytes(), stream, stream is not None)


def broadcast(array: Any, shape: tuple[int, ...]) -> Any:
    """A view of a GPUArray in a larger shape, by numpy's rule for assignments."""
    if array.shape == shape:
        return array
    extents, strides = list(array.shape), list(array.strides)
    while len(extents) > len(shape) and extents[0] == 1:
        del extents[0], strides[0]
    missing = len(shape) - len(extents)
    fits = missing >= 0 and all(
        mine in (1, wanted) for mine, wanted in zip(extents, shape[missing:], strict=True)
    )
    if not fits:
        raise ValueError(
            f"could not broadcast input array from shape {array.shape} into shape {shape}"
        )
    strides = [
        0 if mine != wanted else stride
        for mine, wanted, stride in zip(extents, shape[missing:], strides, strict=True)
    ]
    return array._view(shape, [0] * missing + strides, 0, array.dtype)


def _broadcast_host(value: Any, shape: tuple[int, ...]) -> Any:
    import numpy as np

    if value.shape == shape:
        return value
    given = value.shape
    while value.ndim > len(shape) and value.shape[0] == 1:
        value = value[0, ...]  # an array still, of the same byte order
    try:
        return np.broadcast_to(value, shape)
    except ValueError:
        raise ValueError(
            f"could not broadcast input array from shape {given} into shape {shape}"
        ) from None


def copy_to(to: Any, source: Any, stream: Any = None) -> None:
    """Copies between GPUArrays of one shape and dtype, whatever their strides and devices."""
    asynchronous = stream is not None
    if to._copy_from(source, stream, asynchronous):
        return
    # Overlapping memory, or strided and on another device: by way of a compact copy.
    compact = source.copy(stream=stream)
    if to._copy_from(compact, stream, asynchronous):
        return
    from PyGPU._arrays.create import empty_like
    from PyGPU._arrays.devices import device

    with device(to.device):
        here = empty_like(compact, stream=stream)
    here._copy_from(compact, stream, asynchronous)
    to._copy_from(here, stream, asynchronous)
