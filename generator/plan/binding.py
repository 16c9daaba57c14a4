"""The plan of one API's bindings: what each generated file holds, ready to print."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from generator.manifest import Manifest
from generator.model import Alias, Callback, CType, Enum, Parameter, Struct
from generator.plan.shapes import Argument, Ask, Cut, Input, Local, Result
from generator.plan.span import Span


@dataclass(frozen=True, slots=True)
class SizeRequirement:
    """How much C touches behind an input: its index, and a formula over the parameters."""

    index: int
    size: str


@dataclass(frozen=True, slots=True)
class CrossCheck:
    """Two inputs that are only understood together: how the first is checked by the second."""

    index: int
    how: str
    other: int


@dataclass(frozen=True, slots=True)
class Wrapper:
    """One wrapper: `locals` before the call, `arguments` what C gets in C's order, and the results.

    `result` is what C itself returns. `summary` is what it does, `values` are its parameters and
    results with what they are, `history` says which releases have it.
    """

    name: str
    group: str
    inputs: tuple[Input, ...]
    locals: tuple[Local, ...]
    ask: Ask | None
    arguments: tuple[Argument, ...]
    cuts: tuple[Cut, ...]
    results: tuple[Result, ...]
    result: CType
    returns_status: bool
    substitute: str | None
    size_requirements: tuple[SizeRequirement, ...]
    cross_checks: tuple[CrossCheck, ...]
    gil: str
    checked: str
    signature: str
    doc: tuple[str, ...]
    prototype: str
    summary: str | None
    values: tuple[tuple[str, str], ...]
    history: str
    errors: tuple[str, ...]
    raw: Mapping[str, str]

    @property
    def returns_value(self) -> bool:
        """Whether C returns what is neither nothing nor a status."""
        return not self.returns_status and not self.result.is_void


@dataclass(frozen=True, slots=True)
class SymbolRange:
    """What serves an entry point from one release to another, as numbers (1209 is 12.9).

    A symbol, else the adaptor of that name, else nothing: then calls return ErrorNotSupported.
    """

    since: int
    until: int
    symbol: str | None
    per_thread: str | None
    adaptor: str | None = None

    def serves(self) -> tuple[str | None, ...]:
        """What is the same in releases that need no range of their own."""
        return (self.symbol, self.per_thread, self.adaptor)

    def until_release(self, until: int) -> SymbolRange:
        """The same with another end."""
        return replace(self, until=until)


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """An exported function: what it gives and takes in C.

    `symbol` serves it but in the releases of `others`. `function` is the public name, None for a
    form that only adaptors call.
    """

    name: str
    function: str | None
    symbol: str
    per_thread: str | None
    result: CType
    parameters: tuple[Parameter, ...]
    others: tuple[SymbolRange, ...]


@dataclass(frozen=True, slots=True)
class Given:
    """An argument of the older form.

    `value` is the parameter that holds it. With `cast` it is passed without its const; with
    `converted` it is made of another type; an empty one is an output that nobody reads.
    """

    name: str
    type: CType
    value: str = ""
    cast: bool = False
    converted: bool = False


@dataclass(frozen=True, slots=True)
class Adaptor:
    """A function with the newest form that calls the entry of its own name: an older form's.

    `refused` are inputs that the older form lacks: any value but zero can't be expressed. Outputs
    that it lacks are left alone.
    """

    name: str
    result: CType
    parameters: tuple[Parameter, ...]
    refused: tuple[str, ...]
    arguments: tuple[Given, ...]

    @property
    def used(self) -> frozenset[str]:
        """The parameters that the body names."""
        return frozenset(self.refused) | {one.value for one in self.arguments}


@dataclass(frozen=True, slots=True)
class Ownership:
    """The functions that make and end a handle; `keywords` are the constructor's.

    `optional` are those that are None when they are left out. `by_pointer`: the handle is ended
    through a pointer to it. `registers`: callables may be registered with it.
    """

    create: str
    destroy: str
    keywords: tuple[Input, ...]
    optional: tuple[str, ...] = ()
    by_pointer: bool = False
    registers: bool = False


@dataclass(frozen=True, slots=True)
class HandleType:
    """An opaque struct, the handle typedefs that point to it, and how Python owns one.

    `role` is "stream", "event" or "kernel" where the manifest says so, and `also` are the tags of
    other structs that it may point to. `home` is the module whose class it is, where that is
    another API's.
    """

    struct: str
    name: str
    const_name: str | None
    role: str | None = None
    special: int = 0
    own: int = 0
    owned: Ownership | None = None
    home: str | None = None
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StructField:
    """A field as types/structs/layout.hpp has it: where it lies, and what Python sees of it.

    `size` is of one element, `count` 0 for what is no array; `layout` is which layout of a nested
    struct it is. `item_*` describe what a pointer leads to: a counted array of values, a launch's
    arguments, code; `lent` says that C alone writes the array. `boolean`: a number that is true or
    false to C. `user_data` is the field beside a callable, `other` how far apart the two are.
    """

    name: str
    type: CType
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
    lent: bool = False
    boolean: bool = False
    user_data: str | None = None
    other: int = 0


@dataclass(frozen=True, slots=True)
class TypedCase:
    """What one enumerator stands for; `field` is None where that is no value.

    `since` and `until` are the releases that give it this number, where others give another.
    """

    name: str
    enumerator: int
    type: CType | None
    field: StructField | None
    by_value: bool
    array: bool
    written: bool
    size_of: int
    since: int = 0
    until: int = 9999


@dataclass(frozen=True, slots=True)
class TypedTable:
    """Which type each enumerator decides; `whole` is the index of the union among the structs."""

    name: str
    union: str | None
    whole: int
    cases: tuple[TypedCase, ...]


@dataclass(frozen=True, slots=True)
class NumberAt:
    """A number in a struct: how it is kept, and how many bytes from the struct's begin."""

    scalar: str
    offset: int


@dataclass(frozen=True, slots=True)
class StructLength:
    """The bytes behind the pointer at `path`, `offset` bytes from a struct's begin: a formula.

    `nested` is instead the struct there, in its layout, that has lengths of its own; `when` is the
    condition of either. `names` are the numbers that they are made of.
    """

    path: str
    offset: int
    bytes: str | None
    nested: tuple[int, int] | None
    when: str | None
    names: Mapping[str, int | NumberAt]


@dataclass(frozen=True, slots=True)
class StructLayout:
    """The fields of a struct in the releases from `since` to `until`."""

    since: str
    until: str
    size: int
    fields: tuple[StructField, ...]
    lengths: tuple[StructLength, ...] = ()


@dataclass(frozen=True, slots=True)
class FieldRow:
    """A field and the releases that have it so; `counter` is how far away the field is that counts
    its items.
    """

    field: StructField
    counter: int | None
    since: int
    until: int


@dataclass(frozen=True, slots=True)
class StructType:
    """A struct or union: the name Python shows, C's tag, and its layouts from the oldest on, with
    the `spans` of their releases. `rows` are the fields of all layouts.

    `complete` says that the generated C++ defines it, in the layout with the index `settled`;
    `capacity` is the size of its largest layout, `align` what its memory is a multiple of;
    `holds_callables` that it has a field for one, or a member that has. `home` is the module whose
    class it is, where that is another API's.
    """

    name: str
    tag: str
    kind: str
    layouts: tuple[StructLayout, ...]
    spans: tuple[Span, ...]
    rows: tuple[FieldRow, ...]
    complete: bool
    capacity: int
    holds_callables: bool
    align: int
    settled: int = -1
    home: str | None = None

    @property
    def bound(self) -> StructLayout:
        """The layout that C++ and Python's signatures have."""
        return self.layouts[self.settled]


@dataclass(frozen=True, slots=True)
class Helper:
    """An inline function that makes the struct at `index`: of its parameters, or of `values`."""

    name: str
    struct: str
    index: int
    parameters: tuple[str, ...]
    values: tuple[int, ...]
    signature: str
    doc: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PublicName:
    """A name of the directory: its kind and index as binding/name.hpp has them.

    `order` is the index of an enumerator within its enum.
    """

    name: str
    kind: str
    index: int = 0
    value: int = 0
    since: int = 0
    until: int = 9999
    order: int = 0


# What writes an API's files, by whether its package is its own.
COMMANDS = {False: "python -m generator regenerate", True: "pygpu bind"}


@dataclass(frozen=True, slots=True)
class BindingPlan:
    """Everything that the templates print for one API.

    `successes` are the codes besides 0 after which a call has done what it should; `first` says
    which release brought a function or a type that the first listed one lacks. `homes` are the
    modules of the types that are another API's.
    """

    api: str
    manifest: Manifest
    status: str
    codes: Mapping[str, int]
    successes: tuple[int, ...]
    handles: tuple[HandleType, ...]
    opaque: tuple[str, ...]
    enums: tuple[Enum, ...]
    enumerators: Mapping[str, tuple[tuple[str, Span], ...]]
    aliases: tuple[Alias, ...]
    callbacks: tuple[Callback, ...]
    structs: tuple[Struct, ...]
    struct_types: tuple[StructType, ...]
    typed: tuple[TypedTable, ...]
    helpers: tuple[Helper, ...]
    anonymous: Mapping[str, Struct]
    releases: tuple[int, ...]
    entries: tuple[EntryPoint, ...]
    adaptors: tuple[Adaptor, ...]
    groups: Mapping[str, tuple[Wrapper, ...]]
    errors: tuple[tuple[int, str], ...]
    error_aliases: tuple[str, ...]
    names: tuple[PublicName, ...]
    first: Mapping[str, int]
    homes: Mapping[str, str]

    @property
    def namespace(self) -> str:
        """The last name of the Python module, and the C++ namespace."""
        return self.manifest.namespace

    @property
    def package(self) -> str:
        """The Python package that the extension module lies in."""
        return self.manifest.namespace if self.manifest.own_package else "PyGPU"

    @property
    def imported_as(self) -> str:
        """The Python module, with its package."""
        return self.manifest.imported_as

    @property
    def folder(self) -> str:
        """The folder of the Python module, where packages lie."""
        return self.imported_as.replace(".", "/")

    @property
    def command(self) -> str:
        """The command that writes the API's files."""
        return COMMANDS[self.manifest.own_package]

    @property
    def error_class(self) -> str:
        """The Python class of statuses."""
        return self.manifest.status.class_

    @property
    def status_type(self) -> str:
        """C++'s type of statuses: as C names it, or the enum that stands for a plain number."""
        named = {self.status, *(one.name for one in self.aliases)}
        type = self.manifest.status.type
        return type if type in named else self.status

    def has(self, capability: str) -> bool:
        """Whether the API has it: "portable", "arrays", "host"."""
        return capability in self.manifest.capabilities

    @property
    def handwritten_adaptors(self) -> bool:
        """Whether some older forms need C++ of ours to be called."""
        used = {one.adaptor for entry in self.entries for one in entry.others if one.adaptor}
        return any(map(self.is_handwritten, used))

    def is_handwritten(self, adaptor: str) -> bool:
        """Whether a function that calls an older form is C++ of ours."""
        return adaptor not in {one.name for one in self.adaptors}

    @property
    def in_core(self) -> bool:
        """Whether PyGPU._core holds the API, as those are that arrays stand on."""
        return self.manifest.in_core

    @property
    def module(self) -> str:
        """The extension module in the package that holds the API."""
        return "_core" if self.in_core else f"_{self.namespace}"
