"""Reads device code as bytes, and what it says about its kernels."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from PyGPU._kernels import base, files, hsaco
from PyGPU._kernels import parameters as of
from PyGPU._kernels.compiled import Compiled
from PyGPU._kernels.parameters import Parameter

_LARGEST = 8 << 30  # of a program with device code in it, in bytes


def read(source: Any) -> list[bytes]:
    """The code of a path or a buffer; a program has one part for each of its source files.

    Raises TypeError, OSError or ValueError.
    """
    if isinstance(source, (str, os.PathLike)):
        if "\0" in (path := os.fsdecode(source)):
            raise ValueError(f"Module(): parameter 'source' contains a NUL character: {path!r}")
        data = files.read(path, _LARGEST)
    elif isinstance(source, bytes):
        data = source
    else:
        try:
            data = bytes(memoryview(source))
        except TypeError:
            raise TypeError(
                "Module(): parameter 'source' must be a path, or code as bytes (cubin, fatbin, "
                f"PTX, hsaco), not {type(source).__name__}"
            ) from None
    if not data:
        raise ValueError("Module(): the code is empty")
    parts = base.images(data)
    if not parts:
        raise ValueError("Module(): this program or shared object has no device code in it")
    return parts


def is_ptx(data: bytes) -> bool:
    """Whether code is text that the driver compiles."""
    head = data[:4096].lstrip()
    return head.startswith((b".version", b"//")) and b"\0" not in data[:-1]


def parameters(image: bytes) -> Mapping[str, tuple[Parameter, ...]]:
    """What is known of the parameters of each kernel without loading it."""
    if isinstance(image, Compiled):
        return image.parameters
    if is_ptx(image):
        return of.of_ptx(image)
    return hsaco.parameters(image)


def named(name: str, sizes: list[int]) -> tuple[Parameter, ...]:
    """Sizes that the driver tells, with what a mangled name adds."""
    return of.refined(name, [Parameter(size, "") for size in sizes])
