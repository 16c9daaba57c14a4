"""PyGPU's own calls: their values as C++ hands them over."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import Any

from PyGPU._trace.values import Function

LAUNCH = "pygpuLaunch"  # of a PyGPU.Kernel: src/handwritten/kernels/launch.cpp
OF_HOST = "LaunchHostFunc"  # fills or empties staging memory, whose bytes the trace has
_SIZES = ("grid", "block", "cluster")


def arguments(function: Function, items: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """The arguments by name. A launch has its kernel's arguments as bytes, or None, if unknown."""
    given = {
        name: _value(kind, value)
        for (name, _), (kind, value) in zip(function.parameters, items, strict=False)
    }
    if function.name != LAUNCH:
        return given
    for name in _SIZES:
        given[name] = list(struct.unpack("<3I", given[name]))
    rest = [value for _, value in items[len(function.parameters) :]]
    given["parameters"] = rest if given.pop("known") and None not in rest else None
    return given


def _value(kind: str, value: Any) -> Any:
    return value.decode("utf-8", "replace") if kind == "t" else value


def results(outputs: Sequence[tuple[str, str]], items: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """The results as JSON: addresses, or the handle of a new stream."""
    pairs = zip(outputs, items, strict=False)
    return {name: {"h" if "Stream" in name else "a": value} for (name, _), (_, value) in pairs}
