"""Memory of the device that the trace has not seen allocated: its extent and its bytes."""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Callable
from functools import cache
from typing import Any

# The driver's functions, which no thread's last error remembers: (module, range, copy).
_DRIVERS = {
    "hip": ("PyGPU.hip", "hipMemGetAddressRange", "hipMemcpyDtoH"),
    "cuda": ("PyGPU.cu", "cuMemGetAddressRange", "cuMemcpyDtoH"),
}
_LOWEST, _HIGHEST = 1 << 16, 1 << 57  # no allocation lies beyond


@cache
def _ask_for_parameters() -> tuple[Callable[..., int], ...]:
    """The functions that tell where a parameter lies: of a function, and of a library's kernel."""
    asked = []
    for name in ("cuFuncGetParamInfo", "cuKernelGetParamInfo"):
        try:
            module: Any = importlib.import_module("PyGPU.cu")
            asked.append(ctypes.CFUNCTYPE(ctypes.c_int)(module.address(name)))
        except (ImportError, OSError, AttributeError):
            continue
    return tuple(asked)


def sizes_of_parameters(function: int) -> list[int] | None:
    """The sizes of a kernel's parameters; None if the driver doesn't tell them, or it has none."""
    offset, size = ctypes.c_size_t(), ctypes.c_size_t()
    outputs = ctypes.byref(offset), ctypes.byref(size)
    for ask in _ask_for_parameters():
        sizes: list[int] = []
        while not ask(ctypes.c_void_p(function), ctypes.c_size_t(len(sizes)), *outputs):
            sizes.append(size.value)
        if sizes:
            return sizes
    return None


@cache
def _functions(api: str) -> tuple[Callable[..., int], Callable[..., int]] | None:
    name, *functions = _DRIVERS["hip" if api.startswith("hip") else "cuda"]
    try:
        module: Any = importlib.import_module(name)
        found = [ctypes.CFUNCTYPE(ctypes.c_int)(module.address(one)) for one in functions]
    except (ImportError, OSError, AttributeError):
        return None
    return found[0], found[1]


def extent(api: str, address: int) -> tuple[int, int] | None:
    """Base and size of the device's allocation around an address; None if there is none."""
    if not _LOWEST <= address < _HIGHEST or not (functions := _functions(api)):
        return None
    base, size = ctypes.c_uint64(), ctypes.c_size_t()
    outputs = ctypes.byref(base), ctypes.byref(size)
    if functions[0](*outputs, ctypes.c_uint64(address)) or not size.value:
        return None
    return base.value, size.value


def content(api: str, base: int, size: int) -> bytes | None:
    """The bytes of device memory; None if they can't be copied, for example within a capture."""
    if not (functions := _functions(api)):
        return None
    memory = ctypes.create_string_buffer(size)
    failed = functions[1](memory, ctypes.c_uint64(base), ctypes.c_size_t(size))
    return None if failed else memory.raw
