"""Structs of an API as bytes, with what their pointers to the host's memory point to.

A pointer is found among the struct's bytes: a word that is no handle, no address in memory that the
trace knows, but one of readable memory. Then the field's name says what is there.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import Any

from .. import memory as own_memory
from ..objects import SMALLEST, is_struct
from . import found
from .asked import Memory

_WORD = 8
_DEPTH = 4
_NO_FIELDS = frozenset(("address", "from_address", "from_bytes", "sizeof"))
_ATTRIBUTES = ("cudaLaunchAttribute", "CUlaunchAttribute", "hipLaunchAttribute")

Path = list[tuple[Any, str]]  # from the outermost struct to the field


def made_of(value: Any, api: str, type_: str) -> Any:
    """The struct of these fields, where the parameter takes a dict or a tuple; else the value."""
    kind, _, name = type_.partition(" ")
    if kind not in ("struct", "itself") or not isinstance(value, Mapping | tuple):
        return value
    struct: Any = getattr(importlib.import_module(f"PyGPU.{api}"), name, None)
    if struct is None:
        return value
    return struct(**value) if isinstance(value, Mapping) else struct(*value)


def encoded(value: Any, memory: Memory) -> Any:
    """A struct as JSON: see encode.py."""
    data = bytes(memoryview(value))
    made: dict[str, Any] = {
        "s": f"{type(value).__module__}.{type(value).__name__}",
        "x": data.hex(),
    }
    pointers: dict[str, Any] = {}
    for at in range(0, len(data) - _WORD + 1, _WORD):
        number = int.from_bytes(data[at : at + _WORD], "little")
        if number < SMALLEST or memory.word(number) or own_memory.read(number, 1) is None:
            continue
        node = _behind(value, number, memory)
        if "?" in node:
            return node
        pointers[str(at)] = node
    if pointers:
        made["p"] = pointers
    return made


def _behind(value: Any, address: int, memory: Memory) -> Any:
    """What a pointer to the host's memory points to."""
    for path in _paths(value, address, _DEPTH):
        owner, field = path[-1]
        if field == "attrs":
            return _attributes(owner, address, memory)
        if field == "kernelParams":
            return _kernel_arguments(owner, address, memory)
        if field in ("srcHost", "dstHost"):
            reach = _reach_of_driver(owner, field[:3])
            return memory.side(address, reach, "dst" if field == "dstHost" else "src")
        if field == "ptr" and len(path) > 1 and path[-2][1] in ("srcPtr", "dstPtr"):
            side = path[-2][1][:3]
            return memory.side(address, _reach(path[-2][0], side), side)
    return {"?": f"the memory that a field of {type(value).__name__} points to"}


def _paths(value: Any, address: int, depth: int) -> Iterator[Path]:
    """The fields with this address: several, where a union has it."""
    for name in dir(value):
        if name.startswith("_") or name in _NO_FIELDS:
            continue
        try:
            field = getattr(value, name)
        except (AttributeError, ValueError, TypeError):
            continue
        if name == "attrs" or (isinstance(field, int) and int(field) == address):
            yield [(value, name)]
        elif is_struct(field) and depth:
            for path in _paths(field, address, depth - 1):
                yield [(value, name), *path]


def _reach(copy: Any, side: str) -> int:
    """The bytes from a pitched pointer of a 3-D copy on to the last one that it reaches."""
    pointer, position, extent = (
        getattr(copy, one) for one in (f"{side}Ptr", f"{side}Pos", "extent")
    )
    other = "dst" if side == "src" else "src"
    # With an array on the other side, widths are elements of unknown size.
    width = pointer.pitch if int(getattr(copy, f"{other}Array")) else position.x + extent.width
    rows = (position.z + extent.depth - 1) * pointer.ysize + position.y + extent.height - 1
    return int(rows * pointer.pitch + width)


def _reach_of_driver(copy: Any, side: str) -> int:
    """The same of the driver's structs for copies."""

    def number(name: str, default: int = 0) -> int:
        return int(getattr(copy, name, default))

    width = number(f"{side}XInBytes") + number("WidthInBytes")
    pitch = number(f"{side}Pitch") or width
    slices = number(f"{side}Z") + number("Depth", 1) - 1
    rows = slices * number(f"{side}Height") + number(f"{side}Y") + number("Height") - 1
    return rows * pitch + width


def _attributes(config: Any, address: int, memory: Memory) -> Any:
    """The attributes of a launch, whose values have no pointers to the host's memory."""
    module = importlib.import_module(type(config).__module__)
    kinds = (getattr(module, one, None) for one in _ATTRIBUTES)
    kind: Any = next((one for one in kinds if one is not None), None)
    if kind is None:
        return {"?": "the attributes of a launch"}
    return memory.host(address, config.numAttrs * kind.sizeof, "attrs", "readable", None)


def _kernel_arguments(node: Any, address: int, memory: Memory) -> Any:
    """A kernel's arguments by value, if the driver tells their sizes."""
    names = ("func", "cuFunc", "kern")
    functions = [int(getattr(node, one)) for one in names if hasattr(node, one)]
    for function in filter(None, functions):
        if (arguments := values_at(function, address)) is not None:
            for one in arguments:
                memory.words(one)
            return {"k": [{"x": one.hex()} for one in arguments]}
    return {"?": "a kernel's arguments: nothing tells their sizes"}


def values_at(function: int, address: int) -> list[bytes] | None:
    """The arguments of a kernel behind a `void **`; None if nothing tells their sizes."""
    sizes = found.sizes_of_parameters(function)
    if sizes is None:
        return None
    values = []
    for at, size in enumerate(sizes):
        pointer = own_memory.read(address + at * _WORD, _WORD)
        value = own_memory.read(int.from_bytes(pointer, "little"), size) if pointer else None
        if value is None:
            return None
        values.append(value)
    return values
