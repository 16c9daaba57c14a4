"""What crosses between Python and C in a wrapper, as values; generator/cpp spells them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from generator.model import CType
from generator.plan.spelling import python_name

ShapeKind = Literal[
    # One value, and the shapes around a value.
    "value", "boolean", "destroyed", "ended", "unregistered",
    # Memory, text and objects: their C type says nothing.
    "address", "readable", "writable", "image", "freed", "function",
    "text", "text item", "arguments", "packed", "user data", "callback",
    # Structs and values behind a pointer: C reads the first three, and changes the others.
    "struct", "itself", "scalar", "received", "optional",
    # Several of them.
    "array", "items", "changed array", "count", "typed in", "typed ins",
    # A struct in other memory.
    "record",
    # What C gives.
    "list", "text buffer", "byte buffer", "code text", "lent text", "typed out", "typed outs",
]  # fmt: skip
# The name of what C returns beside a status that it writes.
RETURNED = "returned"
# Memory behind a pointer, whose elements are known where the shape has a type.
MEMORY: frozenset[ShapeKind] = frozenset({"readable", "writable", "address"})
# Arrays that are counted by another parameter.
ARRAYS: frozenset[ShapeKind] = frozenset({"array", "items", "changed array", "typed ins"})


@dataclass(frozen=True, slots=True)
class Kept:
    """How long a callable is kept; `carrier` is the index of its user data, if C has several.

    `failed` is the result that C gets if the callable raises. `lent` are the indices of a struct
    that C lends and of the enumerator that decides which. A callable without user data has a `slot`
    of its own, by which it is found; `memory` says what such a callable does with memory.
    """

    lives: str
    carrier: int | None = None
    failed: int = 0
    lent: tuple[int, int] | None = None
    slot: str = ""
    memory: str = "none"


@dataclass(frozen=True, slots=True)
class Shape:
    """How something crosses: `type` is C's type of the value or struct, `of` the inner shape.

    `table` gives the types that an enumerator decides; `end` is the number that ends a list.
    """

    kind: ShapeKind
    type: CType | None = None
    of: Shape | None = None
    table: str | None = None
    end: int | None = None
    kept: Kept | None = None

    @property
    def inner(self) -> Shape:
        """The inner shape, such as an array's element; the shape itself if there is none."""
        return self.of or self

    @property
    def value(self) -> CType:
        """The C type of the innermost shape; void if that has none."""
        return self.of.value if self.of else self.type or CType("void")


def value(type: CType) -> Shape:
    """One value of a type."""
    return Shape("value", type)


@dataclass(frozen=True, slots=True)
class Input:
    """A parameter of a wrapper and of the Python signature, by C's name."""

    name: str
    shape: Shape
    default: int | None = None
    keyword_only: bool = False

    @property
    def python_name(self) -> str:
        """Its name in Python."""
        return python_name(self.name)


How = Literal[
    "value", "address", "memory", "data", "pointers", "sizes", "count", "address of count",
    "optional", "null", "zero", "new struct", "new value", "number", "bytes",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Argument:
    """What C gets for a parameter: an input or a local, or a part of it.

    `inside` counts the shapes around a handle. "new struct" and "new value" are memory of a `type`
    that nobody reads. "number" is an address as an integer, "bytes" is a buffer as a pointer to
    `type`.
    """

    how: How
    name: str = ""
    inside: int = 0
    type: CType | None = None


@dataclass(frozen=True, slots=True)
class Local:
    """A variable that C writes.

    `capacity` is the length of an array or a buffer: a formula, or the argument with the number.
    `depends_on` are the parameters on which a value depends whose type an enumerator decides.
    """

    name: str
    shape: Shape
    initial: str = ""
    capacity: str | Argument | None = None
    depends_on: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ask:
    """The call that finds a count: if the caller left `counted` out, or always if that is None.

    `returned`: the function returns the count, and no status. `accepts` are the errors after which
    it has depends_on the count, too.
    """

    function: str
    arguments: tuple[Argument, ...]
    counted: str | None
    returned: bool = False
    accepts: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Cut:
    """An array or a buffer that is cut to what C wrote; `written` is None if C returns that."""

    name: str
    written: Argument | None


@dataclass(frozen=True, slots=True)
class Valid:
    """When a result is valid: after which failures, or in which releases.

    It is valid after failures with the `codes`, or after all failures without codes. With `since`
    it is there from that release on.
    """

    codes: tuple[tuple[int, str], ...] = ()
    since: int | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """A result by C's name.

    `count` is the length of an array that is copied: one that C lends, or an input that C changed.
    """

    name: str
    shape: Shape
    lifetime: Literal["own", "lent", "input"] = "own"
    count: str | None = None
    valid: Valid | None = None

    @property
    def python_name(self) -> str:
        """Its name in Python."""
        return python_name(self.name)

    @property
    def lacks(self) -> bool:
        """Whether it is None in some release."""
        return self.valid is not None and self.valid.since is not None
