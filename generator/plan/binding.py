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
class StructField:
    """A field as structs/layout.hpp has it: where it lies, and what Python sees of it.

    `size` is of one element, `count` 0 for what is no array; `layout` is which layout of a nested
    struct it is. `item_*` describe what a pointer with a counted array of values points to.
    """

    name: str
    type: str
    scalar: str
    role: str
    offset: int
    size: int
    count: int
    positional: bool
    default: int
    index: int = 0
    layout: int = 0
    bit: int = 0
    bits: int = 0
    counted_by: str | None = None
    item_role: str = "plain"
    item_index: int = 0
    item_size: int = 0


@dataclass(frozen=True, slots=True)
class StructLayout:
    """The fields of a struct in the releases from `since` to `until`."""

    since: str
    until: str
    size: int
    fields: tuple[StructField, ...]


@dataclass(frozen=True, slots=True)
class StructType:
    """A struct or union: the name Python shows, C's tag, and its layouts from the oldest on.

    `complete` says that the generated C++ defines it; `room` is the size of its largest layout.
    """

    name: str
    tag: str
    kind: str
    layouts: tuple[StructLayout, ...]
    complete: bool
    room: int


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
    struct_types: tuple[StructType, ...]
    anonymous: Mapping[str, Struct]
    entries: tuple[EntryPoint, ...]
    groups: Mapping[str, tuple[Wrapper, ...]]
    errors: tuple[tuple[int, str], ...]
    error_aliases: tuple[str, ...]
    names: tuple[PublicName, ...]
