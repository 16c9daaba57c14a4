"""The public names of an API that are not functions, and the numbers behind them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from generator.model import Api, Enum, Macro
from generator.plan import releases, spans
from generator.plan.binding import HandleType, PublicName, StructType
from generator.plan.ctypes import Types
from generator.plan.reachable import is_anonymous
from generator.plan.span import OLDEST, Span
from generator.plan.spelling import member_name, public_name
from generator.plan.structs import aliases


def public_names(
    api: Api,
    types: Types,
    enums: Sequence[Enum],
    handles: Sequence[HandleType],
    structs: Sequence[StructType],
    status: str,
    homes: Mapping[str, str],
) -> tuple[PublicName, ...]:
    """All names of the directory, sorted. Types of other APIs are in the directories of those."""
    places = {
        name: index
        for index, handle in enumerate(handles)
        for name in (handle.name, *(one for one, _ in handle.typedefs))
    }
    names: dict[str, PublicName] = {}
    valued: list[PublicName] = []
    of_enums, of_macros = spans.enumerators(api), spans.macros(api)
    for index, enum in enumerate(enums):
        if enum.name in homes:
            continue
        if enum.name != status:
            names[enum.name] = PublicName(public_name(enum.name), "enum_type", index)
        kind = "error" if enum.name == status else "enumerator"
        for at, (name, held) in enumerate(of_enums.get(enum.name, {}).items()):
            valued += (replace(one, order=at) for one in _valued(name, kind, index, held))
    for name in types.enums.keys() - {enum.name for enum in enums} - homes.keys():
        for one, held in of_enums[name].items():
            valued += _valued(one, "constant", 0, held)
    for alias in types.aliases.values():
        place = next((i for i, enum in enumerate(enums) if enum.name == alias.type.base), None)
        if alias.type.base in homes or alias.name in homes:
            continue
        if place is not None and not alias.type.is_pointer and enums[place].name != status:
            names[alias.name] = PublicName(public_name(alias.name), "enum_type", place)
    for name, place in places.items():
        if name not in homes:
            names[name] = PublicName(public_name(name), "handle_type", place)
    for index, struct in enumerate(structs):
        if not is_anonymous(struct.tag) and struct.home is None:
            for name in aliases(types, struct.tag):
                names.setdefault(name, PublicName(public_name(name), "struct_type", index))
    taken = names.keys() | api.functions.keys()
    first = releases.first(api)
    for macro in constants(api):
        handle = places.get(macro.type or "")
        kind = "constant" if handle is None else "handle"
        if handle is None and macro.value >= 1 << 63:
            kind = "large"
        held = of_macros[macro.name]
        if macro.name in taken:  # in later releases, or in all
            held = tuple(_before(held, first.get(macro.name, OLDEST)))
        valued += _valued(macro.name, kind, handle or 0, held)
    for name in names.keys() & {one.name for one in valued}:
        names[name] = replace(names[name], since=first.get(name, OLDEST))
    return tuple(sorted((*names.values(), *valued), key=lambda one: (one.name.encode(), one.since)))


def _before(held: Iterable[Span], release: int) -> Iterator[Span]:
    """The values that a name has before a release."""
    for one in held:
        if one.since < release:
            yield replace(one, until=min(one.until, release - 1))


def _valued(name: str, kind: str, index: int, held: Sequence[Span]) -> Iterator[PublicName]:
    for one in held:
        yield PublicName(
            public_name(member_name(name)), kind, index, one.value, one.since, one.until
        )


def constants(api: Api) -> Iterator[Macro]:
    """The newest form of every macro that has a value."""
    for variants in api.macros.values():
        yield variants[-1].node


def values(api: Api) -> Mapping[str, int]:
    """Every enumerator and macro of an API by name: a default's text may be any of them."""
    result = {macro.name: macro.value for macro in constants(api)}
    for variants in api.enums.values():
        for one in variants[-1].node.enumerators:
            result[one.name] = one.value
    return result
