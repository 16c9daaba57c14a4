"""Which exported symbol serves a function in which release, and where an adaptor has to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from generator.merge import form_of
from generator.model import Api, CType, Function, Variant
from generator.plan.binding import EntryPoint, SymbolRange
from generator.plan.ctypes import Types, declare
from generator.rules import Rules

OLDEST, NEWEST = 0, 9999


def number(release: str) -> int:
    """A release as the loader compares it: "12.9" is 1209."""
    major, minor = release.split(".")[:2]
    return int(major) * 100 + int(minor)


def entries(api: Api, types: Types, rules: Rules, names: Sequence[str]) -> tuple[EntryPoint, ...]:
    """The entry points of the functions: the newest form of each, and older ones for adaptors."""
    found = []
    for name in names:
        newest = api.functions[name][-1].node
        found.append(_newest(api, types, rules, name, newest))
        for variant in api.functions[name][:-1]:
            if shape(types, variant.node) != shape(types, newest):
                found.append(_older(name, variant))
    return tuple(found)


def adapted_before(entries: Sequence[EntryPoint]) -> Mapping[str, int]:
    """For each function that adaptors serve, the first release that needs none, as a number."""
    return {
        one.function: max(adapted) + 1
        for one in entries
        if one.function and (adapted := [it.until for it in one.others if it.adaptor])
    }


def older_name(name: str, until: str) -> str:
    """What the entry of a form is called that ended with a release."""
    return f"{name}_until_{until.replace('.', '_')}"


def shape(types: Types, function: Function) -> tuple[str, ...]:
    """What a call passes by the ABI: forms of the same shape can be called alike."""
    return tuple(
        _kind(types, type) for type in (function.result, *(one.type for one in function.parameters))
    )


def _kind(types: Types, type: CType) -> str:
    type = types.resolve(type)
    pointer = type.is_pointer or type.base in types.handles or type.base in types.callbacks
    if pointer:
        return "pointer"
    return "enum" if type.base in types.enums else type.base


def _newest(api: Api, types: Types, rules: Rules, name: str, newest: Function) -> EntryPoint:
    base = api.functions[name][-1]
    others: list[SymbolRange] = []
    if len(api.functions[name]) > 1:
        others = list(_merged(_ranges(api, types, rules, name, newest)))
        own = SymbolRange(0, 0, newest.symbol, newest.per_thread)
        others = [one for one in others if one.serves() != own.serves()]
    return EntryPoint(
        name, name, base.node.symbol, base.node.per_thread, _prototype(newest), tuple(others)
    )


def _older(name: str, variant: Variant[Function]) -> EntryPoint:
    node = variant.node
    entry = older_name(name, variant.until)
    return EntryPoint(entry, None, node.symbol, node.per_thread, _prototype(node), ())


def _ranges(
    api: Api, types: Types, rules: Rules, name: str, newest: Function
) -> Iterator[SymbolRange]:
    """For each listed release what serves the newest form there."""
    wanted = shape(types, newest)
    for release in api.releases:
        form = form_of(api.functions[name], release)
        if form is None:
            continue
        at = number(release)
        if shape(types, form) == wanted:
            yield SymbolRange(at, at, form.symbol, form.per_thread)
        elif twin := _twin(api, types, name, release, wanted):
            yield SymbolRange(at, at, twin.symbol, twin.per_thread)
        else:
            until = next((one for one in rules.adapted(name) if number(one) >= at), None)
            yield SymbolRange(at, at, None, None, older_name(name, until) if until else None)


def _twin(
    api: Api, types: Types, name: str, release: str, wanted: tuple[str, ...]
) -> Function | None:
    """The function that had the newest form already, under the name with a version (`…_v2`)."""
    for version in range(2, 10):
        form = form_of(api.functions.get(f"{name}_v{version}", ()), release)
        if form and shape(types, form) == wanted:
            return form
    return None


def _merged(ranges: Iterator[SymbolRange]) -> Iterator[SymbolRange]:
    """Neighbouring releases that are served alike, as one range that also covers those between."""
    current: SymbolRange | None = None
    for one in ranges:
        if current and current.serves() == one.serves():
            current = current.until_release(one.until)
        else:
            if current:
                yield current.until_release(one.since - 1)
            current = one
    if current:
        yield current.until_release(NEWEST)


def _prototype(function: Function) -> str:
    parameters = ", ".join(declare(one.type, one.name) for one in function.parameters)
    return f"{function.result}({parameters})"
