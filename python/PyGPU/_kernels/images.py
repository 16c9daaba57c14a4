"""Reads device code as bytes, and what it says about its kernels."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from PyGPU._kernels import files, hsaco
from PyGPU._kernels import parameters as of
from PyGPU._kernels.compiled import Compiled
from PyGPU._kernels.parameters import Parameter

_ELF = b"\x7fELF"
_FATBIN = (0xBA55ED50).to_bytes(4, "little")
_NVIDIA = 190  # EM_CUDA
_AMD = 224  # EM_AMDGPU
_LARGEST = 8 << 30  # of a program with device code in it, in bytes


def read(source: Any) -> list[bytes]:
    """The code of a path or a buffer; a program has one part for each of its source files.

    Raises TypeError, OSError or ValueError.
    """
    if isinstance(source, (str, os.PathLike)):
        data = files.read(os.fspath(source), _LARGEST)
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
    if data[:4] == _ELF and int.from_bytes(data[18:20], "little") not in (_NVIDIA, _AMD):
        return _fatbins(data)
    return [data]


def _fatbins(data: bytes) -> list[bytes]:
    """The fatbins that nvcc or hipcc put into a program or a shared object.

    nvcc's linker puts one without kernels before them.
    """
    if section := _section(data, ".nv_fatbin"):
        return _apart(section)
    if section := _section(data, ".hip_fatbin"):
        return [section]
    raise ValueError("Module(): this program or shared object has no device code in it")


def _apart(section: bytes) -> list[bytes]:
    """Fatbins, one behind another: each has its magic number, and the size of header and body."""
    parts, start = [], section.find(_FATBIN)
    while start >= 0:
        header = int.from_bytes(section[start + 6 : start + 8], "little")
        end = start + header + int.from_bytes(section[start + 8 : start + 16], "little")
        parts.append(section[start:end])
        start = section.find(_FATBIN, max(end, start + 16))
    return parts or [section]


def _section(data: bytes, wanted: str) -> bytes:
    """A section of a 64-bit ELF file by its name; empty where there is none."""

    def number(at: int, size: int) -> int:
        return int.from_bytes(data[at : at + size], "little")

    start, size, count, names = (number(40, 8), number(58, 2), number(60, 2), number(62, 2))
    headers = [start + at * size for at in range(count)]
    if not headers or names >= count:
        return b""
    texts = number(headers[names] + 24, 8)
    text = wanted.encode() + b"\0"
    for header in headers:
        at = texts + number(header, 4)
        if data[at : at + len(text)] == text:
            first = number(header + 24, 8)
            return data[first : first + number(header + 32, 8)]
    return b""


def is_ptx(data: bytes) -> bool:
    """Whether code is text that the driver compiles."""
    head = data[:4096].lstrip()
    return head.startswith((b".version", b"//")) and b"\0" not in data[:-1]


def parameters(image: bytes) -> Mapping[str, tuple[Parameter, ...]]:
    """What is known of the parameters of each kernel without loading it."""
    if isinstance(image, Compiled):
        return image.parameters
    if is_ptx(image):
        return of.of_ptx(image.decode(errors="replace"))
    return hsaco.parameters(image)


def named(name: str, sizes: list[int]) -> tuple[Parameter, ...]:
    """Sizes that the driver tells, with what a mangled name adds."""
    return of.refined(name, [Parameter(size, "") for size in sizes])
