"""The host runtime's own functions, by ctypes. OSError where this installation has none."""

from __future__ import annotations

import ctypes
import operator
from collections.abc import Callable
from typing import Any

from PyGPU import _backend

_library = ctypes.CDLL(_backend.HOST_RUNTIME)
RELEASED = ctypes.CFUNCTYPE(None, ctypes.c_long)
_DIMENSIONS, _POINTERS = ctypes.POINTER(ctypes.c_uint), ctypes.POINTER(ctypes.c_void_p)
KERNEL = ctypes.CFUNCTYPE(None, _DIMENSIONS, _DIMENSIONS, _POINTERS)


def _declare(name: str, result: object, *arguments: object) -> Callable[..., Any]:
    declared = getattr(_library, f"pygpu_host_{name}")
    declared.restype, declared.argtypes = result, arguments
    return declared  # type: ignore[no-any-return]


LARGEST_WORD = 2**64 - 1  # what an address and an unsigned long long hold


def whole(value: object, most: int, call: str) -> int:
    """An int from 0 to `most`, as C takes it; ctypes cuts others. `call` names the parameter."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{call} must be an int, not {type(value).__name__}") from None
    if not 0 <= number <= most:
        raise OverflowError(f"{call} = {number} is not between 0 and {most}")
    return number


def text(value: object, call: str) -> bytes:
    """A name in UTF-8, as C takes it: without a NUL."""
    if not isinstance(value, str):
        raise TypeError(f"{call} must be a str, not {type(value).__name__}")
    if "\0" in value:
        raise ValueError(f"{call} has a NUL: {value!r}")
    return value.encode("utf-8", "surrogateescape")


fail = _declare(
    "fail", ctypes.c_long, ctypes.c_char_p, ctypes.c_ulonglong, ctypes.c_ulonglong, ctypes.c_int
)
unfail = _declare("unfail", ctypes.c_longlong, ctypes.c_long)
pause = _declare("pause", ctypes.c_int, ctypes.c_void_p)
resume = _declare("resume", ctypes.c_int, ctypes.c_void_p)
devices = _declare("devices", ctypes.c_int)
work = _declare("work", ctypes.c_int)
finish = _declare("finish", ctypes.c_int)
leaks = _declare("leaks", ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t)
set_strict = _declare("set_strict", ctypes.c_int, ctypes.c_int)
set_locator = _declare("set_locator", None, ctypes.c_void_p)
set_listener = _declare("set_listener", None, ctypes.c_void_p)
set_kernel_watcher = _declare("set_kernel_watcher", None, ctypes.c_void_p)
_SIZES = ctypes.POINTER(ctypes.c_size_t)
add_kernel = _declare(
    "add_kernel",
    ctypes.c_long,
    ctypes.c_char_p,
    ctypes.c_void_p,
    ctypes.c_int,
    _SIZES,
    _SIZES,
    ctypes.c_int,
)
remove_kernel = _declare("remove_kernel", ctypes.c_int, ctypes.c_long)
end_kernels = _declare("end_kernels", None)
set_released = _declare("set_released", None, ctypes.c_void_p)
types_of_arguments = _declare("types_of_arguments", ctypes.c_char_p)
function = _declare(
    "function", ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int, ctypes.POINTER(ctypes.c_int)
)


def functions(api: str = "cuda") -> dict[str, bool]:
    """All symbols that the host runtime exports for an API: whether each is implemented.

    The others return ErrorNotSupported (801). Raises ValueError for another name.
    """
    if api not in _backend.HOSTED:
        known = " and ".join(map(repr, _backend.HOSTED))
        raise ValueError(f"functions(): {api!r} is no API of the host runtime, which has {known}")
    exported: dict[str, bool] = {}
    implemented = ctypes.c_int()
    while name := function(api.encode(), len(exported), ctypes.byref(implemented)):
        exported[name.decode()] = bool(implemented.value)
    return exported
