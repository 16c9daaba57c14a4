"""From rules.toml to the rules of an API, key by key, by the tables in kinds.py.

Every mistake is a RulesError that names the file and the key.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, make_dataclass
from functools import cache
from pathlib import Path
from typing import Any

from generator import formula, schema
from generator.rules.kinds import (
    FIELD_KINDS,
    KINDS,
    OF_EVERY_FIELD,
    OF_EVERY_PARAMETER,
    Key,
    RuleKind,
)
from generator.rules.lookup import (
    NOT_OF_FAMILIES,
    FieldRule,
    FunctionRule,
    HandleRule,
    HelperRule,
    LengthRule,
    Rule,
    Rules,
    TypedTable,
    TypedValue,
)
from generator.rules.values import NAMING, CTypeName, Releases, RulesError, TypedCType
from generator.schema import SchemaError
from generator.toml import read_toml

SPECS = Path(__file__).resolve().parents[2] / "api_specs"
Toml = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Document:
    function: Mapping[str, Toml] = field(default_factory=dict)
    family: Mapping[str, Toml] = field(default_factory=dict)
    parameter: Mapping[str, Toml] = field(default_factory=dict)
    type: Mapping[str, Toml] = field(default_factory=dict)
    typed: Mapping[str, Toml] = field(default_factory=dict)
    struct: Mapping[str, _Struct] = field(default_factory=dict)
    helper: Mapping[str, Toml] = field(default_factory=dict)
    handle: Mapping[str, Toml] = field(default_factory=dict)
    reviewed: Releases = ()


@dataclass(frozen=True, slots=True)
class _Struct:
    length: Mapping[str, str | Toml] = field(default_factory=dict)
    field: Mapping[str, Toml] = field(default_factory=dict)


def load(api: str, specs: Path = SPECS) -> Rules:
    """The rules of an API from api_specs/<api>/rules.toml; none when it has no such file.

    Raises RulesError, naming file and key.
    """
    path = specs / api / "rules.toml"
    if not os.path.lexists(path):  # a link that leads nowhere is a mistake
        return Rules(api)
    document = read_toml(path, RulesError)
    try:
        return parse(api, document)
    except RulesError as error:
        raise RulesError(f"{path}: {error}") from None


def parse(api: str, document: Toml) -> Rules:
    """The rules in a parsed TOML document. Raises RulesError, naming the key."""
    try:
        return _parse(api, schema.read(_Document, document))
    except SchemaError as error:
        raise RulesError(str(error)) from None


def _parse(api: str, read: _Document) -> Rules:
    families = [_family(glob, table) for glob, table in read.family.items()]
    rules = Rules(
        api,
        {name: _function(name, table) for name, table in read.function.items()},
        tuple(sorted(families, key=lambda rule: (-len(rule.pattern), rule.pattern))),
        {name: _parameter(name, table) for name, table in read.parameter.items()},
        dict(_types(read.type)),
        {name: _typed(name, table) for name, table in read.typed.items()},
        {name: _fields(name, table) for name, table in read.struct.items()},
        {name: tuple(_lengths(name, table)) for name, table in read.struct.items()},
        tuple(_helper(name, table) for name, table in sorted(read.helper.items())),
        {
            name: schema.read(HandleRule, table, f"handle.{name}", name=name)
            for name, table in read.handle.items()
        },
        read.reviewed,
    )
    for rule in rules.of_parameters():
        if "table" in rule.options and rule.options["table"] not in rules.typed:
            raise SchemaError(f"{rule.where}.table: there is no [typed.{rule.options['table']}]")
    return rules


def _split(table: Toml, key: str, where: str, kind: Any) -> tuple[Toml, Mapping[str, Any]]:
    """A table without one of its tables, and that one."""
    own = {name: value for name, value in table.items() if name != key}
    return own, schema.read(kind, table.get(key, {}), f"{where}.{key}")


def _keys(table: Toml, keys: Mapping[str, Key], where: str) -> dict[str, Any]:
    """The values of a table that may have these keys."""
    values = schema.read(_class(tuple(keys.items())), table, where)
    return {key: getattr(values, f"{key}_") for key in table}


@cache
def _class(keys: tuple[tuple[str, Key], ...]) -> Any:
    """A class that has these keys. An _ sets names apart from Python's words."""
    each: Any = [
        (f"{key}_", one.value) if one.required else (f"{key}_", one.value, None)
        for key, one in keys
    ]
    return make_dataclass("Rule", each, kw_only=True)


def _of_kind(
    table: Toml, every: Mapping[str, Key], kinds: Mapping[str, RuleKind], where: str
) -> dict[str, Any]:
    """The values of a table whose other keys follow from its `kind`."""
    said = {key: value for key, value in table.items() if key == "kind"}
    name = _keys(said, {"kind": every["kind"]}, where).get("kind")
    if name is None:
        return _keys(table, every, where)
    values = _keys(table, {**every, **kinds[name].keys}, where)
    if (needed := kinds[name].one_of) and not values.keys() & set(needed):
        raise SchemaError(f"{where}: kind = {name!r} needs {' or '.join(needed)}")
    return values


def _function(name: str, table: Toml) -> FunctionRule:
    rule = _of_functions(f"function.{name}", name, table, family=False)
    if rule.exclude and (rule.parameters or [*rule.own_keys()] != ["exclude"]):
        raise SchemaError(f"{rule.where}.exclude: an excluded function can have no other rule")
    return rule


def _family(glob: str, table: Toml) -> FunctionRule:
    return _of_functions(f'family."{glob}"', glob, table, family=True, **NOT_OF_FAMILIES)


def _of_functions(where: str, pattern: str, table: Toml, **known: object) -> FunctionRule:
    own, inner = _split(table, "parameter", where, Mapping[str, Toml])
    parameters = {name: _rule(f"{where}.parameter.{name}", one) for name, one in inner.items()}
    known |= {"where": where, "pattern": pattern, "parameters": parameters}
    return schema.read(FunctionRule, own, where, **known)


def _parameter(name: str, table: Toml) -> Rule:
    rule = _rule(f"parameter.{name}", table)
    if rule.type is None:
        raise SchemaError(f"{rule.where}: a rule for the whole API needs the C type that it is for")
    return rule


def _types(table: Mapping[str, Toml]) -> Iterator[tuple[str, Rule]]:
    seen: dict[str, str] = {}
    for name, one in table.items():
        where = f'type."{name}"'
        type = schema.read(CTypeName, name, where)
        if type in seen:
            raise SchemaError(f"{where}: the same type as {seen[type]}")
        seen[type] = where
        yield type, _rule(where, one)


def _rule(where: str, table: Toml) -> Rule:
    values = _of_kind(table, OF_EVERY_PARAMETER, KINDS, where)
    if (values.get("lives") == "registered") != ("until" in values):
        raise SchemaError(f'{where}: lives = "registered" needs until, and until needs it')
    if "holder" in values and "until" not in values:
        raise SchemaError(f"{where}: holder needs until")
    kind = values["kind"]
    if kind == "callback" and (values.get("lives") == "replaced") == ("user_data" in values):
        raise SchemaError(
            f"{where}: a callback needs user_data, the name of the parameter whose object the "
            'callable gets; with lives = "replaced" it has none'
        )
    if "memory" in values and values["lives"] != "replaced":
        raise SchemaError(f'{where}: memory needs lives = "replaced"')
    if kind == "callback" and len({"lent", "by", "table"} & values.keys()) not in (0, 3):
        raise SchemaError(f"{where}: lent, by and table are given all three, or none")
    del values["kind"]
    type, reason = values.pop("type", None), values.pop("reason", "")
    return Rule(kind, values, reason, where, _references(kind, values), type)


def _references(kind: str, options: Toml) -> frozenset[str]:
    """The other parameters that a rule names."""
    names: set[str] = set()
    for key, value in options.items():
        if KINDS[kind].keys[key].value in NAMING and isinstance(value, str):
            names |= formula.parameters(value)
    return frozenset(names)


def _fields(struct: str, table: _Struct) -> Mapping[str, FieldRule]:
    return {name: _field(f"struct.{struct}.field.{name}", one) for name, one in table.field.items()}


def _field(where: str, table: Toml) -> FieldRule:
    values = _of_kind(table, OF_EVERY_FIELD, FIELD_KINDS, where)
    if not values:
        raise SchemaError(f"{where}: has neither kind nor default")
    kind, default = values.pop("kind", None), values.pop("default", 0)
    return FieldRule(kind, values, default, where)


def _lengths(struct: str, table: _Struct) -> Iterator[LengthRule]:
    for path, one in table.length.items():
        where = f"struct.{struct}.length.{path}"
        if not one:
            raise SchemaError(f"{where}: has neither bytes nor when")
        said = {"bytes": one} if isinstance(one, str) else one
        yield schema.read(LengthRule, said, where, path=path, where=where)


def _helper(name: str, table: Toml) -> HelperRule:
    rule = schema.read(HelperRule, table, where := f"helper.{name}", name=name)
    if ("parameters" in table) == ("values" in table):
        raise SchemaError(f"{where}: give parameters or values, one of them")
    return rule


def _typed(name: str, table: Toml) -> TypedTable:
    where = f"typed.{name}"
    own, inner = _split(table, "value", where, Mapping[str, str | Toml])
    values = {key: _typed_value(f"{where}.value.{key}", one) for key, one in inner.items()}
    return schema.read(TypedTable, {"enum": name, **own}, where, name=name, values=values)


def _typed_value(where: str, value: str | Toml) -> TypedValue | None:
    if value == "none":
        return None
    if isinstance(value, str):
        return TypedValue(type=schema.read(TypedCType, value, where))
    return schema.read(TypedValue, value, where)
