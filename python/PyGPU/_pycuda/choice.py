"""PyCUDA's choice of a device, and its caches by context."""

from __future__ import annotations

import functools
import os
import warnings
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from PyGPU._errors import GPUError
from PyGPU._kernels import files
from PyGPU._pycuda.devices import Context, Device

_P = ParamSpec("_P")
_Result = TypeVar("_Result")
_caches: list[dict[Any, Any]] = []
_UNKNOWN: Any = object()


def _chosen() -> int | None:
    """The device that CUDA_DEVICE or ~/.cuda_device names."""
    text = os.environ.get("CUDA_DEVICE")
    if text is None:
        try:
            text = files.read(os.path.expanduser("~/.cuda_device"), 4096).decode("utf-8", "replace")
        except OSError:
            return None
    try:
        return int(text)
    except ValueError:
        raise ValueError(
            f"CUDA_DEVICE or ~/.cuda_device must hold the number of a device, not {text!r}"
        ) from None


def get_default_device(default: int = 0) -> Device:
    """The device that CUDA_DEVICE or ~/.cuda_device names, else `default`. Deprecated."""
    warnings.warn("use make_default_context()", DeprecationWarning, stacklevel=2)
    number = _chosen()
    return Device(default if number is None else number)


def make_default_context(ctx_maker: Callable[[Device], Context] | None = None) -> Context:
    """A context on the device that CUDA_DEVICE or ~/.cuda_device names, else on the first usable.

    Raises the last device's GPUError where none can be used.
    """
    make = ctx_maker or Device.make_context
    number = _chosen()
    if number is not None:
        return make(Device(number))
    count = Device.count()
    for device in range(count):
        try:
            return make(Device(device))
        except GPUError:
            if device == count - 1:
                raise
    raise RuntimeError("make_default_context(): there is no device")


def context_dependent_memoize(func: Callable[_P, _Result]) -> Callable[_P, _Result]:
    """Cache a function's results by its arguments and the current context."""
    known: dict[Any, Any] = {}
    _caches.append(known)

    @functools.wraps(func)
    def cached(*args: _P.args, **named: _P.kwargs) -> _Result:
        key = Context.get_current(), args, tuple(sorted(named.items()))
        result: _Result = known.get(key, _UNKNOWN)  # one step: another thread may clear it
        if result is _UNKNOWN:
            result = known[key] = func(*args, **named)
        return result

    return cached


def clear_context_caches() -> None:
    """Forget the results of all functions that context_dependent_memoize() caches."""
    for known in _caches:
        known.clear()
