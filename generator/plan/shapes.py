"""What crosses between Python and C in a wrapper, as values; generator/cpp spells them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from generator.model import CType
from generator.plan.spelling import python_name

Kind = Literal[
    # One value, and what is around it.
    "value", "boolean", "destroyed", "ended", "unregistered",
    # Memory, text and objects, whose C type says nothing.
    "address", "readable", "writable", "image", "freed", "function",
    "text", "text item", "arguments", "packed", "user data", "callback",
    # Structs and values behind a pointer: C reads the first two, and changes the others.
    "struct", "itself", "received", "optional",
    # Several of them.
    "array", "items", "changed array", "count", "typed in", "typed ins",
    # What C gives.
    "list", "text buffer", "byte buffer", "code text", "lent text", "typed out", "typed outs",
]  # fmt: skip
# Arrays of which some other parameter is the count.
ARRAYS: frozenset[Kind] = frozenset({"array", "items", "changed array", "typed ins"})


@dataclass(frozen=True, slots=True)
class Kept:
    """How long a callable is kept; `carrier` is the index of its user data, where C has several.

    `failed` is what C gets where it raises.
    """

    lives: str
    carrier: int | None = None
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Shape:
    """How something crosses: `type` is C's type of the value or struct, `of` what is inside.

    `table` types a value by an enumerator; `end` is the number that ends a packed list.
    """

    kind: Kind
    type: CType | None = None
    of: Shape | None = None
    table: str | None = None
    end: int | None = None
    kept: Kept | None = None

    @property
    def inner(self) -> Shape:
        """What is inside: of an array its element; a value is itself."""
        return self.of or self

    @property
    def value(self) -> CType:
        """C's type of what lies innermost; void where it has none."""
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
    "optional", "null", "new struct", "new value", "number", "bytes",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Argument:
    """What C gets for a parameter: an input or a local, or a part of it.

    `inside` counts the shapes around a handle. "new" is memory that nobody reads, of a `type`;
    "number" is an address as C's integer, "bytes" a buffer as a pointer to `type`.
    """

    how: How
    name: str = ""
    inside: int = 0
    type: CType | None = None


@dataclass(frozen=True, slots=True)
class Local:
    """A variable that C writes. `capacity` is how long an array or a buffer is made: a formula, or
    what has the number. `given` are the parameters that a value typed by an enumerator depends on.
    """

    name: str
    shape: Shape
    initial: str = ""
    capacity: str | Argument | None = None
    given: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ask:
    """The call that finds a count: where the caller left out `counted`, always if that is None.

    `returned`: it is what the function returns, and no status.
    """

    function: str
    arguments: tuple[Argument, ...]
    counted: str | None
    returned: bool = False


@dataclass(frozen=True, slots=True)
class Cut:
    """An array or a buffer of which C says how much it wrote."""

    name: str
    written: Argument


@dataclass(frozen=True, slots=True)
class Valid:
    """After which failures a result holds: all, or those with the `codes`; or `since` which release
    there is one.
    """

    codes: tuple[tuple[int, str], ...] = ()
    since: int | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """A result by C's name. `count` says how long an array is that is copied: one that C lends, or
    an input that it changed.
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
