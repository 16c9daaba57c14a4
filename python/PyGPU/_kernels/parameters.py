"""The parameters of kernels, from PTX and mangled names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from PyGPU._kernels import base, mangled


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


def of_ptx(text: str | bytes) -> dict[str, tuple[Parameter, ...]]:
    """The parameters of each kernel in PTX, by the kernel's lowered name.

    Kernels with parameters of other types (`.texref`) are left out.
    """
    return {
        name: refined(name, [Parameter(*one) for one in listed])
        for name, listed in base.ptx_kernels(text).items()
    }


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
