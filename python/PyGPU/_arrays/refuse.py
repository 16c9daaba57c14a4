"""Messages for what GPUArrays do not do by themselves. Each message names a way out."""

from __future__ import annotations

import sys
import warnings

from PyGPU import _backend
from PyGPU._base.late import Late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from PyGPU import _names as names
else:
    names = Late("PyGPU._names")


def on_host() -> bool:
    """Whether the host runtime serves, whose memory is the CPU's."""
    return _backend.current() == "host"


# CuPy can't use the memory of the host runtime.
_DEVICE = "use cupy.asarray(a) or torch.from_dlpack(a), which share its memory"
_HOST = "use numpy.from_dlpack(a), which shares its memory, or a.get(), a copy"


def needs_kernel() -> str:
    """The end of a sentence on what no kernel of PyGPU does, and what to use instead."""
    way_out = _HOST if on_host() else _DEVICE
    return f"isn't implemented on the device; {way_out}"


def interface(called: str) -> str:
    """The message on the CUDA Array Interface, which arrays of the host runtime don't have."""
    return (
        f"{called}: the array is in the CPU's memory, as the host runtime serves it: "
        "numpy.from_dlpack(a) and torch.from_dlpack(a) share it, a.get() copies it"
    )


def numpy_array() -> str:
    """The message for numpy.asarray(a), which would copy without being asked to."""
    way_out = "use numpy.from_dlpack(a), which shares its memory" if on_host() else _DEVICE
    return f"a GPUArray is not copied to the host implicitly: write a.get(), or {way_out}"


def conversion(dtype: Any, due: Any) -> str:
    """That elements of one dtype can't be converted to another on the device."""
    return (
        f"GPUArray: {dtype} can't be converted to {due} on the device, which converts bools, "
        "integers, floats of 2, 4 and 8 bytes, and complex numbers; "
        f"a.get().astype('{due}') converts on the host"
    )


def warn_of_shape(call: str, shape: Any, due: Any, deprecated: bool) -> None:
    """Warn as PyCUDA does that a numpy array has the elements, but not the shape, of an array."""
    inside = sys._getframe(1).f_globals.get("__name__", "").startswith("PyGPU.")
    warnings.warn(
        f"{call}: 'ary' has shape {shape}, the array {due}"
        + (": that is deprecated, as in PyCUDA" if deprecated else ""),
        DeprecationWarning if deprecated else UserWarning,
        stacklevel=3 if inside else 2,
    )


# numpy's functions that only use attributes and methods of an array.
_VIEWS = {"shape", "ndim", "size", "real", "imag", "iscomplexobj", "isrealobj"}
_VIEWS |= {"transpose", "reshape", "squeeze"}
_OTHERS = {"copy"}  # those whose name means something else in PyGPU


def numpy_function(function: Any, args: Any, kwargs: Any) -> Any:
    """What `__array_function__` does: numpy's function itself where it needs no elements."""
    name = function.__name__
    if function.__module__ == "numpy" and name in _VIEWS:
        return function._implementation(*args, **kwargs)
    called = f"{function.__module__}.{name}()"
    if name in names.ARRAYS and name not in _OTHERS:
        raise TypeError(f"{called} doesn't take a GPUArray; use PyGPU.{name}()")
    stays = "" if on_host() else f"; {_DEVICE}"
    raise TypeError(f"{called} doesn't take a GPUArray; pass a copy on the host, a.get(){stays}")


def index(kind: str) -> str:
    """The message for an index that a GPUArray doesn't take."""
    return (
        f"GPUArray takes ints, slices, Ellipsis and None as index, not {kind}: any other index "
        f"{needs_kernel()}"
    )


def lends_nothing(call: str, tensor: Any, error: RuntimeError) -> BufferError:
    """The error for a tensor that the C exchange API of its library doesn't lend."""
    text, *_ = str(error).splitlines() or [""]
    layout = str(getattr(tensor, "layout", "torch.strided"))
    if layout != "torch.strided":
        text = f"its layout is {layout}: pass x.to_dense()"
    refusal = BufferError(
        f"{call}: the memory of the {type(tensor).__name__} can't be shared: {text}"
    )
    refusal.__cause__ = error
    return refusal
