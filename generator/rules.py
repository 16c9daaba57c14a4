"""Reads rules.toml: what a person knows about an API that its headers don't say.

A rule belongs to a function and a parameter by name. The lookup goes from the exact function name
to the name without its release suffix, then to the families (globs, the longest pattern first),
then to the parameter names and the C types of the whole API. Every mistake is a RulesError that
names the key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from generator import formula
from generator.errors import GeneratorError
from generator.model import Api, CType, Function, Parameter
from generator.toml import tomllib

SPECS = Path(__file__).resolve().parent.parent / "api_specs"

# What stands behind a name and says only which release or which default stream is meant.
SUFFIXES = re.compile(r"(_v\d+|_ptsz|_ptds|_spt|_ptr|R\d{4})$")

RELEASE = re.compile(r"\d+\.\d+")


class RulesError(GeneratorError):
    """A rule that can't be meant: its text starts with the file and the TOML key."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What a kind of parameter may say about itself, and what it has to."""

    options: frozenset[str] = frozenset()
    required: frozenset[str] = frozenset()


def _kind(*options: str, required: tuple[str, ...] = ()) -> Kind:
    return Kind(frozenset(options) | frozenset(required), frozenset(required))


# What a parameter is to a Python caller. Options that are names mean other parameters; `length` is
# in bytes for memory (see generator/formula.py) and in elements for arrays without a count.
KINDS: Mapping[str, Kind] = {
    # By value: scalar, enumerator, handle, struct. `as`: the handle type behind a plain pointer.
    # `boolean`: a number that C only asks whether it is zero, so that a bool will do. `length`: of
    # what the first pointer in a struct leads to.
    "value": _kind("as", "boolean", "length"),
    # Memory that C reads, or writes; an address that it takes as a number, or as a range's begin.
    # `frees`: C frees what lies there.
    "readable": _kind("length"),
    "writable": _kind("length"),
    "address": _kind("frees", "length"),
    # const char *; a code image, NUL-ended where it is text; a kernel, function or symbol.
    "text": _kind(),
    "image": _kind(),
    "function": _kind(),
    # One struct that C reads. `identity`: C knows it by its address, so that no copy will do.
    # `optional`: may be NULL. `kept_by`: the graph, or the node of one, that
    # keeps the callables in it; without, they are kept for ever.
    "struct": _kind("identity", "kept_by", "optional"),
    # An array that C reads. `of`: of pointers of that kind; their lengths are in the array `sizes`.
    "array": _kind("count", "length", "of", "optional", "sizes"),
    # A launch's arguments. `packed`: as one buffer, behind a list that ends with this number.
    "arguments": _kind("packed"),
    # `lives`: "once" is called one time; "graph" the same, but each time the graph runs when the
    # stream was capturing; "registered" until the function `until` has taken its handle.
    "callback": _kind("until", required=("user_data", "lives")),
    "user_data": _kind(),
    # One value that C writes. `as`: its type, where C's says less. `valid_on`: the error codes
    # after which it holds, or "any"; `initial`: what stands there when C doesn't write; `lacking`:
    # an older form of the function lacks it, so that it is None where an adaptor serves.
    "out": _kind("as", "initial", "lacking", "valid_on"),
    # An array that C writes. `asked_by`: the function that gives the count, where a call with NULL
    # doesn't; `written`: where C writes how many there are, where that isn't `count`.
    # `default`: the count that is asked for if the caller doesn't say.
    "out_array": _kind("count", "default", "length", "asked_by", "lacking", "written", "valid_on"),
    # A char buffer that C writes, and how large it is if the caller doesn't say.
    "out_text": _kind("default", "valid_on", required=("capacity",)),
    # An array of the driver's own that C lends.
    "out_lent": _kind("lacking", "valid_on", required=("count",)),
    # C reads it and writes it; with `count`, an array. `kept_by` as of a struct.
    "inout": _kind("count", "kept_by", "optional", "valid_on"),
    # Counts arrays; follows from their rules.
    "count": _kind(),
    # A value, or with `count` an array of pointers to values, whose type the enumerator in `by`
    # decides: [typed.<its enum>], or [typed.<table>]. `size`: the bytes of room for it.
    "typed_by": _kind("count", "size", "table", required=("by", "direction")),
    # Nothing is known: bound as a bare address.
    "raw": _kind(required=("reason",)),
}
# What a struct's field may be where its type doesn't say; any field may have a `default`. Beside
# the fields stand under `length` the bytes that C touches behind pointers in a struct: a formula
# over its fields, or { bytes, when } where a condition says whether C looks at the pointer. A
# member of a union with lengths of its own has a condition alone.
FIELD_KINDS: Mapping[str, Kind] = {
    # A char array that holds text up to its NUL; without a rule it holds bytes.
    "text": _kind(),
    # A launch's arguments, and a kernel or function, as the parameters of these kinds.
    "arguments": _kind("packed"),
    "function": _kind(),
    # A callable or a C function, which gets what is in the field `user_data`. A graph calls it.
    "callback": _kind(required=("user_data",)),
    # A pointer to an array that C reads, or lends; the field `count` has its length. `lent`: C
    # alone writes it.
    "array": _kind("lent", required=("count",)),
    # A number that C only asks whether it is zero, so that a bool will do.
    "boolean": _kind(),
    # A pointer to memory that C frees.
    "freed": _kind(),
}
# Options that name a parameter which counts another, and in what; then all that name a parameter.
COUNTING: Mapping[str, str] = {
    "count": "elements",
    "written": "elements",
    "capacity": "bytes",
    "size": "bytes",
}
NAMING = (*COUNTING, "by", "kept_by", "user_data", "sizes")
CHOICES: Mapping[str, tuple[str, ...]] = {
    "direction": ("in", "out"),
    "lives": ("once", "graph", "registered"),
    "of": ("readable", "writable", "address"),
}
FUNCTION_KEYS = {
    "gil": ("keep", "release"),
    "checked": ("ready", "status", "error"),
}
# `exclude`: why it isn't bound. `absent`: the C++ function that gives the value while no library is
# there.
FUNCTION_TEXTS = ("exclude", "absent", "reason")


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
    exclude: str | None = None
    absent: str | None = None
    adapt: tuple[str, ...] = ()
    reason: str = ""

    def own_keys(self) -> Iterator[str]:
        """The keys that act on the function itself, as they stand in the file."""
        for key in ("gil", "checked", "exclude", "absent", "adapt"):
            if getattr(self, key) not in (None, ()):
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
    pointer, else the pointer leads to it. `array`: there are as many as the size says. `text`: a
    char buffer whose size is the value of the enumerator `size_of`. `field`: the member of the
    union that holds it. `out`: C also writes it back.
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
    the one that means the calling thread's, 0 where none does.
    """

    name: str
    create: str
    destroy: str
    special: int
    own: int = 0


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

        "error" raises it, "ready" turns success and not-ready into True and False, and "status"
        returns it.
        """
        found = (rule.checked for rule in self.cascade(function) if rule.checked)
        return next(found, "error")

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

    def exclude(self, function: str) -> str | None:
        """Why a function is not bound, or None."""
        found = (rule.exclude for rule in self.cascade(function) if rule.exclude)
        return next(found, None)

    def unmatched(self, api: Api) -> list[str]:
        """The TOML keys of rules that decide nothing in any release of the API, sorted.

        A function that is only excluded need not be there: the model may be unable to hold it.
        """
        unused = dict.fromkeys(_every_key(self))
        for rule in self.functions.values():
            if list(rule.own_keys()) == ["exclude"] and not rule.parameters:
                for key in (rule.where, f"{rule.where}.exclude"):
                    unused.pop(key)
        for name, variants in api.functions.items():
            for key in self._used_by(name, [variant.node for variant in variants]):
                unused.pop(key, None)
        for table in self.typed.values():
            forms = api.enums.get(table.enum, ())
            names = {one.name for form in forms for one in form.node.enumerators}
            if forms:
                unused.pop(f"typed.{table.name}", None)
            for name in table.values.keys() & names:
                unused.pop(f"typed.{table.name}.value.{name}", None)
        for struct, fields in self.structs.items():
            base = struct
            while base not in api.structs and base in api.aliases:
                base = api.aliases[base][-1].node.type.base
            known = {one.name for form in api.structs.get(base, ()) for one in form.node.fields}
            for name in fields.keys() & known:
                unused.pop(fields[name].where, None)
            for one in self.lengths.get(struct, ()) if base in api.structs else ():
                unused.pop(one.where, None)
        unused |= {f"reviewed: {one}": None for one in self.reviewed if one not in api.releases}
        return sorted(unused)

    def _used_by(self, name: str, forms: list[Function]) -> Iterator[str]:
        for rule in self.cascade(name):
            if not rule.family:
                yield rule.where
            for key in rule.own_keys():
                if next((r for r in self.cascade(name) if getattr(r, key)), None) is rule:
                    yield f"{rule.where}.{key}"
        for form in forms:
            for parameter in form.parameters:
                if found := self.parameter(form, parameter):
                    yield found.where


@cache
def stripped(function: str) -> tuple[str, ...]:
    """A function's name, then the same with one release suffix less, and so on."""
    names = [function]
    while (shorter := SUFFIXES.sub("", names[-1])) != names[-1]:
        names.append(shorter)
    return tuple(names)


def load(api: str, specs: Path = SPECS) -> Rules:
    """The rules of an API from api_specs/<api>/rules.toml; none when it has no such file.

    Raises RulesError, naming file and key.
    """
    path = specs / api / "rules.toml"
    if not path.exists():
        return Rules(api)
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise RulesError(f"{path}: {error}") from None
    try:
        return parse(api, document)
    except RulesError as error:
        raise RulesError(f"{path}: {error}") from None


def parse(api: str, document: Mapping[str, object]) -> Rules:
    """The rules in a parsed TOML document. Raises RulesError, naming the key."""
    _known(
        document,
        {
            *("function", "family", "parameter", "type", "typed", "struct", "helper", "handle"),
            "reviewed",
        },
        "",
    )
    reviewed = tuple(_texts(document.get("reviewed", []), "reviewed"))
    for release in reviewed:
        _release(release, "reviewed")
    functions = {
        name: _function(f"function.{name}", name, table, family=False)
        for name, table in _tables(document, "function")
    }
    families = [
        _function(f'family."{name}"', name, table, family=True)
        for name, table in _tables(document, "family")
    ]
    parameters = {
        name: _rule(f"parameter.{name}", table, typed=True)
        for name, table in _tables(document, "parameter")
    }
    types = {
        str(CType.parse(name)): _rule(f'type."{name}"', table)
        for name, table in _tables(document, "type")
    }
    typed = {name: _typed(name, table) for name, table in _tables(document, "typed")}
    structs = {name: _fields(name, table) for name, table in _tables(document, "struct")}
    lengths = {name: _lengths(name, table) for name, table in _tables(document, "struct")}
    rules = Rules(
        api,
        functions,
        tuple(sorted(families, key=lambda rule: (-len(rule.pattern), rule.pattern))),
        parameters,
        types,
        typed,
        structs,
        lengths,
        tuple(_helper(name, table) for name, table in sorted(_tables(document, "helper"))),
        {name: _handle(name, table) for name, table in _tables(document, "handle")},
        reviewed,
    )
    _check_tables(rules)
    return rules


def _every_key(rules: Rules) -> Iterator[str]:
    for rule in (*rules.functions.values(), *rules.families):
        if not rule.family:
            yield rule.where
        for key in rule.own_keys():
            yield f"{rule.where}.{key}"
        for parameter in rule.parameters.values():
            yield parameter.where
    for parameter in (*rules.parameters.values(), *rules.types.values()):
        yield parameter.where
    for table in rules.typed.values():
        yield f"typed.{table.name}"
        for name in table.values:
            yield f"typed.{table.name}.value.{name}"
    for fields in rules.structs.values():
        for one in fields.values():
            yield one.where
    for lengths in rules.lengths.values():
        for length in lengths:
            yield length.where


def _tables(document: Mapping[str, object], key: str) -> Iterator[tuple[str, Mapping[str, object]]]:
    for name, table in _table(document.get(key, {}), key).items():
        yield name, _table(table, f"{key}.{name}")


def _table(value: object, where: str) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise RulesError(f"{where}: a table is due, not {value!r}")
    return value


def _text(value: object, where: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise RulesError(f"{where}: a text is due, not {value!r}")
    return value


def _known(table: Mapping[str, object], known: set[str], where: str) -> None:
    for key in table:
        if key not in known:
            at = f"{where}.{key}" if where else key
            raise RulesError(f"{at}: unknown key; known here: {', '.join(sorted(known))}")


def _choice(value: object, choices: tuple[str, ...], where: str) -> str:
    if value not in choices:
        raise RulesError(f"{where}: {value!r} is none of {', '.join(choices)}")
    return str(value)


def _function(
    where: str, pattern: str, table: Mapping[str, object], *, family: bool
) -> FunctionRule:
    _known(table, {"parameter", "adapt", *FUNCTION_KEYS, *FUNCTION_TEXTS}, where)
    parameters = {
        name: _rule(f"{where}.parameter.{name}", _table(value, f"{where}.parameter.{name}"))
        for name, value in _table(table.get("parameter", {}), f"{where}.parameter").items()
    }
    chosen: dict[str, Any] = {
        key: _choice(table[key], choices, f"{where}.{key}") if key in table else None
        for key, choices in FUNCTION_KEYS.items()
    }
    chosen |= {key: _text(table[key], f"{where}.{key}") for key in FUNCTION_TEXTS if key in table}
    adapt = tuple(_texts(table.get("adapt", []), f"{where}.adapt"))
    for release in adapt:
        _release(release, f"{where}.adapt")
    return FunctionRule(where, pattern, family, parameters, **chosen, adapt=adapt)


def _texts(value: object, where: str) -> list[str]:
    if not isinstance(value, list):
        raise RulesError(f"{where}: is a list of texts")
    return [_text(one, where) for one in value]


def _release(value: object, where: str) -> None:
    if not RELEASE.fullmatch(_text(value, where)):
        raise RulesError(f"{where}: a release such as 12.4 is due, not {value!r}")


def _rule(where: str, table: Mapping[str, object], *, typed: bool = False) -> Rule:
    if "kind" not in table:
        raise RulesError(f"{where}: has no kind")
    kind = _choice(table["kind"], tuple(KINDS), f"{where}.kind")
    allowed = KINDS[kind]
    _known(table, {"kind", "reason", "type", *allowed.options}, where)
    for key in sorted(allowed.required - table.keys()):
        raise RulesError(f"{where}: a {kind} needs {key}")
    if (table.get("lives") == "registered") != ("until" in table):
        raise RulesError(f'{where}: until goes with lives = "registered", and that with until')
    if typed and "type" not in table:
        raise RulesError(f"{where}: a rule for the whole API needs the C type that it is for")
    texts = ("reason", "type")
    written = {key: _text(table[key], f"{where}.{key}") for key in texts if key in table}
    options = {key: value for key, value in table.items() if key in allowed.options - {"reason"}}
    for key, value in options.items():
        _option(f"{where}.{key}", key, value)
    return Rule(
        kind,
        options,
        written.get("reason", ""),
        where,
        _references(where, options),
        str(CType.parse(written["type"])) if "type" in written else None,
    )


def _fields(struct: str, table: Mapping[str, object]) -> Mapping[str, FieldRule]:
    where = f"struct.{struct}"
    _known(table, {"field", "length"}, where)
    return {
        name: _field(f"{where}.field.{name}", _table(value, f"{where}.field.{name}"))
        for name, value in _table(table.get("field", {}), f"{where}.field").items()
    }


def _field(where: str, table: Mapping[str, object]) -> FieldRule:
    kind = _choice(table["kind"], tuple(FIELD_KINDS), f"{where}.kind") if "kind" in table else None
    allowed = FIELD_KINDS[kind] if kind else Kind()
    _known(table, {"kind", "default", *allowed.options}, where)
    for key in sorted(allowed.required - table.keys()):
        raise RulesError(f"{where}: a {kind} needs {key}")
    if not kind and "default" not in table:
        raise RulesError(f"{where}: has neither kind nor default")
    default = table.get("default", 0)
    if type(default) is not int:
        raise RulesError(f"{where}.default: a number is due, not {default!r}")
    options = {key: value for key, value in table.items() if key in allowed.options}
    for key, value in options.items():
        _option(f"{where}.{key}", key, value)
    return FieldRule(kind, options, default, where)


def _lengths(struct: str, table: Mapping[str, object]) -> tuple[LengthRule, ...]:
    given = _table(table.get("length", {}), f"struct.{struct}.length")
    return tuple(
        _length(path, value, f"struct.{struct}.length.{path}") for path, value in given.items()
    )


def _length(path: str, value: object, where: str) -> LengthRule:
    parts = {"bytes": value} if isinstance(value, str) else _table(value, where)
    _known(parts, {"bytes", "when"}, where)
    texts = {key: _text(part, f"{where}.{key}") for key, part in parts.items()}
    for key, text in texts.items():
        try:
            formula.fields(text)
        except formula.FormulaError as error:
            raise RulesError(f"{where}.{key}: {error}") from None
    return LengthRule(path, texts.get("bytes"), texts.get("when"), where)


def _handle(name: str, table: Mapping[str, object]) -> HandleRule:
    where = f"handle.{name}"
    _known(table, {"create", "destroy", "special", "own"}, where)
    numbers: dict[str, int] = {}
    for key in ("special", "own"):
        number = table.get(key, 0)
        if type(number) is not int:
            raise RulesError(f"{where}.{key}: a number is due, not {number!r}")
        numbers[key] = number
    create, destroy = (_text(table.get(key), f"{where}.{key}") for key in ("create", "destroy"))
    return HandleRule(name, create, destroy, **numbers)


def _helper(name: str, table: Mapping[str, object]) -> HelperRule:
    where = f"helper.{name}"
    _known(table, {"struct", "parameters", "values"}, where)
    if ("parameters" in table) == ("values" in table):
        raise RulesError(f"{where}: either parameters or values")
    values = table.get("values", [])
    if not isinstance(values, list) or not all(type(one) in (int, str) for one in values):
        raise RulesError(f"{where}.values: a list of numbers and enumerators is due")
    return HelperRule(
        name,
        _text(table.get("struct"), f"{where}.struct"),
        tuple(_texts(table.get("parameters", []), f"{where}.parameters")),
        tuple(values),
    )


def _references(where: str, options: Mapping[str, object]) -> frozenset[str]:
    names = {str(options[key]) for key in NAMING if key in options}
    if isinstance(length := options.get("length"), str):
        try:
            names |= formula.parameters(length)
        except formula.FormulaError as error:
            raise RulesError(f"{where}.length: {error}") from None
    return frozenset(names)


def _option(where: str, key: str, value: object) -> None:
    if key in CHOICES:
        _choice(value, CHOICES[key], where)
    elif key in ("boolean", "frees", "identity", "lacking", "lent", "optional"):
        _true(value, where)
    elif key in ("default", "initial", "packed"):
        if type(value) is not int:
            raise RulesError(f"{where}: a number is due, not {value!r}")
    elif key == "length" and type(value) is int and value > 0:
        pass
    elif key == "valid_on":
        names = isinstance(value, list) and value and all(isinstance(one, str) for one in value)
        if value != "any" and not names:
            raise RulesError(f'{where}: a list of error names is due, or "any"')
    else:
        _text(value, where)


def _true(value: object, where: str) -> bool:
    if value is not True:
        raise RulesError(f"{where}: true, or leave it out")
    return True


def _typed(name: str, table: Mapping[str, object]) -> TypedTable:
    where = f"typed.{name}"
    _known(table, {"enum", "value"}, where)
    values = {
        key: _typed_value(f"{where}.value.{key}", value)
        for key, value in _table(table.get("value", {}), f"{where}.value").items()
    }
    return TypedTable(name, _text(table.get("enum", name), f"{where}.enum"), values)


def _typed_value(where: str, value: object) -> TypedValue | None:
    if value == "none":
        return None
    if isinstance(value, str):
        return TypedValue(type=value)
    table = _table(value, where)
    _known(table, {"type", "field", "boolean", "by_value", "array", "out", "size_of"}, where)
    if ("type" in table) == ("field" in table):
        raise RulesError(f"{where}: either type or field")
    flags = {
        key: key in table and _true(table[key], f"{where}.{key}")
        for key in ("boolean", "by_value", "array", "out")
    }
    texts = {
        key: _text(table[key], f"{where}.{key}") if key in table else None
        for key in ("type", "field", "size_of")
    }
    return TypedValue(**texts, **flags)  # type: ignore[arg-type]


def _check_tables(rules: Rules) -> None:
    every = [
        *rules.parameters.values(),
        *rules.types.values(),
        *(p for f in (*rules.functions.values(), *rules.families) for p in f.parameters.values()),
    ]
    for rule in every:
        if "table" in rule.options and rule.options["table"] not in rules.typed:
            raise RulesError(f"{rule.where}.table: there is no [typed.{rule.options['table']}]")
