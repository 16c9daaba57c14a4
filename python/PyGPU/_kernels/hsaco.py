"""The kernels of an AMD code object, by the metadata that the compiler puts into it.

LLVM's user guide of the AMDGPU back end describes it: an ELF note with a MessagePack of maps
(https://llvm.org/docs/AMDGPUUsage.html#code-object-v3-metadata).
"""

from __future__ import annotations

import struct
from typing import Any

from PyGPU._kernels import base
from PyGPU._kernels.parameters import Parameter, refined


def parameters(code: bytes) -> dict[str, tuple[Parameter, ...]]:
    """The parameters of each kernel, by its lowered name; none for what isn't such a code object.

    The metadata tells sizes and pointers only. A value's kind is "bytes" unless the mangled name
    says it.
    """
    try:
        metadata, _ = _unpacked(base.metadata(code), 0)
        return {
            kernel[".name"]: refined(
                kernel[".name"], [_parameter(one) for one in kernel.get(".args", ()) if _own(one)]
            )
            for kernel in metadata.get("amdhsa.kernels", ())
        }
    except (
        struct.error,
        LookupError,
        TypeError,
        AttributeError,
        ValueError,
        OverflowError,
        RecursionError,
    ):
        return {}


def _own(argument: dict[str, Any]) -> bool:
    """Whether the source declares it; the runtime fills the hidden ones."""
    return not str(argument[".value_kind"]).startswith("hidden_")


def _parameter(argument: dict[str, Any]) -> Parameter:
    pointer = argument[".value_kind"] in ("global_buffer", "dynamic_shared_pointer")
    size = int(argument[".size"])
    kind = "pointer" if pointer else "bytes"
    return Parameter(size, kind, offset=int(argument[".offset"]), type=kind)


# MessagePack: the first bytes of long forms, with the format of the number or size that follows.
_NUMBERS = {
    0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q", 0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q",
    0xCA: ">f", 0xCB: ">d",
}  # fmt: skip
_TEXTS = {0xD9: ">B", 0xDA: ">H", 0xDB: ">I", 0xC4: ">B", 0xC5: ">H", 0xC6: ">I"}
_LISTS = {0xDC: ">H", 0xDD: ">I"}
_MAPS = {0xDE: ">H", 0xDF: ">I"}
_SINGLE = {0xC0: None, 0xC2: False, 0xC3: True}


def _unpacked(data: bytes, at: int) -> tuple[Any, int]:
    """The value at a place, and where the next one starts."""
    first = data[at]
    at += 1
    if first < 0x80 or first >= 0xE0:
        return first - (256 if first >= 0xE0 else 0), at
    if first in _SINGLE:
        return _SINGLE[first], at
    if form := _NUMBERS.get(first):
        return struct.unpack_from(form, data, at)[0], at + struct.calcsize(form)
    if first < 0x90:
        return _map(data, at, first & 15)
    if first < 0xA0:
        return _list(data, at, first & 15)
    if first < 0xC0:
        size = first & 31
    else:
        form = _TEXTS.get(first) or _LISTS.get(first) or _MAPS[first]
        (size,) = struct.unpack_from(form, data, at)
        at += struct.calcsize(form)
        if first in _LISTS:
            return _list(data, at, size)
        if first in _MAPS:
            return _map(data, at, size)
    if at + size > len(data):
        raise IndexError(at)
    return data[at : at + size].decode("utf-8", "replace"), at + size


def _list(data: bytes, at: int, count: int) -> tuple[list[Any], int]:
    items = []
    for _ in range(count):
        one, at = _unpacked(data, at)
        items.append(one)
    return items, at


def _map(data: bytes, at: int, count: int) -> tuple[dict[Any, Any], int]:
    items = {}
    for _ in range(count):
        key, at = _unpacked(data, at)
        items[key], at = _unpacked(data, at)
    return items, at
