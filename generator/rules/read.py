"""From rules.toml to the rules of an API, key by key, by the tables in kinds.py.

Every mistake is a RulesError that names the file and the key.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from generator import formula
from generator.rules.kinds import (
    FIELD_KINDS,
    KINDS,
    OF_EVERY_FIELD,
    OF_EVERY_PARAMETER,
    OF_FAMILIES,
    OF_FUNCTIONS,
    OF_HANDLES,
    OF_HELPERS,
    OF_LENGTHS,
    OF_TYPED,
    OF_TYPED_VALUES,
    Key,
    Kind,
)
from generator.rules.lookup import (
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
from generator.rules.values import RulesError, c_type, releases, table, typed_value
from generator.toml import read_toml

SPECS = Path(__file__).resolve().parents[2] / "api_specs"
_TABLES = ("function", "family", "parameter", "type", "typed", "struct", "helper", "handle")
Toml = Mapping[str, object]


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
    _refuse_unknown(document, (*_TABLES, "reviewed"), "")
    families = [_family(name, given) for name, given in _tables(document, "family")]
    rules = Rules(
        api,
        {name: _function(name, given) for name, given in _tables(document, "function")},
        tuple(sorted(families, key=lambda rule: (-len(rule.pattern), rule.pattern))),
        {name: _parameter(name, given) for name, given in _tables(document, "parameter")},
        dict(_types(document)),
        {name: _typed(name, given) for name, given in _tables(document, "typed")},
        {name: _fields(name, given) for name, given in _tables(document, "struct")},
        {name: _lengths(name, given) for name, given in _tables(document, "struct")},
        tuple(_helper(name, given) for name, given in sorted(_tables(document, "helper"))),
        {name: _handle(name, given) for name, given in _tables(document, "handle")},
        releases(document.get("reviewed", []), "reviewed"),
    )
    for rule in rules.of_parameters():
        if "table" in rule.options and rule.options["table"] not in rules.typed:
            raise RulesError(f"{rule.where}.table: there is no [typed.{rule.options['table']}]")
    return rules


def _tables(document: Toml, key: str) -> Iterator[tuple[str, Toml]]:
    for name, given in table(document.get(key, {}), key).items():
        yield name, table(given, f"{key}.{name}")


def _inner(given: Toml, key: str, where: str) -> Iterator[tuple[str, object, str]]:
    """The entries of a table inside a table, each with its key."""
    for name, value in table(given.get(key, {}), f"{where}.{key}").items():
        yield name, value, f"{where}.{key}.{name}"


def _refuse_unknown(given: Toml, known: tuple[str, ...], where: str) -> None:
    for key in given:
        if key not in known:
            at = f"{where}.{key}" if where else key
            raise RulesError(f"{at}: unknown key; known here: {', '.join(sorted(known))}")


def _keys(
    given: Toml, keys: Mapping[str, Key], where: str, *inner: str, what: str = ""
) -> dict[str, Any]:
    """The values of a table that may have these keys, and the tables named in `inner`."""
    _refuse_unknown(given, (*keys, *inner), where)
    for key, one in keys.items():
        if one.required and key not in given:
            raise RulesError(f"{where}: {what or 'it'} needs {key}")
    return {
        key: keys[key].value.read(value, f"{where}.{key}")
        for key, value in given.items()
        if key in keys
    }


def _of_kind(
    given: Toml, every: Mapping[str, Key], kinds: Mapping[str, Kind], where: str
) -> dict[str, Any]:
    """The values of a table whose other keys follow from its `kind`."""
    if "kind" not in given:
        return _keys(given, every, where)
    name = str(every["kind"].value.read(given["kind"], f"{where}.kind"))
    kind = kinds[name]
    found = _keys(given, {**every, **kind.keys}, where, what=f"kind = {name!r}")
    if kind.one_of and not found.keys() & set(kind.one_of):
        raise RulesError(f"{where}: kind = {name!r} needs {' or '.join(kind.one_of)}")
    return found


def _function(name: str, given: Toml) -> FunctionRule:
    where = f"function.{name}"
    rule = _of_functions(where, name, given, OF_FUNCTIONS, family=False)
    if rule.exclude and (rule.parameters or [*rule.own_keys()] != ["exclude"]):
        raise RulesError(f"{where}.exclude: what isn't bound needs no other rule")
    return rule


def _family(glob: str, given: Toml) -> FunctionRule:
    return _of_functions(f'family."{glob}"', glob, given, OF_FAMILIES, family=True)


def _of_functions(
    where: str, pattern: str, given: Toml, keys: Mapping[str, Key], *, family: bool
) -> FunctionRule:
    found = _keys(given, keys, where, "parameter")
    parameters = {
        name: _rule(at, table(value, at)) for name, value, at in _inner(given, "parameter", where)
    }
    return FunctionRule(where, pattern, family, parameters, **found)


def _parameter(name: str, given: Toml) -> Rule:
    rule = _rule(f"parameter.{name}", given)
    if rule.type is None:
        raise RulesError(f"{rule.where}: a rule for the whole API needs the C type that it is for")
    return rule


def _types(document: Toml) -> Iterator[tuple[str, Rule]]:
    seen: dict[str, str] = {}
    for name, given in _tables(document, "type"):
        where = f'type."{name}"'
        type = c_type(name, where)
        if type in seen:
            raise RulesError(f"{where}: the same type as {seen[type]}")
        seen[type] = where
        yield type, _rule(where, given)


def _rule(where: str, given: Toml) -> Rule:
    if "kind" not in given:
        raise RulesError(f"{where}: has no kind")
    found = _of_kind(given, OF_EVERY_PARAMETER, KINDS, where)
    if (found.get("lives") == "registered") != ("until" in found):
        raise RulesError(f'{where}: until goes with lives = "registered", and that with until')
    if "holder" in found and "until" not in found:
        raise RulesError(f"{where}: holder goes with until")
    kind = found.pop("kind")
    type, reason = found.pop("type", None), found.pop("reason", "")
    return Rule(kind, found, reason, where, _references(kind, found), type)


def _references(kind: str, options: Toml) -> frozenset[str]:
    """The other parameters that a rule names."""
    names: set[str] = set()
    for key, value in options.items():
        if KINDS[kind].keys[key].value.names_parameter and isinstance(value, str):
            names |= formula.parameters(value)
    return frozenset(names)


def _fields(struct: str, given: Toml) -> Mapping[str, FieldRule]:
    where = f"struct.{struct}"
    _refuse_unknown(given, ("field", "length"), where)
    return {name: _field(at, table(value, at)) for name, value, at in _inner(given, "field", where)}


def _field(where: str, given: Toml) -> FieldRule:
    found = _of_kind(given, OF_EVERY_FIELD, FIELD_KINDS, where)
    if not found:
        raise RulesError(f"{where}: has neither kind nor default")
    kind, default = found.pop("kind", None), found.pop("default", 0)
    return FieldRule(kind, found, default, where)


def _lengths(struct: str, given: Toml) -> tuple[LengthRule, ...]:
    return tuple(
        _length(path, {"bytes": value} if isinstance(value, str) else table(value, at), at)
        for path, value, at in _inner(given, "length", f"struct.{struct}")
    )


def _length(path: str, given: Toml, where: str) -> LengthRule:
    found = _keys(given, OF_LENGTHS, where)
    if not found:
        raise RulesError(f"{where}: has neither bytes nor when")
    return LengthRule(path, found.get("bytes"), found.get("when"), where)


def _handle(name: str, given: Toml) -> HandleRule:
    found = _keys(given, OF_HANDLES, where := f"handle.{name}", what="an owner")
    special, own = found.get("special", 0), found.get("own", 0)
    if not 0 <= own <= special < 2**31:
        raise RulesError(f"{where}: special is at least own, and neither is negative")
    optional = found.get("optional", ())
    return HandleRule(name, found["create"], found["destroy"], special, own, optional)


def _helper(name: str, given: Toml) -> HelperRule:
    found = _keys(given, OF_HELPERS, where := f"helper.{name}", what="a helper")
    if ("parameters" in found) == ("values" in found):
        raise RulesError(f"{where}: either parameters or values")
    return HelperRule(name, found["struct"], found.get("parameters", ()), found.get("values", ()))


def _typed(name: str, given: Toml) -> TypedTable:
    where = f"typed.{name}"
    found = _keys(given, OF_TYPED, where, "value")
    values = {key: _typed_value(at, value) for key, value, at in _inner(given, "value", where)}
    return TypedTable(name, found.get("enum", name), values)


def _typed_value(where: str, value: object) -> TypedValue | None:
    if value == "none":
        return None
    if isinstance(value, str):
        return TypedValue(type=typed_value(value, where))
    found = _keys(table(value, where), OF_TYPED_VALUES, where)
    if ("type" in found) == ("field" in found):
        raise RulesError(f"{where}: either type or field")
    return TypedValue(**found)
