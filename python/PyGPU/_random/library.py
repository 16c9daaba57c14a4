"""The vendor's library of random numbers: tables of quasi-random numbers, and its release."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from PyGPU import _backend
from PyGPU._kernels import headers
from PyGPU._kernels._vendors import COMPILERS
from PyGPU._kernels.toolchain import Toolchain
from PyGPU._kernels.vendor import Random

DIMENSIONS = 20000  # of each table
_libraries: dict[str, ctypes.CDLL] = {}


def vendor() -> Random:
    """What the compiler's manifest says. NotImplementedError where it says nothing."""
    api = _backend.kernels().compiler
    known = COMPILERS[api].random if api else None
    if known is None:
        raise NotImplementedError(
            f"curandom: {_backend.api().label} has no generators of random numbers"
        )
    return known


def release() -> tuple[int, int, int] | None:
    """Major, minor and patch of the library; None without one."""
    try:
        library = _opened()
    except OSError:
        return None
    number = ctypes.c_int()
    _call(library, "GetVersion", ctypes.byref(number))
    return number.value // 1000, number.value // 100 % 10, number.value % 100


def table(function: str, dtype: Any, columns: Sequence[int], *which: int) -> np.ndarray[Any, Any]:
    """A table of the library by its function, with a row for each dimension. OSError without it."""
    library, start = _opened(), ctypes.c_void_p()
    _call(library, function, ctypes.byref(start), *which)
    shape = (DIMENSIONS, *columns)
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    if start.value is None:
        raise OSError(f"curandom: {library._name} has no table {function}")
    memory = (ctypes.c_char * size).from_address(start.value)  # lives as long as the library
    return np.frombuffer(memory, dtype).reshape(shape)


def _call(library: ctypes.CDLL, name: str, *arguments: Any) -> None:
    function = getattr(library, vendor().prefix + name)
    if status := function(*arguments):
        raise OSError(f"curandom: {vendor().prefix}{name} of {library._name} failed ({status})")


def _opened() -> ctypes.CDLL:
    """The library beside the vendor's headers, else the system's. OSError names its package."""
    known = vendor()
    if known.library not in _libraries:
        _libraries[known.library] = _open(known)
    return _libraries[known.library]


def _open(known: Random) -> ctypes.CDLL:
    tools = Toolchain(_backend.kernels().compiler)
    for folder in tools.folders(tools.library()):
        if not os.path.exists(os.path.join(folder, known.header)):
            continue
        for sibling in ("lib", "lib64"):
            path = os.path.join(os.path.dirname(folder), sibling, known.library)
            if os.path.exists(path):
                return ctypes.CDLL(path)
    try:
        return ctypes.CDLL(known.library)
    except OSError:
        advice = headers.advice(known.header, tools.api, tools.major())
        raise OSError(f"curandom needs {known.library}: {advice}") from None
