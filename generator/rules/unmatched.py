"""Finds rules that decide nothing in any release of an API: misspelt, or no longer needed."""

from __future__ import annotations

from collections.abc import Iterator

from generator.model import Api, Function
from generator.rules.lookup import Rules


def unmatched(rules: Rules, api: Api) -> list[str]:
    """The TOML keys of rules that decide nothing, sorted.

    A function that is only excluded need not exist: perhaps the model can't express it.
    """
    unused = dict.fromkeys(_every_key(rules))
    for rule in rules.functions.values():
        if list(rule.own_keys()) == ["exclude"] and not rule.parameters:
            for key in (rule.where, f"{rule.where}.exclude"):
                unused.pop(key)
    for name, variants in api.functions.items():
        for key in _used_by(rules, name, [variant.node for variant in variants]):
            unused.pop(key, None)
    for table in rules.typed.values():
        forms = api.enums.get(table.enum, ())
        names = {one.name for form in forms for one in form.node.enumerators}
        if forms:
            unused.pop(f"typed.{table.name}", None)
        for name in table.values.keys() & names:
            unused.pop(f"typed.{table.name}.value.{name}", None)
    for struct, fields in rules.structs.items():
        base = struct
        while base not in api.structs and base in api.aliases:
            base = api.aliases[base][-1].node.type.base
        known = {one.name for form in api.structs.get(base, ()) for one in form.node.fields}
        for name in fields.keys() & known:
            unused.pop(fields[name].where, None)
        for one in rules.lengths.get(struct, ()) if base in api.structs else ():
            unused.pop(one.where, None)
    unused |= {f"reviewed: {one}": None for one in rules.reviewed if one not in api.releases}
    return sorted(unused)


def _used_by(rules: Rules, name: str, forms: list[Function]) -> Iterator[str]:
    for rule in rules.cascade(name):
        if not rule.family:
            yield rule.where
        for key in rule.own_keys():
            if next((r for r in rules.cascade(name) if getattr(r, key)), None) is rule:
                yield f"{rule.where}.{key}"
    for form in forms:
        for parameter in form.parameters:
            if entry := rules.parameter(form, parameter):
                yield entry.where


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
