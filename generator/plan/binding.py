"""The plan of one API's bindings: what each generated file holds, ready to print."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from generator.model import Alias, Callback, Enum, Struct


@dataclass(frozen=True, slots=True)
class Input:
    """A parameter of a wrapper and of the Python signature."""

    name: str
    python_name: str
    type: str
    default: int | None = None
    keyword_only: bool = False


@dataclass(frozen=True, slots=True)
class Need:
    """How much C touches behind an input: its index, and a C++ expression over the inputs."""

    index: int
    size: str


@dataclass(frozen=True, slots=True)
class Settle:
    """Two inputs that are only understood together: how the first is settled by the second."""

    index: int
    how: str
    other: int


@dataclass(frozen=True, slots=True)
class Wrapper:
    """One wrapper: statements before and after the call, `arguments` what C gets in C's order.

    `asks` is the call that finds the count `counted` when the caller left it out.
    """

    name: str
    entry: str
    prototype: str
    group: str
    inputs: tuple[Input, ...]
    before: tuple[str, ...]
    asks: str | None
    counted: str | None
    arguments: tuple[str, ...]
    after: tuple[str, ...]
    results: tuple[str, ...]
    result_types: tuple[str, ...]
    result_type: str
    returns_status: bool
    substitute: str | None
    needs: tuple[Need, ...]
    settles: tuple[Settle, ...]
    gil: str
    checked: str
    signature: str
    doc: tuple[str, ...]
    raw: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """A symbol of the library with its C++ prototype, as `cudaError_t(int *)`."""

    name: str
    symbol: str
    per_thread: str | None
    prototype: str


@dataclass(frozen=True, slots=True)
class HandleType:
    """An opaque struct, the handle typedefs that point to it, and how Python owns one."""

    struct: str
    name: str
    const_name: str | None
    special: int = 0
    create: str | None = None
    keywords: str = ""
    destroy: str | None = None


@dataclass(frozen=True, slots=True)
class PublicName:
    """A name of the directory: its kind and index as names/directory.hpp has them."""

    name: str
    kind: str
    index: int = 0
    value: int = 0


@dataclass(frozen=True, slots=True)
class BindingPlan:
    """Everything that the templates print for one API."""

    api: str
    namespace: str
    status: str
    error_class: str
    handles: tuple[HandleType, ...]
    opaque: tuple[str, ...]
    enums: tuple[Enum, ...]
    aliases: tuple[Alias, ...]
    callbacks: tuple[Callback, ...]
    structs: tuple[Struct, ...]
    anonymous: Mapping[str, Struct]
    entries: tuple[EntryPoint, ...]
    groups: Mapping[str, tuple[Wrapper, ...]]
    errors: tuple[tuple[int, str], ...]
    error_aliases: tuple[str, ...]
    names: tuple[PublicName, ...]
