"""Every table, kind and key of rules.toml: its values, the C types that it is for, its meaning.

The reader, the checks against an API and docs/rules.md all follow these tables. What a rule says of
a function, a handle and the like is a class of lookup.py, whose fields are the keys.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import MISSING, dataclass, field, fields
from enum import Enum
from typing import Any, get_type_hints

from generator.rules.lookup import (
    NOT_OF_FAMILIES,
    FunctionRule,
    HandleRule,
    HelperRule,
    LengthRule,
    TypedTable,
)
from generator.rules.values import (
    CName,
    Codes,
    CTypeName,
    Default,
    FieldName,
    FunctionName,
    Length,
    Number,
    Parameter,
    Text,
    choice,
)
from generator.schema import Flag


class On(Enum):
    """The C types that kinds can be for, with typedefs replaced by their targets."""

    NUMBER = "a number or an enumerator by value"
    HANDLE = "a handle by value"
    STRUCT = "a struct by value"
    CALLBACK = "a function pointer"
    TEXT = "`const char *`"
    CHARS = "`char *`"
    READ_MEMORY = "`const void *`"
    MEMORY = "`void *`"
    READ_NUMBERS = "a pointer to const numbers or enumerators"
    NUMBERS = "a pointer to numbers or enumerators"
    READ_HANDLES = "a pointer to const handles or const pointers"
    HANDLES = "a pointer to handles or pointers"
    POINTERS = "`void **`"
    READ_STRUCTS = "a pointer to const structs"
    STRUCTS = "a pointer to structs"


VALUES = (On.NUMBER, On.HANDLE, On.STRUCT)
VOIDS = (On.MEMORY, On.READ_MEMORY)
SLOTS = (On.NUMBERS, On.HANDLES, On.POINTERS, On.STRUCTS)
ARRAYS = (On.READ_NUMBERS, On.READ_HANDLES, On.READ_STRUCTS, *SLOTS)
SINGLE = (*VOIDS, On.TEXT, On.CHARS, On.NUMBERS, On.READ_NUMBERS, On.STRUCTS, On.READ_STRUCTS)
POINTERS = tuple(one for one in On if one not in (*VALUES, On.CALLBACK))


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a table. `on`: the C types that it is for, if they are fewer than the kind's.

    `of`: for a key that names a parameter, the C types that this parameter may have.
    """

    value: Any  # a type that schema.py reads
    means: str
    required: bool = False
    on: tuple[On, ...] = ()
    of: tuple[On, ...] = ()


@dataclass(frozen=True, slots=True)
class RuleKind:
    """A kind of parameter or field.

    `one_of`: it needs at least one of these keys.
    """

    means: str
    on: tuple[On, ...] = ()
    keys: Mapping[str, Key] = field(default_factory=dict)
    one_of: tuple[str, ...] = ()


_BYTES = Key(Length, "The bytes that C touches there; a shorter buffer is refused.")
_UNTYPED = Key(
    Flag,
    "Numbers of any type may lie there, for C's type is only as wide: uint16_t for halves.",
    on=(On.READ_NUMBERS, On.NUMBERS),
)
_COUNT = Key(Parameter, "The parameter that holds the number of elements.", of=(On.NUMBER,))
_ANY_COUNT = Key(
    Parameter,
    "The parameter that holds the number of elements, or leads to it.",
    of=(On.NUMBER, On.NUMBERS),
)
_OPTIONAL = Key(Flag, "It may be NULL.")
_KEPT_BY = Key(
    Parameter,
    "The graph, or a node of one, that keeps the callables in the struct alive. Without it they"
    " are never released.",
    of=(On.HANDLE,),
)
_ASKED_BY = Key(
    FunctionName,
    "The function that gives the size. If `capacity` is a pointer: the function that returns the"
    " size, if the caller gives none.",
)
_CAPACITY = Key(
    Parameter,
    "The parameter that holds the buffer's size, or leads to it.",
    of=(On.NUMBER, On.NUMBERS),
)
_WRITTEN = Key(
    Parameter,
    "Where C writes how much it wrote, if not through the parameter with the size.",
    of=(On.NUMBERS,),
)
_RETURNED = Key(Flag, "C returns how much it wrote.")
_ASKS = Key(
    Flag,
    "A first call with NULL gives the size, through that parameter or through `written`, if the"
    " caller gives none.",
)
_ASKING = Key(Codes, "The errors after which the first call has given the size, too.")
_VALID_ON = Key(Codes, "The errors after which it is still valid.")
_LACKING = Key(Flag, "An older form of the function lacks it; the result is then None.")

# The kinds of parameters: what a parameter is to a Python caller.
KINDS: Mapping[str, RuleKind] = {
    "value": RuleKind(
        "A number, an enumerator, a handle or a struct by value.",
        (*VALUES, *VOIDS, On.STRUCTS, On.READ_STRUCTS),
        {
            "as": Key(
                CTypeName,
                "The type of the handle that the pointer stands for.",
                on=(*VOIDS, On.STRUCTS, On.READ_STRUCTS),
            ),
            "boolean": Key(
                Flag, "C only tests whether it is zero, so a bool is accepted.", on=(On.NUMBER,)
            ),
            "length": Key(
                Length,
                "The bytes that C touches behind the struct's first pointer.",
                on=(On.STRUCT,),
            ),
        },
    ),
    "readable": RuleKind(
        "Memory that C reads. An array of pointers is such memory where it lies on the device.",
        (*SINGLE, On.NUMBER, On.READ_HANDLES, On.HANDLES, On.POINTERS),
        {"length": _BYTES, "untyped": _UNTYPED},
    ),
    "writable": RuleKind(
        "Memory that C writes.",
        (On.MEMORY, On.CHARS, On.NUMBERS, On.STRUCTS, On.NUMBER),
        {"length": _BYTES, "untyped": _UNTYPED},
    ),
    "address": RuleKind(
        "An address that C takes as a number, or as the start of a range.",
        (*SINGLE, On.NUMBER),
        {
            "frees": Key(Flag, "C frees what lies there.", on=(*VOIDS, On.NUMBER)),
            "length": Key(Length, "The bytes of the range."),
        },
    ),
    "text": RuleKind("A text that C reads up to its NUL.", (On.TEXT,)),
    "image": RuleKind("A code image; if it is text, a NUL is added.", (*VOIDS, On.TEXT)),
    "function": RuleKind("A kernel, a function or a symbol.", VOIDS),
    "struct": RuleKind(
        "One struct that C reads.",
        (On.READ_STRUCTS, On.STRUCTS),
        {
            "identity": Key(Flag, "C identifies it by its address, so it must not be copied."),
            "kept_by": _KEPT_BY,
            "optional": _OPTIONAL,
        },
    ),
    "array": RuleKind(
        "An array that C reads.",
        ARRAYS,
        {
            "count": _COUNT,
            "length": Key(Length, "The number of elements, where no parameter holds it."),
            "ends": Key(
                Flag,
                "A 0 ends it, and is added to the caller's elements.",
                on=(On.READ_NUMBERS, On.NUMBERS, On.READ_HANDLES, On.HANDLES, On.POINTERS),
            ),
            "of": Key(
                choice("readable", "writable", "address"),
                "Its elements are pointers to memory of this kind.",
                on=(On.POINTERS, On.READ_HANDLES, On.HANDLES, On.NUMBERS, On.READ_NUMBERS),
            ),
            "optional": _OPTIONAL,
            "sizes": Key(
                Parameter,
                "With `of`: the array of the memories' lengths.",
                of=(On.NUMBERS, On.READ_NUMBERS),
            ),
        },
    ),
    "scalar": RuleKind(
        "One number that C reads where it lies: a Python number, or the address of one, such as a"
        " device's. An int is a number; an address is a pointer_wrapper, an array or of ctypes.",
        (On.READ_NUMBERS, On.READ_STRUCTS),
    ),
    "arguments": RuleKind(
        "The arguments of a launch.",
        (On.POINTERS,),
        {"packed": Key(Number, "In one buffer, behind a list that ends with this number.")},
    ),
    "callback": RuleKind(
        "A Python callable, or a C function.",
        (On.CALLBACK,),
        {
            "user_data": Key(
                Parameter,
                'The object that the callable gets. Only with `lives = "replaced"` there is none.',
                of=(On.MEMORY,),
            ),
            "lives": Key(
                choice("once", "call", "graph", "registered", "replaced"),
                "How long C may call it: one time; as long as the call lasts; at each launch of"
                " the graph, if the stream was capturing; until the function `until` was called"
                " with its handle; until the function gets another one.",
                required=True,
            ),
            "until": Key(
                FunctionName,
                'With `lives = "registered"`: the function that ends it. It takes the handle that'
                " came out, or the holder.",
            ),
            "holder": Key(
                Parameter,
                "With `until`: the handle with which one callable at a time is registered.",
                of=(On.HANDLE,),
            ),
            "data": Key(
                CName,
                "Which of the callback's own parameters is the user data, if several could be.",
            ),
            "failed": Key(Number, "The result that C gets from a callable that raises; else 0."),
            "memory": Key(
                choice("asked", "given"),
                'With `lives = "replaced"`: C asks for memory and its size through the first two'
                " of the callback's own parameters; the callable returns the size, and numbers for"
                " the others. Or C gives such memory back, with its size and how much of it is"
                " valid: the callable gets this much as bytes.",
            ),
            "lent": Key(
                CName,
                "The callback's own `const void *` with a struct that C lends. The callable gets a"
                " copy; `by` says which struct.",
            ),
            "by": Key(CName, "With `lent`: the callback's own enumerator that decides."),
            "table": Key(CName, "With `lent`: the [typed.…] table."),
        },
    ),
    "out": RuleKind(
        "One value that C writes.",
        (*SLOTS, On.MEMORY),
        {
            "as": Key(
                CTypeName,
                "The value's type, if the C type says less.",
                on=(On.MEMORY, On.HANDLES, On.POINTERS),
            ),
            "initial": Key(Number, "The value if C doesn't write one.", on=(On.NUMBERS,)),
            "lacking": _LACKING,
            "valid_on": _VALID_ON,
        },
    ),
    "status": RuleKind(
        "The status of the call, which C writes there: it is returned as the status, and `checked`"
        " raises it. What C returns is the first output.",
        (On.NUMBERS,),
    ),
    "ended": RuleKind("A handle that C ends and clears; Python passes the handle.", (On.HANDLES,)),
    "out_array": RuleKind(
        "An array that C writes.",
        SLOTS,
        {
            "count": _ANY_COUNT,
            "length": Key(Length, "The number of elements, where no parameter holds it."),
            "asked_by": Key(
                FunctionName,
                "The function that gives the count, if a call with NULL doesn't, or if there is no"
                " `count`.",
            ),
            "written": _WRITTEN,
            "returned": _RETURNED,
            "asks": _ASKS,
            "asking": _ASKING,
            "always": Key(
                Flag,
                "C writes all elements, whatever count it gets: it is asked before each call, if"
                " there is no `default`, and the caller can't give a count.",
            ),
            "default": Key(Number, "The count, where the caller gives none."),
            "lacking": _LACKING,
            "valid_on": _VALID_ON,
        },
        one_of=("count", "length", "asked_by"),
    ),
    "out_text": RuleKind(
        "A text that C writes, up to its NUL.",
        (On.CHARS,),
        {
            "capacity": _CAPACITY,
            "asked_by": _ASKED_BY,
            "written": _WRITTEN,
            "returned": _RETURNED,
            "asks": _ASKS,
            "asking": _ASKING,
            "default": Key(Number, "The size, where the caller gives none."),
            "valid_on": _VALID_ON,
        },
        one_of=("capacity", "asked_by"),
    ),
    "out_bytes": RuleKind(
        "Code or other bytes that C writes.",
        (On.CHARS, On.MEMORY, On.NUMBERS),
        {
            "capacity": _CAPACITY,
            "asked_by": _ASKED_BY,
            "written": _WRITTEN,
            "returned": _RETURNED,
            "asks": _ASKS,
            "asking": _ASKING,
            "default": Key(Number, "The size, where the caller gives none."),
            "ends": Key(Flag, "A NUL ends it, and isn't returned."),
            "valid_on": _VALID_ON,
        },
        one_of=("capacity", "asked_by"),
    ),
    "out_lent": RuleKind(
        "An array of the driver's own that C lends, or without `count` a text; it is copied.",
        (On.HANDLES, On.POINTERS),
        {
            "count": Key(
                Parameter,
                "Where C writes the number of elements.",
                of=(On.NUMBERS,),
            ),
            "lacking": _LACKING,
            "valid_on": _VALID_ON,
        },
    ),
    "inout": RuleKind(
        "A value that C reads and writes: an input, whose new value is also a result.",
        SLOTS,
        {
            "count": Key(
                Parameter,
                "The parameter that holds the number of structs.",
                on=(On.STRUCTS,),
                of=(On.NUMBER,),
            ),
            "kept_by": _KEPT_BY,
            "optional": Key(Flag, "It may be NULL.", on=(On.NUMBERS, On.HANDLES, On.POINTERS)),
            "valid_on": _VALID_ON,
        },
    ),
    "record": RuleKind(
        "The address of a struct in memory that the call takes, which C moves to the next one."
        " Python gets a copy, and passes the former one. The number at its start says which struct"
        " it is; if the table doesn't know it, it is the one of the C type.",
        (On.HANDLES,),
        {
            "within": Key(
                Parameter,
                "The memory.",
                required=True,
                of=(On.MEMORY, On.NUMBERS, On.READ_MEMORY, On.READ_NUMBERS),
            ),
            "table": Key(CName, "The [typed.…] table with the structs.", required=True),
        },
    ),
    "typed_by": RuleKind(
        "A value whose C type an enumerator decides: [typed.<its enum>] says which.",
        (*VOIDS, On.POINTERS, On.STRUCTS, On.READ_STRUCTS),
        {
            "by": Key(
                Parameter,
                "The enumerator, or the array of them.",
                required=True,
                of=(On.NUMBER, On.NUMBERS, On.READ_NUMBERS),
            ),
            "direction": Key(choice("in", "out"), "Whether C reads or writes it.", required=True),
            "count": Key(
                Parameter,
                "The parameter that holds the number of values; this one is an array of pointers"
                " to them.",
                on=(On.POINTERS,),
                of=(On.NUMBER,),
            ),
            "size": Key(
                Parameter,
                "The parameter that holds the size of the value in bytes, or an array of these"
                " sizes.",
                of=(On.NUMBER, On.NUMBERS, On.READ_NUMBERS),
            ),
            "table": Key(CName, "The [typed.…] table, if it isn't that of the enum."),
        },
    ),
    "raw": RuleKind(
        "A bare address: the rules don't say what lies there.",
        (*POINTERS, On.CALLBACK),
        {"reason": Key(Text, "Why no other kind fits.", required=True)},
    ),
}
# Keys of every parameter's rule, besides those of its kind.
OF_EVERY_PARAMETER: Mapping[str, Key] = {
    "kind": Key(choice(*KINDS), "What the parameter is.", required=True),
    "type": Key(CTypeName, "Only a parameter of this type, as the header spells it, is meant."),
    "reason": Key(Text, "Why, where that isn't obvious."),
}

# The kinds of fields: what a struct's field is, if its type doesn't say it.
FIELD_KINDS: Mapping[str, RuleKind] = {
    "text": RuleKind(
        "A char array that holds text up to its NUL, and without a rule bytes; or a `const char *`,"
        " which without a rule is an address."
    ),
    "arguments": RuleKind(
        "The arguments of a launch.",
        keys={"packed": Key(Number, "In one buffer, behind a list that ends with this number.")},
    ),
    "function": RuleKind("A kernel or a function."),
    "callback": RuleKind(
        "A Python callable, or a C function; a graph calls it.",
        keys={
            "user_data": Key(
                FieldName, "The field that holds the callable's argument.", required=True
            )
        },
    ),
    "array": RuleKind(
        "A pointer to an array.",
        keys={
            "count": Key(FieldName, "The field that holds the number of elements.", required=True),
            "lent": Key(Flag, "Only C writes it."),
        },
    ),
    "boolean": RuleKind("A number that C only compares with zero, so a bool is accepted."),
    "freed": RuleKind("A pointer to memory that C frees."),
}
OF_EVERY_FIELD: Mapping[str, Key] = {
    "kind": Key(choice(*FIELD_KINDS), "What the field is."),
    "default": Key(Default, "Its value where the caller leaves it out; else 0."),
}


@dataclass(frozen=True, slots=True)
class Table:
    """A table of rules.toml, `[name.…]`: its meaning, and its keys unless kinds give them."""

    name: str
    means: str
    keys: Mapping[str, Key] = field(default_factory=dict)


def keys_of(kind: type, others: Collection[str] = ()) -> Mapping[str, Key]:
    """The keys that a class reads from the file, without some others."""
    hints = get_type_hints(kind, include_extras=True)
    return {
        one.name: Key(hints[one.name], one.metadata["means"], required=one.default is MISSING)
        for one in fields(kind)
        if "means" in one.metadata and one.name not in others
    }


TABLES: tuple[Table, ...] = (
    Table(
        "function.NAME",
        "One function, and its forms with a suffix (`_v2`, …).",
        keys_of(FunctionRule),
    ),
    Table(
        'family."GLOB"',
        "All functions of such names; the longest glob wins.",
        keys_of(FunctionRule, NOT_OF_FAMILIES),
    ),
    Table(
        "parameter.NAME",
        "Parameters of this name in the whole API. Keys as below; `type` is required.",
    ),
    Table(
        'type."C TYPE"',
        "Parameters of this C type in the whole API. If the type is a number that is an address,"
        " fields, too. Keys as below.",
    ),
    Table(
        "typed.ENUM",
        "What each enumerator of an enum stands for: under `value` a C type as text, a table,"
        ' or `"none"`.',
        keys_of(TypedTable),
    ),
    Table("struct.NAME.field.FIELD", "A struct's field.", OF_EVERY_FIELD),
    Table(
        "struct.NAME.length.PATH",
        "The bytes that C touches behind a pointer in a struct: a formula, or a table.",
        keys_of(LengthRule),
    ),
    Table(
        "helper.NAME",
        "An inline function of the headers that only makes a struct.",
        keys_of(HelperRule),
    ),
    Table("handle.NAME", "A handle that Python can own.", keys_of(HandleRule)),
)

# Keys that name a counting parameter, with the unit in which it counts.
COUNTING: Mapping[str, str] = {
    "count": "elements",
    "written": "elements",
    "capacity": "bytes",
    "size": "bytes",
}
