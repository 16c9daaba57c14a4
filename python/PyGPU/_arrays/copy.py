"""Copying between any two arrays, of the host and of devices."""

from __future__ import annotations

from PyGPU._arrays import base as _core
from PyGPU._arrays.exchange import asarray
from PyGPU._base.late import Late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy as np
else:
    np = Late("numpy")

_DEVICE_TYPES = (2, 10, 13)  # of DLPack: CUDA, ROCm, CUDA managed


def copy(dst: Any, src: Any, stream: Any = None, progress: Any = None) -> None:
    """Copies all elements of `src` to `dst`: as many, of the same dtype, with any strides.

    At least one of the two is on a device: a GPUArray, or another library's array. The other may be
    in host memory: a numpy array, or any buffer. A buffer of bytes is read as the other's elements.
    Without `stream` it waits like `set()` and `get()`. With one it is only queued, and PyGPU keeps
    both alive until it is done. `progress` as in `get()`, for copies with the host.

    A list or tuple as `dst` names several arrays, on any devices. `src` is read once: the first
    array gets it, and the others get it from there, over the devices' own links where they have
    any.
    ValueError or TypeError if the two don't fit, GPUError.
    """
    if isinstance(dst, (list, tuple)):
        _copy_to_all(dst, src, stream, progress)
        return
    on_device, from_device = _is_on_device(dst), _is_on_device(src)
    if on_device:
        to = _array(dst, stream)
        source = _array(src, stream) if from_device else _of_host(src, to.dtype, "src")
        to._set(source, stream is not None, stream, progress)
    elif from_device:
        array = _array(src, stream)
        array._get(_of_host(dst, array.dtype, "dst"), False, stream is not None, stream, progress)
    else:
        raise TypeError("copy(): neither 'dst' nor 'src' is on a device: use numpy.copyto()")


def _copy_to_all(arrays: Any, src: Any, stream: Any, progress: Any) -> None:
    if not all(map(_is_on_device, arrays)):
        raise TypeError("copy(): parameter 'dst' must be an array, or a list of arrays on devices")
    if not arrays:
        return
    first, *others = (_array(one, stream) for one in arrays)
    copy(first, src, stream, progress)
    for other in others:
        copy(other, first, stream)


def _is_on_device(value: Any) -> bool:
    if isinstance(value, _core.Array) or hasattr(value, "__cuda_array_interface__"):
        return True
    if hasattr(value, "device_data"):  # a DeviceArray, on the host runtime, too
        return True
    asks = getattr(value, "__dlpack_device__", None)
    return asks is not None and asks()[0] in _DEVICE_TYPES


def _array(value: Any, stream: Any) -> Any:
    if isinstance(value, _core.Array):
        return value
    return asarray(value, copy=False, stream=stream)


def _of_host(value: Any, dtype: Any, parameter: str) -> Any:
    """The numpy array on this very memory."""
    if isinstance(value, np.ndarray):
        return value
    if hasattr(value, "__dlpack__"):
        return _core.host_array(value, "copy()")
    if parameter == "dst" and isinstance(value, np.generic):
        raise TypeError("copy(): parameter 'dst' is a numpy scalar, which can't be written to")
    if hasattr(value, "__array_interface__"):
        return np.asarray(value)
    try:
        view = memoryview(value)
    except TypeError:
        raise TypeError(
            f"copy(): parameter {parameter!r} must be an array or a buffer, "
            f"not {type(value).__name__}"
        ) from None
    of_bytes = view.format in ("B", "b", "c") and view.c_contiguous
    if of_bytes and dtype.itemsize and view.nbytes % dtype.itemsize == 0:
        return np.frombuffer(view, dtype)
    return np.asarray(view)
