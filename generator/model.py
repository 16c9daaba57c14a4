"""What the headers declare: one release (Release), and all listed ones merged (Api). Immutable.

The annotations are the schema of api.json (schema.py); store.py reads and writes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Generic, TypeVar

from generator.schema import (
    Flag,
    Name,
    Text,
    TypeName,
    as_text,
    matching,
    number,
    one_of,
)

Size = Annotated[int, number(0, 2**31)]
Value = Annotated[int, number(-(2**63), 2**64 - 1)]
Integer = Annotated[
    str,
    matching(
        r"(signed |unsigned )?char|(unsigned )?(short|int|long|long long)|u?int(8|16|32|64)_t|bool"
        r"|size_t|uintptr_t",
        "a type of whole numbers",
    ),
]
_A_C_TYPE = matching(
    r"(const )?[A-Za-z_][\w.]*( [A-Za-z_]\w*)*( (\*|\*const ?)+)?(\[\d{1,9}\])*", "a C type"
)


@dataclass(frozen=True, slots=True)
class Source:
    """Where a declaration stands: the header's path inside the include folder, and the line.

    A header of another API has that API's name and a colon before its path.
    """

    header: str
    line: int

    @property
    def owner(self) -> str | None:
        """The other API whose header it is; None for this API's own."""
        name, colon, _ = self.header.partition(":")
        return name if colon else None

    def __str__(self) -> str:
        return f"{self.header}:{self.line}"

    @classmethod
    def parse(cls, text: str) -> Source:
        """Read back what str() wrote."""
        header, _, line = text.rpartition(":")
        return cls(header, int(line))


@dataclass(frozen=True, slots=True)
class CType:
    """A C type: a base name, its constness, and the pointers and array bounds around it.

    `pointers` runs from the innermost star outwards. Each entry says whether that pointer itself is
    const: `void *const *` is base "void", pointers (True, False). The keywords `struct` and `enum`
    are dropped; names of typedefs stay as the header spells them.
    """

    base: str
    const: bool = False
    pointers: tuple[bool, ...] = ()
    extents: tuple[int, ...] = ()

    def __str__(self) -> str:
        text = ("const " if self.const else "") + self.base
        if self.pointers:
            text += "" if text.endswith("*") else " "
            text += "".join("*const " if const else "*" for const in self.pointers).rstrip()
        return text + "".join(f"[{extent}]" for extent in self.extents)

    def declare(self, name: str) -> str:
        """A declaration in C: `int *device`, `char name[256]`."""
        head = str(CType(self.base, self.const, self.pointers))
        bounds = "".join(f"[{extent}]" for extent in self.extents)
        return f"{head}{'' if head.endswith('*') else ' '}{name}{bounds}"

    @property
    def is_void(self) -> bool:
        """Whether it is void, and so no value."""
        return self == CType("void")

    @property
    def is_text(self) -> bool:
        """Whether it is const char *."""
        return self.base == "char" and self.const and len(self.pointers) == 1

    @property
    def is_pointer(self) -> bool:
        return bool(self.pointers)

    @property
    def pointee(self) -> CType:
        """The type behind the outermost pointer."""
        return CType(self.base, self.const, self.pointers[:-1])

    @property
    def points_to_const(self) -> bool:
        """Whether C promises not to write through the outermost pointer."""
        return self.pointers[-2] if len(self.pointers) > 1 else self.const

    @classmethod
    def parse(cls, text: str) -> CType:
        """Read back what str() wrote."""
        head, *bounds = text.replace("]", "").split("[")
        base, star, stars = head.partition("*")
        const = base.startswith("const ")
        pointers = [part.strip() == "const" for part in stars.split("*")] if star else []
        return cls(
            base.removeprefix("const ").strip(), const, tuple(pointers), tuple(map(int, bounds))
        )


as_text(Source, matching(r"[^\x00-\x1f]+:\d{1,9}", "a header and its line"), Source.parse)
as_text(CType, _A_C_TYPE, cache(CType.parse))


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter, and what its documentation votes for (a vote, not a fact: tags are often wrong).

    `default` is the default of the header's C++ form: an integer's text or an enumerator's name.
    `tag` is "in", "out" or "inout". `returned` is set if its entry begins with "Returned" or the
    like; `several` is set if the entry speaks of an array, or of one value for each of something.
    `counted` is the parameter that is said to hold the number of elements. `optional` is set if the
    pointer is said to be possibly NULL, `placed` if it may lead to a vector or to device memory.
    """

    name: Name
    type: CType
    default: Text | None = None
    tag: Annotated[str, one_of("in", "out", "inout")] | None = None
    returned: Flag = False
    several: Flag = False
    counted: Name | None = None
    optional: Flag = False
    placed: Flag = False


@dataclass(frozen=True, slots=True)
class Function:
    """A function under its public name; `symbol` is what the library exports for it.

    The two differ where the header renames by macro, or `forwards`: the header defines the name
    inline, and only calls the symbol. `per_thread` is the symbol that takes the per-thread default
    stream instead. `errors` are the codes its documentation lists.
    """

    name: Name
    symbol: Name
    result: CType
    parameters: tuple[Parameter, ...]
    group: Annotated[str, matching(r"\w+", "a group")]
    source: Source = field(compare=False)
    per_thread: Name | None = None
    errors: tuple[Name, ...] = field(default=(), compare=False)
    deprecated: Flag = field(default=False, compare=False)
    forwards: Flag = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Field:
    """A struct's member. Offsets and widths are in bits where `bits` is set, else offsets in bytes.

    An anonymous struct or union has a type named after its owner and place
    ("cudaResourceDesc.res"); its own `name` is empty where C has none.
    """

    name: Annotated[str, matching(r"\w*", "a field's name")]
    type: CType
    offset: Size
    bits: Annotated[int, number(0, 64)] | None = None


@dataclass(frozen=True, slots=True)
class Struct:
    """A struct or union with its layout on the 64-bit Linux ABI: all in bytes."""

    name: TypeName
    kind: Annotated[str, one_of("struct", "union")]
    size: Size
    align: Annotated[int, one_of(*(2**power for power in range(13)))]
    fields: tuple[Field, ...]
    source: Source = field(compare=False)


@dataclass(frozen=True, slots=True)
class Enumerator:
    name: Name
    value: Value
    deprecated: Flag = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Enum:
    name: TypeName
    underlying: Integer
    enumerators: tuple[Enumerator, ...]
    source: Source = field(compare=False)


@dataclass(frozen=True, slots=True)
class Macro:
    """A macro with an integer value; `type` is the type that the header casts it to, if it does."""

    name: Name
    value: Value
    source: Source = field(compare=False)
    type: Annotated[str, _A_C_TYPE] | None = None


@dataclass(frozen=True, slots=True)
class Alias:
    """A typedef of a scalar or pointer type: `typedef unsigned long long cudaTextureObject_t`."""

    name: TypeName
    type: CType
    source: Source = field(compare=False)


@dataclass(frozen=True, slots=True)
class Handle:
    """A typedef of a pointer to a struct that the headers never define (`cudaStream_t`).

    `untyped`: C has a typedef of `void *` (`hipblasHandle_t`), and the struct is PyGPU's own.
    """

    name: TypeName
    struct: TypeName
    source: Source = field(compare=False)
    const: Flag = False
    untyped: Flag = False


@dataclass(frozen=True, slots=True)
class Callback:
    """A typedef of a function pointer type."""

    name: TypeName
    result: CType
    parameters: tuple[Parameter, ...]
    source: Source = field(compare=False)


Node = TypeVar("Node", Function, Struct, Enum, Macro, Alias, Handle, Callback)


@dataclass(frozen=True, slots=True)
class Release:
    """All declarations of one release of one API, by name.

    Known only if just read: `inline` are functions that the headers define themselves, `left_out`
    are functions that this model can't express, with the reasons, and `notes` are for the reader.
    """

    api: str
    version: str
    functions: Mapping[str, Function]
    structs: Mapping[str, Struct]
    enums: Mapping[str, Enum]
    macros: Mapping[str, Macro]
    aliases: Mapping[str, Alias]
    handles: Mapping[str, Handle]
    callbacks: Mapping[str, Callback]
    inline: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Variant(Generic[Node]):
    """One form of a declaration and the releases that have it, both ends included."""

    since: str
    until: str
    node: Node


@dataclass(frozen=True, slots=True)
class Api:
    """All releases of an API merged. A name's variants are sorted from oldest to newest."""

    name: str
    releases: tuple[str, ...]
    functions: Mapping[str, tuple[Variant[Function], ...]]
    structs: Mapping[str, tuple[Variant[Struct], ...]]
    enums: Mapping[str, tuple[Variant[Enum], ...]]
    macros: Mapping[str, tuple[Variant[Macro], ...]]
    aliases: Mapping[str, tuple[Variant[Alias], ...]]
    handles: Mapping[str, tuple[Variant[Handle], ...]]
    callbacks: Mapping[str, tuple[Variant[Callback], ...]]

    @property
    def newest(self) -> str:
        return self.releases[-1]
