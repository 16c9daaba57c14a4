"""Filling an array as C's memset does, where the value's bytes allow it."""

from __future__ import annotations

from typing import Any

import numpy as np

from PyGPU import gpuarray
from PyGPU._names import portable


def queue(stream: Any, dst: Any, value: Any) -> Any:
    """Queue it on a stream. Returns the array, if C is told its address alone."""
    if not isinstance(dst, gpuarray.GPUArray):
        raise TypeError(f"Graph.memset(): dst must be a GPUArray, not {type(dst).__name__}")
    one = np.empty(1, dst.dtype)
    one[...] = value
    size = _repeated(one.tobytes())
    if size is None or not dst.flags.forc or not dst.size:
        dst.fill(value, stream)
        return None
    number = int.from_bytes(one.tobytes()[:size], "little")
    name = f"cuMemsetD{8 * size}Async"
    portable.find(name, raising=True)(dst.ptr, number, dst.nbytes // size, stream)
    return dst


def _repeated(element: bytes) -> int | None:
    """How many bytes of an element repeat, 1, 2 or 4; None if more do."""
    for size in (4, 2, 1):
        if len(element) % size == 0 and element[:size] * (len(element) // size) == element:
            return size
    return None
