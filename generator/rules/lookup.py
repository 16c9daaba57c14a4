"""The rules of one API, and which of them speaks for a function or a parameter.

A rule belongs to a function and a parameter by name. The lookup goes from the exact function name
to the name without its release suffix, then to the families (globs, the longest pattern first),
then to the parameter names and the C types of the whole API.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache

from generator.model import CType, Function, Parameter

# What stands behind a name and says only which release or which default stream is meant.
SUFFIXES = re.compile(r"(_v\d+|_ptsz|_ptds|_spt|_ptr|R\d{4})$")


@dataclass(frozen=True, slots=True)
class Rule:
    """What the rules say about one parameter.

    `where` is its TOML key, for messages; `references` are the other parameters that it names;
    `type` is the C type that it is for, where it is not for all.
    """

    kind: str
    options: Mapping[str, object]
    reason: str
    where: str
    references: frozenset[str] = frozenset()
    type: str | None = None

    def fits(self, function: Function, parameter: Parameter) -> bool:
        """Whether the parameter has the type that the rule asks for, and the function the names."""
        names = {parameter.name for parameter in function.parameters}
        return self.type in (None, str(parameter.type)) and self.references <= names


@dataclass(frozen=True, slots=True)
class FunctionRule:
    """What the rules say about a function or a family as a whole, and about its parameters."""

    where: str
    pattern: str
    family: bool
    parameters: Mapping[str, Rule]
    gil: str | None = None
    checked: str | None = None
    result: str | None = None
    exclude: str | None = None
    absent: str | None = None
    adapt: tuple[str, ...] = ()
    handwritten: bool = False
    twin: str | None = None
    reason: str = ""

    def own_keys(self) -> Iterator[str]:
        """The keys that act on the function itself, as they stand in the file."""
        for key in (
            "gil",
            "checked",
            "result",
            "exclude",
            "absent",
            "adapt",
            "handwritten",
            "twin",
        ):
            if getattr(self, key) not in (None, (), False):
                yield key


@dataclass(frozen=True, slots=True)
class FieldRule:
    """What the rules say about a struct's field: a kind or None, and its value when left out."""

    kind: str | None
    options: Mapping[str, object]
    default: int
    where: str


@dataclass(frozen=True, slots=True)
class LengthRule:
    """The bytes behind the pointer at `path` in a struct, where `when` holds or is None.

    Without `bytes` the member there has lengths of its own.
    """

    path: str
    bytes: str | None
    when: str | None
    where: str


@dataclass(frozen=True, slots=True)
class TypedValue:
    """The C type of a value that an enumerator decides.

    `boolean`: a number that is true or false to C. `by_value`: the value itself stands in the
    pointer, else the pointer leads to it. `array`: there are as many as the size says. `size_of`:
    the enumerator whose value is the size of a char buffer. `field`: the member of the union that
    holds it. `out`: C also writes it back.
    """

    type: str | None = None
    field: str | None = None
    by_value: bool = False
    array: bool = False
    boolean: bool = False
    out: bool = False
    size_of: str | None = None


@dataclass(frozen=True, slots=True)
class TypedTable:
    """Which C type each enumerator stands for; enumerators that stand for no value map to None."""

    name: str
    enum: str
    values: Mapping[str, TypedValue | None]


@dataclass(frozen=True, slots=True)
class HandleRule:
    """How Python owns a handle: `create`'s inputs are its constructor's, `destroy` ends it.

    `special` is the greatest small number that the API gives a meaning as this handle; `own` is
    the one that means the calling thread's, 0 where none does. `optional` are inputs that the
    constructor may leave out, as NULL.
    """

    name: str
    create: str
    destroy: str
    special: int
    own: int = 0
    optional: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HelperRule:
    """An inline function of the headers that only makes a struct.

    `parameters` are the values of its fields in C's order; without any, `values` are, as numbers
    or enumerators' names.
    """

    name: str
    struct: str
    parameters: tuple[str, ...]
    values: tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one API, in lookup order.

    `reviewed` are the releases whose functions somebody has read with these rules in hand.
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

    def of_parameters(self) -> Iterator[Rule]:
        """Every rule about a parameter."""
        yield from self.parameters.values()
        yield from self.types.values()
        for one in (*self.functions.values(), *self.families):
            yield from one.parameters.values()

    def is_address(self, type: CType) -> bool:
        """Whether a rule of a type that C spells as a number says that it is an address."""
        rule = self.types.get(str(type))
        return rule is not None and rule.kind == "address" and not type.is_pointer

    def of_field(self, tag: str, name: str, field: str) -> FieldRule | None:
        """The rule for a field of a struct that is known by its tag or by its typedef's name."""
        return self.of_struct(tag, name).get(field)

    def of_struct(self, tag: str, name: str) -> Mapping[str, FieldRule]:
        """The rules for the fields of a struct, by the fields' names."""
        return self.structs.get(name, self.structs.get(tag, {}))

    def of_lengths(self, tag: str, name: str) -> tuple[LengthRule, ...]:
        """What C touches behind the pointers of a struct."""
        return self.lengths.get(name, self.lengths.get(tag, ()))

    def cascade(self, function: str, *, reviewed: bool = True) -> Iterator[FunctionRule]:
        """The rules that apply to a function, the closest first.

        Of a function that nobody has read only those that name it, or its family, as it is.
        """
        for name in stripped(function) if reviewed else (function,):
            if rule := self.functions.get(name):
                yield rule
        for rule in self.families:
            if fnmatchcase(function, rule.pattern):
                yield rule

    def parameter(
        self, function: Function, parameter: Parameter, *, reviewed: bool = True
    ) -> Rule | None:
        """The closest rule for a parameter.

        A family's rule, or one for the whole API, passes by a function that lacks the parameters it
        names, so that a new release can't stumble over it; a function's own rule is always found.
        A rule for the whole API knows nothing of a function that nobody has read.
        """
        for rule in self.cascade(function.name, reviewed=reviewed):
            found = rule.parameters.get(parameter.name)
            if found and found.type not in (None, str(parameter.type)):
                continue
            if found and (not rule.family or found.fits(function, parameter)):
                return found
        if not reviewed:
            return None
        for found in (self.parameters.get(parameter.name), self.types.get(str(parameter.type))):
            if found and found.fits(function, parameter):
                return found
        return None

    def gil(self, function: str, *, reviewed: bool = True) -> str:
        """ "release", or "keep" for a function that can't wait for anything."""
        found = (rule.gil for rule in self.cascade(function, reviewed=reviewed) if rule.gil)
        return next(found, "release")

    def checked(self, function: str) -> str:
        """What the raising form does with the status.

        "error" raises it, "ready" turns success and not-ready into True and False, "status"
        returns it, and "success" returns what is success and raises what isn't.
        """
        found = (rule.checked for rule in self.cascade(function) if rule.checked)
        return next(found, "error")

    def result(self, function: str) -> FunctionRule | None:
        """The closest rule that says what the number is that a function returns, or None."""
        return next((rule for rule in self.cascade(function) if rule.result), None)

    def destroyed(self, function: str) -> str | None:
        """The handle type whose owner a successful call of the function ends, or None."""
        return next((one.name for one in self.handles.values() if one.destroy == function), None)

    def absent(self, function: str) -> str | None:
        """The C++ function that gives the value while no library is there, or None."""
        found = (rule.absent for rule in self.cascade(function) if rule.absent)
        return next(found, None)

    def adapted(self, function: str) -> tuple[str, ...]:
        """The releases up to which an adaptor serves the function, the oldest first."""
        rule = self.functions.get(function)
        return rule.adapt if rule else ()

    def handwritten(self, function: str) -> bool:
        """Whether its adaptors are C++ of ours."""
        rule = self.functions.get(function)
        return rule.handwritten if rule else False

    def twin(self, function: str) -> str | None:
        """The function that has its newest form where it has another itself, or None."""
        rule = self.functions.get(function)
        return rule.twin if rule else None

    def exclude(self, function: str) -> str | None:
        """Why a function is not bound, or None."""
        found = (rule.exclude for rule in self.cascade(function) if rule.exclude)
        return next(found, None)


@cache
def stripped(function: str) -> tuple[str, ...]:
    """A function's name, then the same with one release suffix less, and so on."""
    names = [function]
    while (shorter := SUFFIXES.sub("", names[-1])) != names[-1]:
        names.append(shorter)
    return tuple(names)
