"""The plan of one API's bindings: what each generated file holds, ready to print."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from generator.manifest import Manifest
from generator.model import Alias, Callback, CType, Enum, Parameter, Struct
from generator.plan.doc import Doc
from generator.plan.shapes import Argument, Ask, Cut, Input, Local, Result
from generator.plan.span import Span


@dataclass(frozen=True, slots=True)
class SizeRequirement:
    """How much C touches behind an input: its index, and a formula over the parameters."""

    index: int
    size: str


@dataclass(frozen=True, slots=True)
class CrossCheck:
    """Two inputs that must be checked together; `how` says in which way."""

    index: int
    how: str
    other: int


@dataclass(frozen=True, slots=True)
class Wrapper:
    """One wrapper: its inputs, the locals before the call, C's arguments in order, the results.

    `result` is the type that C itself returns. `given_status` is the local to which it writes its
    status, in place of returning it. With `counts` C returns a count, or a status below 0.
    `errors` are the codes that the header lists.
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
    given_status: str | None
    counts: bool
    substitute: str | None
    size_requirements: tuple[SizeRequirement, ...]
    cross_checks: tuple[CrossCheck, ...]
    gil: str
    checked: str
    hot: bool
    doc: Doc
    errors: tuple[str, ...]
    raw: Mapping[str, str]

    @property
    def returns_value(self) -> bool:
        """Whether C returns a value other than a status."""
        return not self.returns_status and not self.result.is_void


@dataclass(frozen=True, slots=True)
class SymbolRange:
    """What serves an entry point from one release to another, as numbers (1209 is 12.9).

    It is a symbol, or an adaptor, or nothing: then calls return ErrorNotSupported.
    """

    since: int
    until: int
    symbol: str | None
    per_thread: str | None
    adaptor: str | None = None

    def serves(self) -> tuple[str | None, ...]:
        """What is compared: neighbouring releases with the same need only one range."""
        return (self.symbol, self.per_thread, self.adaptor)

    def until_release(self, until: int) -> SymbolRange:
        """The same with another end."""
        return replace(self, until=until)


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """An exported function: what it gives and takes in C.

    `symbol` serves it, except in the releases of `others`. `function` is the public name, None for
    a form that only adaptors call.
    """

    name: str
    function: str | None
    symbol: str
    per_thread: str | None
    result: CType
    parameters: tuple[Parameter, ...]
    others: tuple[SymbolRange, ...]


@dataclass(frozen=True, slots=True)
class OlderArgument:
    """An argument of the older form.

    `value` is the parameter that holds it; if empty, the argument is an output that nobody reads.
    With `cast` it is passed without its const. With `converted` it is made of another type.
    """

    name: str
    type: CType
    value: str = ""
    cast: bool = False
    converted: bool = False


@dataclass(frozen=True, slots=True)
class Adaptor:
    """A function with the newest form. It calls the entry of its own name, which has an older form.

    `refused` are inputs that the older form lacks: only zero is accepted for them. Outputs that the
    older form lacks are left alone.
    """

    name: str
    result: CType
    parameters: tuple[Parameter, ...]
    refused: tuple[str, ...]
    arguments: tuple[OlderArgument, ...]

    @property
    def used(self) -> frozenset[str]:
        """The parameters that the body names."""
        return frozenset(self.refused) | {one.value for one in self.arguments}


@dataclass(frozen=True, slots=True)
class Ownership:
    """The functions that make and end a handle; `keywords` are the constructor's.

    `optional` are keywords whose default is None. `by_pointer`: the handle is ended through a
    pointer to it, `void`: by a function without a result. `registers`: callables may be registered
    with it.
    """

    create: str
    destroy: str
    keywords: tuple[Input, ...]
    optional: tuple[str, ...] = ()
    by_pointer: bool = False
    void: bool = False
    registers: bool = False


@dataclass(frozen=True, slots=True)
class HandleType:
    """An opaque struct, the handle typedefs that point to it, and how Python owns one.

    `types` are all that C calls it; `name` is that of its class. `typedefs` are those of the types
    that are typedefs, each with whether it points to a const struct. `role` is "stream", "event",
    "node" or "kernel" if the manifest says so. `also` are the tags of other structs that it may
    point to. `home` is the module of its class, if that is another API's.
    """

    struct: str
    name: str
    types: tuple[str, ...]
    typedefs: tuple[tuple[str, bool], ...]
    role: str | None = None
    special: int = 0
    own: int = 0
    owned: Ownership | None = None
    home: str | None = None
    also: tuple[str, ...] = ()

    @property
    def type(self) -> str:
        """One of its types in C."""
        return self.types[0]


@dataclass(frozen=True, slots=True)
class StructField:
    """A field as types/structs/layout.hpp has it: where it lies, and what Python sees of it.

    `size` is that of one element. `count` is 0 if the field is no array. `layout` is the index of
    a nested struct's layout. `item_*` describe what a pointer leads to: a counted array of values,
    a launch's arguments, or code. `lent` says that only C writes the array. `boolean`: a number
    that C takes as true or false. `user_data` is the field with a callable's user data, `other` is
    how far apart the two fields are.
    """

    name: str
    type: CType
    scalar: str
    role: str
    offset: int
    size: int
    count: int
    positional: bool
    default: int | float
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
    """What one enumerator stands for; `field` is None if it stands for no value.

    `since` and `until` are the releases with this number, if other releases have another number.
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

    `nested` stands instead of it: the struct there, and its layout, which has lengths of its own.
    `when` is the condition for either. `names` are the numbers that the formulas use.
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
    """A field, and the releases that have it in this form.

    `counter` is the distance to the field that counts its items.
    """

    field: StructField
    counter: int | None
    since: int
    until: int


@dataclass(frozen=True, slots=True)
class StructType:
    """A struct or union: its name in Python, its tag in C, and its layouts, oldest first.

    `spans` are the releases of the layouts, `rows` the fields of all layouts. `complete` says that
    the generated C++ defines it, in the layout with the index `settled`. `capacity` is the size of
    its largest layout, `align` the alignment of its memory. `holds_callables` says that it, or a
    member, has a field for a callable. `home` is the module of its class, if that is another API's.
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
    """An inline function that makes the struct at `index` from its parameters or from `values`."""

    name: str
    struct: str
    index: int
    parameters: tuple[str, ...]
    values: tuple[int, ...]
    doc: Doc


@dataclass(frozen=True, slots=True)
class PublicName:
    """A name of the directory: its kind and index as binding/name.hpp has them.

    `order` is an enumerator's index in its enum.
    """

    name: str
    kind: str
    index: int = 0
    value: int = 0
    since: int = 0
    until: int = 9999
    order: int = 0


@dataclass(frozen=True, slots=True)
class Detail:
    """A status's second code: the first code beside which it counts, and the class that it has.

    `struct` is the struct of both codes in C.
    """

    struct: str
    code: int
    module: str
    name: str


# The command that writes an API's files, by whether the API has its own package.
COMMANDS = {False: "python -m generator regenerate", True: "pygpu bind"}


@dataclass(frozen=True, slots=True)
class BindingPlan:
    """Everything that the templates print for one API.

    `successes` are the codes besides 0 that mean success. `first` says which release brought a
    function or a type, if the first listed release lacks it. `homes` are the modules of types that
    belong to another API. `changeable` are names that a name changed for Python must not meet.
    """

    api: str
    manifest: Manifest
    status: str
    codes: Mapping[str, int]
    successes: tuple[int, ...]
    detail: Detail | None
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
    changeable: frozenset[str]

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
    def home(self) -> str:
        """The folder of the repository with the API's generated files: "", or a package's."""
        return self.manifest.home

    @property
    def folder(self) -> str:
        """The folder of the Python module, below the folder of packages."""
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
        """The type of statuses in C++: C's type, or the enum that replaces a plain number."""
        type = self.manifest.status.type
        targets = {one.name: one.type.base for one in self.aliases}
        stands_for = type
        while stands_for in targets:
            stands_for = targets[stands_for]
        return type if type and stands_for == self.status else self.status

    def has(self, capability: str) -> bool:
        """Whether the API has it: "portable", "arrays", "host"."""
        return capability in self.manifest.capabilities

    @property
    def handwritten_adaptors(self) -> bool:
        """Whether some older forms are called by handwritten C++."""
        used = {one.adaptor for entry in self.entries for one in entry.others if one.adaptor}
        return any(map(self.is_handwritten, used))

    def is_handwritten(self, adaptor: str) -> bool:
        """Whether a function that calls an older form is handwritten C++."""
        return adaptor not in {one.name for one in self.adaptors}

    @property
    def in_core(self) -> bool:
        """Whether PyGPU._core holds the API: arrays use the APIs in it."""
        return self.manifest.in_core

    @property
    def module(self) -> str:
        """The extension module in the package that holds the API."""
        return "_core" if self.in_core else f"_{self.namespace}"
