"""The parameters of kernels, from PTX and mangled names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from PyGPU._kernels import mangled


class Parameter(NamedTuple):
    """One parameter of a kernel.

    `kind` is "float", "integer", "pointer", or "bytes" for a struct and for what is only known by
    its size. It is "word" for 8 bytes that are an integer or a pointer: PTX of an `extern "C"`
    kernel names both `.u64`. `signed` is None where that is not known. `offset` is its place in
    the block of all arguments. `type` is C's name, else PTX's. `element` is what lies behind a
    pointer: a kind and a size ("f4"), as mangled.CType has it.
    """

    size: int
    kind: str
    signed: bool | None = None
    offset: int = 0
    type: str = ""
    element: str = ""


# Strings and comments, which may contain anything.
_ASIDE = re.compile(r'"[^"\n]*"|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_ENTRY = re.compile(r"\.entry\s+([\w$]+)\s*(?:\(([^)]*)\))?")
_PARAMETER = re.compile(
    r"\.param\s+(?:\.align\s+(?P<before>[1-9]\d{0,8})\s+)?"
    r"\.(?P<letter>[busf])(?P<bits>8|16|32|64|128)"
    r"(?P<pointer>\s+\.ptr(?:\s+\.(?:const|global|local|shared))?(?:\s+\.align\s+\d+)?)?"
    r"\s+[\w$]+(?:\[(?P<count>\d{1,18})\])?"
)


def of_ptx(text: str) -> dict[str, tuple[Parameter, ...]]:
    """The parameters of each kernel in PTX, by the kernel's lowered name.

    Kernels with parameters of other types (`.texref`) are left out.
    """
    kernels = {}
    for entry in _ENTRY.finditer(_ASIDE.sub(" ", text)):
        name, listed = entry.groups()
        parameters = _listed(listed or "")
        if parameters is not None:
            kernels[name] = refined(name, parameters)
    return kernels


def _listed(text: str) -> list[Parameter] | None:
    """What stands between the parentheses of a kernel; None where one can't be read."""
    parameters, end = [], 0
    for text_of_one in text.split(",") if text.strip() else ():
        read = _of_ptx(text_of_one)
        if read is None:
            return None
        one, alignment = read
        start = -(-end // alignment) * alignment
        parameters.append(one._replace(offset=start))
        end = start + one.size
    return parameters


def refined(name: str, parameters: Sequence[Parameter]) -> tuple[Parameter, ...]:
    """The parameters with what the mangled name adds, if both agree on every size."""
    understood = mangled.function(name)
    if understood is None or len(understood.parameters) != len(parameters):
        return tuple(parameters)
    pairs = list(zip(parameters, understood.parameters, strict=True))
    if not all(_agree(one, known) for one, known in pairs):
        return tuple(parameters)
    return tuple(_joined(one, known) for one, known in pairs)


def plain_names(kernels: Mapping[str, tuple[Parameter, ...]]) -> dict[str, str]:
    """The C++ names of kernels, with their lowered names; overloads and templates are left out."""
    named: dict[str, list[str]] = {}
    for lowered in kernels:
        understood = mangled.function(lowered)
        plain = understood.name if understood else "" if lowered.startswith("_Z") else lowered
        if plain:
            named.setdefault(plain, []).append(lowered)
    return {plain: lowered[0] for plain, lowered in named.items() if len(lowered) == 1}


def _of_ptx(text: str) -> tuple[Parameter, int] | None:
    """A parameter with its alignment; None for a type that isn't known."""
    match = _PARAMETER.fullmatch(text.strip())
    if match is None:
        return None
    letter, size = match["letter"], int(match["bits"]) // 8
    if match["count"]:
        total = size * int(match["count"])
        return Parameter(total, "bytes", type=f"b8[{total}]"), int(match["before"] or size)
    name = letter + match["bits"]
    if letter == "f":
        return Parameter(size, "float", type=name), size
    if match["pointer"]:
        return Parameter(size, "pointer", type="pointer"), size
    # ptxas treats s and u alike, and NVRTC writes u for both.
    return Parameter(size, "word" if size == 8 else "integer", type=name), size


def _agree(one: Parameter, known: mangled.CType) -> bool:
    if known.kind == "class":
        return True
    return known.size == one.size and one.kind in (known.kind, "bytes", "word", "")


def _joined(one: Parameter, known: mangled.CType) -> Parameter:
    if known.kind == "class":  # enums are mangled like classes
        return one._replace(kind="integer") if one.kind == "word" else one
    return one._replace(
        kind=known.kind, signed=known.signed, element=known.element, type=known.name
    )
