"""Every table, kind and key of rules.toml: its values, the C types that it is for, its meaning.

The reader, the checks against an API and docs/rules.md all follow these tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from generator.rules.values import (
    C_TYPE,
    CODES,
    DEFAULT,
    FIELD,
    FUNCTION,
    LENGTH,
    NAME,
    NAMES,
    NUMBER,
    NUMBERS,
    OF_FIELDS,
    PARAMETER,
    RELEASES,
    TEXT,
    TRUE,
    Value,
    choice,
)


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

    value: Value
    means: str
    required: bool = False
    on: tuple[On, ...] = ()
    of: tuple[On, ...] = ()


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of parameter or field.

    `one_of`: it needs at least one of these keys.
    """

    means: str
    on: tuple[On, ...] = ()
    keys: Mapping[str, Key] = field(default_factory=dict)
    one_of: tuple[str, ...] = ()


_BYTES = Key(LENGTH, "The bytes that C touches there; a shorter buffer is refused.")
_COUNT = Key(PARAMETER, "The parameter that holds the number of elements.", of=(On.NUMBER,))
_ANY_COUNT = Key(
    PARAMETER,
    "The parameter that holds the number of elements, or leads to it.",
    of=(On.NUMBER, On.NUMBERS),
)
_OPTIONAL = Key(TRUE, "It may be NULL.")
_KEPT_BY = Key(
    PARAMETER,
    "The graph, or a node of one, that keeps the callables in the struct alive. Without it they"
    " are kept for ever.",
    of=(On.HANDLE,),
)
_ASKED_BY = Key(
    FUNCTION,
    "The function that gives the size. If `capacity` is a pointer: the function that returns the"
    " size, if the caller gives none.",
)
_CAPACITY = Key(
    PARAMETER,
    "The parameter that holds the buffer's size, or leads to it.",
    of=(On.NUMBER, On.NUMBERS),
)
_WRITTEN = Key(
    PARAMETER,
    "Where C writes how much it wrote, if not through the parameter with the size.",
    of=(On.NUMBERS,),
)
_ASKS = Key(
    TRUE,
    "A first call with NULL gives the size, through that parameter or through `written`, if the"
    " caller gives none.",
)
_ASKING = Key(CODES, "The errors after which the first call has given the size, too.")
_VALID_ON = Key(CODES, "The errors after which it is still valid.")
_LACKING = Key(TRUE, "An older form of the function lacks it; the result is then None.")

# The kinds of parameters: what a parameter is to a Python caller.
KINDS: Mapping[str, Kind] = {
    "value": Kind(
        "A number, an enumerator, a handle or a struct by value.",
        (*VALUES, *VOIDS, On.STRUCTS, On.READ_STRUCTS),
        {
            "as": Key(
                C_TYPE,
                "The type of the handle that the pointer stands for.",
                on=(*VOIDS, On.STRUCTS, On.READ_STRUCTS),
            ),
            "boolean": Key(
                TRUE, "C only tests whether it is zero, so a bool is accepted.", on=(On.NUMBER,)
            ),
            "length": Key(
                LENGTH,
                "The bytes that C touches behind the struct's first pointer.",
                on=(On.STRUCT,),
            ),
        },
    ),
    "readable": Kind("Memory that C reads.", (*SINGLE, On.NUMBER), {"length": _BYTES}),
    "writable": Kind(
        "Memory that C writes.",
        (On.MEMORY, On.CHARS, On.NUMBERS, On.STRUCTS, On.NUMBER),
        {"length": _BYTES},
    ),
    "address": Kind(
        "An address that C takes as a number, or as the start of a range.",
        (*SINGLE, On.NUMBER),
        {
            "frees": Key(TRUE, "C frees what lies there.", on=(*VOIDS, On.NUMBER)),
            "length": Key(LENGTH, "The bytes of the range."),
        },
    ),
    "text": Kind("A text that C reads up to its NUL.", (On.TEXT,)),
    "image": Kind("A code image; if it is text, a NUL is added.", (*VOIDS, On.TEXT)),
    "function": Kind("A kernel, a function or a symbol.", VOIDS),
    "struct": Kind(
        "One struct that C reads.",
        (On.READ_STRUCTS, On.STRUCTS),
        {
            "identity": Key(TRUE, "C identifies it by its address, so it must not be copied."),
            "kept_by": _KEPT_BY,
            "optional": _OPTIONAL,
        },
    ),
    "array": Kind(
        "An array that C reads.",
        ARRAYS,
        {
            "count": _COUNT,
            "length": Key(LENGTH, "The number of elements, where no parameter holds it."),
            "ends": Key(
                TRUE,
                "A 0 ends it, and is added to the caller's elements.",
                on=(On.READ_NUMBERS, On.NUMBERS, On.READ_HANDLES, On.HANDLES, On.POINTERS),
            ),
            "of": Key(
                choice("readable", "writable", "address"),
                "Its elements are pointers to memory of this kind.",
                on=(On.POINTERS, On.READ_HANDLES, On.NUMBERS, On.READ_NUMBERS),
            ),
            "optional": _OPTIONAL,
            "sizes": Key(
                PARAMETER,
                "With `of`: the array of the memories' lengths.",
                of=(On.NUMBERS, On.READ_NUMBERS),
            ),
        },
    ),
    "scalar": Kind(
        "One number that C reads where it lies: a Python number, or the address of one, such as a"
        " device's. An int is a number; an address is a pointer_wrapper, an array or of ctypes.",
        (On.READ_NUMBERS, On.READ_STRUCTS),
    ),
    "arguments": Kind(
        "The arguments of a launch.",
        (On.POINTERS,),
        {"packed": Key(NUMBER, "In one buffer, behind a list that ends with this number.")},
    ),
    "callback": Kind(
        "A Python callable, or a C function.",
        (On.CALLBACK,),
        {
            "user_data": Key(
                PARAMETER, "The object that the callable gets.", required=True, of=(On.MEMORY,)
            ),
            "lives": Key(
                choice("once", "call", "graph", "registered"),
                "How long C may call it: one time; as long as the call lasts; at each launch of"
                " the graph, if the stream was capturing; until the function `until` was called"
                " with its handle.",
                required=True,
            ),
            "until": Key(
                FUNCTION,
                'With `lives = "registered"`: the function that ends it. It takes the handle that'
                " came out, or the holder.",
            ),
            "holder": Key(
                PARAMETER,
                "With `until`: the handle with which one callable at a time is registered.",
                of=(On.HANDLE,),
            ),
            "data": Key(
                NAME,
                "Which of the callback's own parameters is the user data, if several could be.",
            ),
            "failed": Key(NUMBER, "The result that C gets from a callable that raises; else 0."),
        },
    ),
    "out": Kind(
        "One value that C writes.",
        (*SLOTS, On.MEMORY),
        {
            "as": Key(
                C_TYPE,
                "The value's type, if the C type says less.",
                on=(On.MEMORY, On.HANDLES, On.POINTERS),
            ),
            "initial": Key(NUMBER, "The value if C doesn't write one.", on=(On.NUMBERS,)),
            "lacking": _LACKING,
            "valid_on": _VALID_ON,
        },
    ),
    "status": Kind(
        "The status of the call, which C writes there: it is returned as the status, and `checked`"
        " raises it. What C returns is the first output.",
        (On.NUMBERS,),
    ),
    "ended": Kind("A handle that C ends and clears; Python passes the handle.", (On.HANDLES,)),
    "out_array": Kind(
        "An array that C writes.",
        SLOTS,
        {
            "count": _ANY_COUNT,
            "length": Key(LENGTH, "The number of elements, where no parameter holds it."),
            "asked_by": Key(
                FUNCTION,
                "The function that gives the count, if a call with NULL doesn't, or if there is no"
                " `count`.",
            ),
            "written": _WRITTEN,
            "asks": _ASKS,
            "asking": _ASKING,
            "default": Key(NUMBER, "The count, where the caller gives none."),
            "lacking": _LACKING,
            "valid_on": _VALID_ON,
        },
        one_of=("count", "length", "asked_by"),
    ),
    "out_text": Kind(
        "A text that C writes, up to its NUL.",
        (On.CHARS,),
        {
            "capacity": _CAPACITY,
            "asked_by": _ASKED_BY,
            "written": _WRITTEN,
            "asks": _ASKS,
            "asking": _ASKING,
            "default": Key(NUMBER, "The size, where the caller gives none."),
            "valid_on": _VALID_ON,
        },
        one_of=("capacity", "asked_by"),
    ),
    "out_bytes": Kind(
        "Code or other bytes that C writes.",
        (On.CHARS, On.MEMORY, On.NUMBERS),
        {
            "capacity": _CAPACITY,
            "asked_by": _ASKED_BY,
            "written": _WRITTEN,
            "asks": _ASKS,
            "asking": _ASKING,
            "default": Key(NUMBER, "The size, where the caller gives none."),
            "ends": Key(TRUE, "A NUL ends it, and isn't returned."),
            "valid_on": _VALID_ON,
        },
        one_of=("capacity", "asked_by"),
    ),
    "out_lent": Kind(
        "An array of the driver's own that C lends, or without `count` a text; it is copied.",
        (On.HANDLES, On.POINTERS),
        {
            "count": Key(
                PARAMETER,
                "Where C writes the number of elements.",
                of=(On.NUMBERS,),
            ),
            "lacking": _LACKING,
            "valid_on": _VALID_ON,
        },
    ),
    "inout": Kind(
        "A value that C reads and writes: an input, whose new value is also a result.",
        SLOTS,
        {
            "count": Key(
                PARAMETER,
                "The parameter that holds the number of structs.",
                on=(On.STRUCTS,),
                of=(On.NUMBER,),
            ),
            "kept_by": _KEPT_BY,
            "optional": Key(TRUE, "It may be NULL.", on=(On.NUMBERS, On.HANDLES, On.POINTERS)),
            "valid_on": _VALID_ON,
        },
    ),
    "typed_by": Kind(
        "A value whose C type an enumerator decides: [typed.<its enum>] says which.",
        (*VOIDS, On.POINTERS, On.STRUCTS, On.READ_STRUCTS),
        {
            "by": Key(
                PARAMETER,
                "The enumerator, or the array of them.",
                required=True,
                of=(On.NUMBER, On.NUMBERS, On.READ_NUMBERS),
            ),
            "direction": Key(choice("in", "out"), "Whether C reads or writes it.", required=True),
            "count": Key(
                PARAMETER,
                "The parameter that holds the number of values; this one is an array of pointers"
                " to them.",
                on=(On.POINTERS,),
                of=(On.NUMBER,),
            ),
            "size": Key(
                PARAMETER,
                "The parameter that holds the size of the value in bytes, or an array of these"
                " sizes.",
                of=(On.NUMBER, On.NUMBERS, On.READ_NUMBERS),
            ),
            "table": Key(NAME, "The [typed.…] table, if it isn't that of the enum."),
        },
    ),
    "raw": Kind(
        "A bare address: the rules don't say what lies there.",
        (*POINTERS, On.CALLBACK),
        {"reason": Key(TEXT, "Why no other kind fits.", required=True)},
    ),
}
# Keys of every parameter's rule, besides those of its kind.
OF_EVERY_PARAMETER: Mapping[str, Key] = {
    "kind": Key(choice(*KINDS), "What the parameter is.", required=True),
    "type": Key(C_TYPE, "Only a parameter of this type, as the header spells it, is meant."),
    "reason": Key(TEXT, "Why, where that isn't obvious."),
}

# The kinds of fields: what a struct's field is, if its type doesn't say it.
FIELD_KINDS: Mapping[str, Kind] = {
    "text": Kind("A char array that holds text up to its NUL; without a rule it holds bytes."),
    "arguments": Kind(
        "The arguments of a launch.",
        keys={"packed": Key(NUMBER, "In one buffer, behind a list that ends with this number.")},
    ),
    "function": Kind("A kernel or a function."),
    "callback": Kind(
        "A Python callable, or a C function; a graph calls it.",
        keys={
            "user_data": Key(FIELD, "The field that holds the callable's argument.", required=True)
        },
    ),
    "array": Kind(
        "A pointer to an array.",
        keys={
            "count": Key(FIELD, "The field that holds the number of elements.", required=True),
            "lent": Key(TRUE, "Only C writes it."),
        },
    ),
    "boolean": Kind("A number that C only compares with zero, so a bool is accepted."),
    "freed": Kind("A pointer to memory that C frees."),
}
OF_EVERY_FIELD: Mapping[str, Key] = {
    "kind": Key(choice(*FIELD_KINDS), "What the field is."),
    "default": Key(DEFAULT, "Its value where the caller leaves it out; else 0."),
}

# Keys for functions themselves, in the rule of a function or of a family.
OF_FAMILIES: Mapping[str, Key] = {
    "gil": Key(
        choice("keep", "release"),
        "Whether the call keeps the GIL. Only a function that never waits may.",
    ),
    "checked": Key(
        choice("ready", "status", "success", "error"),
        "What the raising form does with the status: returns True or False; returns it; returns it"
        " if several codes mean success; raises it.",
    ),
    "result": Key(
        choice("value", "status"),
        "The meaning of the returned number, if the API's statuses are plain numbers. Without"
        " a rule it is a status.",
    ),
    "exclude": Key(TEXT, "Why it isn't bound."),
    "absent": Key(
        choice("error_name", "error_text"),
        "For functions without a status: what gives the value while there is no library.",
    ),
    "reason": Key(TEXT, "Why, where that isn't obvious."),
}
OF_FUNCTIONS: Mapping[str, Key] = {
    **OF_FAMILIES,
    "adapt": Key(
        RELEASES,
        "The last release of each older form. Today's form calls these: an input that they lack is"
        " refused, an output is None.",
    ),
    "handwritten": Key(
        TRUE,
        "The adaptors are functions of src/handwritten/module/adapt: what differs is more than"
        " a parameter that one of the forms lacks.",
    ),
    "twin": Key(
        FUNCTION,
        "The function with today's form, in releases where this one has another form.",
    ),
}

OF_HANDLES: Mapping[str, Key] = {
    "create": Key(
        FUNCTION, "The function that makes one; the constructor has the same inputs.", required=True
    ),
    "destroy": Key(FUNCTION, "The function that ends it.", required=True),
    "special": Key(NUMBER, "The greatest number with a special meaning as a handle."),
    "own": Key(NUMBER, "The special number that stands for the calling thread's own handle."),
    "optional": Key(NAMES, "Inputs that may be left out of the constructor; C gets NULL."),
}
OF_HELPERS: Mapping[str, Key] = {
    "struct": Key(NAME, "The struct that it makes.", required=True),
    "parameters": Key(NAMES, "Its parameters: the values of the fields, in C's order."),
    "values": Key(NUMBERS, "Without parameters: the values of the fields."),
}
OF_LENGTHS: Mapping[str, Key] = {
    "bytes": Key(OF_FIELDS, "The bytes; left out where a struct there has lengths of its own."),
    "when": Key(OF_FIELDS, "Whether C looks at the pointer."),
}
OF_TYPED: Mapping[str, Key] = {
    "enum": Key(NAME, "The enum, where the table has another name."),
}
OF_TYPED_VALUES: Mapping[str, Key] = {
    "type": Key(C_TYPE, "The value's C type."),
    "field": Key(FIELD, "Instead: the member of the union that holds it."),
    "boolean": Key(TRUE, "A number that C takes as true or false."),
    "by_value": Key(TRUE, "The pointer holds the value itself; else it points to the value."),
    "array": Key(TRUE, "An array of values; the size says how many."),
    "out": Key(TRUE, "C also writes it."),
    "size_of": Key(NAME, "A char buffer's size: the value of this enumerator."),
}


@dataclass(frozen=True, slots=True)
class Table:
    """A table of rules.toml, `[name.…]`: its meaning, and its keys unless kinds give them."""

    name: str
    means: str
    keys: Mapping[str, Key] = field(default_factory=dict)


TABLES: tuple[Table, ...] = (
    Table("function.NAME", "One function, and its forms with a suffix (`_v2`, …).", OF_FUNCTIONS),
    Table('family."GLOB"', "All functions of such names; the longest glob wins.", OF_FAMILIES),
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
        OF_TYPED,
    ),
    Table("struct.NAME.field.FIELD", "A struct's field.", OF_EVERY_FIELD),
    Table(
        "struct.NAME.length.PATH",
        "The bytes that C touches behind a pointer in a struct: a formula, or a table.",
        OF_LENGTHS,
    ),
    Table("helper.NAME", "An inline function of the headers that only makes a struct.", OF_HELPERS),
    Table("handle.NAME", "A handle that Python can own.", OF_HANDLES),
)

# Keys that name a counting parameter, with the unit in which it counts.
COUNTING: Mapping[str, str] = {
    "count": "elements",
    "written": "elements",
    "capacity": "bytes",
    "size": "bytes",
}
