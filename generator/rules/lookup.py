"""The rules of one API, and which of them decides a function or a parameter.

A rule belongs to a function and a parameter by name. The lookup goes from the exact function name
to the name without its release suffix, then to the families (globs, the longest pattern first),
then to the parameter names and the C types of the whole API.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from fnmatch import fnmatchcase
from functools import cache
from typing import Annotated

from generator.model import CType, Function, Parameter
from generator.rules.values import (
    CName,
    FieldName,
    FunctionName,
    Names,
    Number,
    Numbers,
    OfFields,
    Releases,
    Text,
    TypedCType,
    key,
)
from generator.schema import Flag, SchemaError, one_of

# Endings of names that only say which release or which default stream is meant.
SUFFIXES = re.compile(r"(_v\d+|_ptsz|_ptds|_spt|_ptr|R\d{4})$")


@dataclass(frozen=True, slots=True)
class Rule:
    """What the rules say about one parameter.

    `where` is its TOML key, for messages. `references` are the other parameters that it names.
    `type` is the C type that it is for; None if it is for all.
    """

    kind: str
    options: Mapping[str, object]
    reason: str
    where: str
    references: frozenset[str] = frozenset()
    type: str | None = None

    def fits(self, function: Function, parameter: Parameter) -> bool:
        """Whether the parameter has the rule's type, and the function the parameters it names."""
        names = {parameter.name for parameter in function.parameters}
        return self.type in (None, str(parameter.type)) and self.references <= names


@dataclass(frozen=True, slots=True)
class FunctionRule:
    """What the rules say about a function or a family as a whole, and about its parameters."""

    where: str
    pattern: str
    family: bool
    parameters: Mapping[str, Rule]
    gil: Annotated[str, one_of("keep", "release")] | None = key(
        "Whether the call keeps the GIL. Only a function that never waits may.", None
    )
    checked: Annotated[str, one_of("ready", "status", "success", "error")] | None = key(
        "What the raising form does with the status: returns True or False; returns it; returns it"
        " if several codes mean success; raises it.",
        None,
    )
    result: Annotated[str, one_of("value", "status", "count")] | None = key(
        "The meaning of the returned number: a status, as without a rule if the API's statuses are"
        " plain numbers; a value; or a count that is below 0 after a failure, -1 where errno has"
        " the status, else the negative status.",
        None,
    )
    exclude: Text | None = key("Why it isn't bound.", None)
    absent: Annotated[str, one_of("error_name", "error_text")] | None = key(
        "For functions without a status: what gives the value while there is no library.", None
    )
    reason: Text = key("Why, where that isn't obvious.", "")
    adapt: Releases = key(
        "The last release of each older form. Today's form calls these: an input that they lack is"
        " refused, an output is None.",
        (),
    )
    handwritten: Flag = key(
        "The adaptors are functions of src/handwritten/module/adapt: what differs is more than"
        " a parameter that one of the forms lacks.",
        False,
    )
    twin: FunctionName | None = key(
        "The function with today's form, in releases where this one has another form.", None
    )
    hot: Flag = key(
        "Programs call it so often that its path is compiled for it alone, which saves some"
        " nanoseconds a call.",
        False,
    )

    def own_keys(self) -> Iterator[str]:
        """The keys that are for the function itself, as they stand in the file."""
        for one in fields(self):
            said = "means" in one.metadata and getattr(self, one.name) != one.default
            if said and one.name != "reason":
                yield one.name


# The keys that a family can't have, as they are without being said.
NOT_OF_FAMILIES: Mapping[str, object] = {
    "adapt": (),
    "handwritten": False,
    "twin": None,
    "hot": False,
}


@dataclass(frozen=True, slots=True)
class FieldRule:
    """What the rules say about a struct's field: a kind or None, and its value when left out.

    A default that is a text is the name of an enumerator or a macro.
    """

    kind: str | None
    options: Mapping[str, object]
    default: int | float | str
    where: str


@dataclass(frozen=True, slots=True)
class LengthRule:
    """The bytes behind the pointer at `path` in a struct."""

    path: str
    where: str
    bytes: OfFields | None = key(
        "The bytes; left out where a struct there has lengths of its own.", None
    )
    when: OfFields | None = key("Whether C looks at the pointer.", None)


@dataclass(frozen=True, slots=True)
class TypedValue:
    """The C type of a value that an enumerator decides."""

    type: TypedCType | None = key("The value's C type.", None)
    older: Names = key(
        "Structs that stand for it in releases that lack `type`, the oldest first.", ()
    )
    field: FieldName | None = key("Instead: the member of the union that holds it.", None)
    boolean: Flag = key("A number that C takes as true or false.", False)
    by_value: Flag = key("The pointer holds the value itself; else it points to the value.", False)
    array: Flag = key("An array of values; the size says how many.", False)
    out: Flag = key("C also writes it.", False)
    size_of: CName | None = key("A char buffer's size: the value of this enumerator.", None)

    def __post_init__(self) -> None:
        if (self.type is None) == (self.field is None):
            raise SchemaError("give type or field, one of them")


@dataclass(frozen=True, slots=True)
class TypedTable:
    """The C type that each enumerator stands for; None for enumerators without a value."""

    name: str
    values: Mapping[str, TypedValue | None]
    enum: CName = key("The enum, where the table has another name.", "")


@dataclass(frozen=True, slots=True)
class HandleRule:
    """How Python owns a handle."""

    name: str
    create: FunctionName = key("The function that makes one; the constructor has the same inputs.")
    destroy: FunctionName = key("The function that ends it.")
    special: Number = key("The greatest number with a special meaning as a handle.", 0)
    own: Number = key("The special number that stands for the calling thread's own handle.", 0)
    optional: Names = key("Inputs that may be left out of the constructor; C gets NULL.", ())
    ends: Names = key("Functions that end it, too, beside `destroy`.", ())

    def __post_init__(self) -> None:
        if not 0 <= self.own <= self.special < 2**31:
            raise SchemaError("special is at least own, and neither is negative")


@dataclass(frozen=True, slots=True)
class HelperRule:
    """An inline function of the headers that only makes a struct."""

    name: str
    struct: CName = key("The struct that it makes.")
    parameters: Names = key("Its parameters: the values of the fields, in C's order.", ())
    values: Numbers = key("Without parameters: the values of the fields.", ())


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one API, in lookup order.

    `reviewed` are the releases whose functions somebody has checked against these rules.
    """

    api: str
    functions: Mapping[str, FunctionRule] = field(default_factory=dict)
    families: tuple[FunctionRule, ...] = ()
    parameters: Mapping[str, Rule] = field(default_factory=dict)
    types: Mapping[str, Rule] = field(default_factory=dict)
    typed: Mapping[str, TypedTable] = field(default_factory=dict)
    structs: Mapping[str, Mapping[str, FieldRule]] = field(default_factory=dict)
    lengths: Mapping[str, tuple[LengthRule, ...]] = field(default_factory=dict)
    helpers: tuple[HelperRule, ...] = ()
    handles: Mapping[str, HandleRule] = field(default_factory=dict)
    reviewed: tuple[str, ...] = ()
    # By a function's name, and whether it is reviewed.
    _cascades: dict[tuple[str, bool], tuple[FunctionRule, ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def of_parameters(self) -> Iterator[Rule]:
        """Every rule about a parameter."""
        yield from self.parameters.values()
        yield from self.types.values()
        for one in (*self.functions.values(), *self.families):
            yield from one.parameters.values()

    def is_address(self, type: CType) -> bool:
        """Whether a rule says that a type, which is a number in C, is an address."""
        rule = self.types.get(str(type))
        return rule is not None and rule.kind == "address" and not type.is_pointer

    def of_field(self, tag: str, name: str, field: str) -> FieldRule | None:
        """The rule for a field of a struct; the struct is known by its tag or by its typedef."""
        return self.of_struct(tag, name).get(field)

    def of_struct(self, tag: str, name: str) -> Mapping[str, FieldRule]:
        """The rules for the fields of a struct, by the fields' names."""
        return self.structs.get(name, self.structs.get(tag, {}))

    def of_lengths(self, *names: str) -> tuple[LengthRule, ...]:
        """The rules for the bytes behind the pointers of a struct with these names."""
        return next((self.lengths[one] for one in names if one in self.lengths), ())

    def cascade(self, function: str, *, reviewed: bool = True) -> tuple[FunctionRule, ...]:
        """The rules that apply to a function, the closest first.

        For an unreviewed function, these are only rules for its exact name, or for its family.
        """
        known = self._cascades.get((function, reviewed))
        if known is None:
            names = stripped(function) if reviewed else (function,)
            own = (self.functions[name] for name in names if name in self.functions)
            families = (one for one in self.families if fnmatchcase(function, one.pattern))
            known = self._cascades[function, reviewed] = (*own, *families)
        return known

    def parameter(
        self, function: Function, parameter: Parameter, *, reviewed: bool = True
    ) -> Rule | None:
        """The closest rule for a parameter.

        A rule of a family or of the whole API is skipped for a function that lacks the parameters
        that the rule names: so it never makes a new release fail. A function's own rule is always
        found. Rules of the whole API are not for unreviewed functions.
        """
        for rule in self.cascade(function.name, reviewed=reviewed):
            entry = rule.parameters.get(parameter.name)
            if entry and entry.type not in (None, str(parameter.type)):
                continue
            if entry and (not rule.family or entry.fits(function, parameter)):
                return entry
        if not reviewed:
            return None
        for entry in (self.parameters.get(parameter.name), self.types.get(str(parameter.type))):
            if entry and entry.fits(function, parameter):
                return entry
        return None

    def gil(self, function: str, *, reviewed: bool = True) -> str:
        """ "release", or "keep" for a function that can't wait for anything."""
        values = (rule.gil for rule in self.cascade(function, reviewed=reviewed) if rule.gil)
        return next(values, "release")

    def checked(self, function: str) -> str:
        """What the raising form does with the status.

        "error" raises it. "ready" turns success and not-ready into True and False. "status" returns
        it. "success" returns a code that means success, and raises other codes.
        """
        values = (rule.checked for rule in self.cascade(function) if rule.checked)
        return next(values, "error")

    def hot(self, function: str) -> bool:
        """Whether the function has a path of its own."""
        return any(rule.hot for rule in self.cascade(function))

    def result(self, function: str) -> FunctionRule | None:
        """The closest rule that says what the returned number is, or None."""
        return next((rule for rule in self.cascade(function) if rule.result), None)

    def counts(self, function: str) -> bool:
        """Whether the function returns a count, or a status below 0."""
        rule = self.result(function)
        return rule is not None and rule.result == "count"

    def destroyed(self, function: str) -> str | None:
        """The type of the handle that a successful call of the function ends, or None."""
        every = self.handles.values()
        return next((one.name for one in every if function in (one.destroy, *one.ends)), None)

    def absent(self, function: str) -> str | None:
        """The C++ function that gives the value if there is no library, or None."""
        values = (rule.absent for rule in self.cascade(function) if rule.absent)
        return next(values, None)

    def adapted(self, function: str) -> tuple[str, ...]:
        """The releases up to which an adaptor serves the function, the oldest first."""
        rule = self.functions.get(function)
        return rule.adapt if rule else ()

    def handwritten(self, function: str) -> bool:
        """Whether its adaptors are handwritten C++."""
        rule = self.functions.get(function)
        return rule.handwritten if rule else False

    def twin(self, function: str) -> str | None:
        """The function with its newest form in releases where it has another form, or None."""
        rule = self.functions.get(function)
        return rule.twin if rule else None

    def exclude(self, function: str) -> str | None:
        """Why a function is not bound, or None."""
        values = (rule.exclude for rule in self.cascade(function) if rule.exclude)
        return next(values, None)


@cache
def stripped(function: str) -> tuple[str, ...]:
    """A function's name, then the name without its last suffix, and so on."""
    names = [function]
    while (shorter := SUFFIXES.sub("", names[-1])) != names[-1]:
        names.append(shorter)
    return tuple(names)
