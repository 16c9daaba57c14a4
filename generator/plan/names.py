"""The public names of an API that are not functions, and the numbers behind them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from generator.model import Api, Enum, Macro
from generator.plan.binding import HandleType, PublicName, StructType
from generator.plan.ctypes import Types
from generator.plan.reachable import is_anonymous
from generator.plan.structs import aliases


def public_names(
    api: Api,
    types: Types,
    enums: Sequence[Enum],
    handles: Sequence[HandleType],
    structs: Sequence[StructType],
    status: str,
) -> tuple[PublicName, ...]:
    """All names of the directory, sorted by name."""
    places = {handle.name: index for index, handle in enumerate(handles)}
    places |= {handle.const_name: places[handle.name] for handle in handles if handle.const_name}
    names: dict[str, PublicName] = {}
    for index, enum in enumerate(enums):
        if enum.name != status:
            names[enum.name] = PublicName(enum.name, "enum_type", index)
        for one in enum.enumerators:
            kind = "error" if enum.name == status else "enumerator"
            names[one.name] = PublicName(one.name, kind, index, one.value)
    for enum in types.enums.values():
        if enum not in enums:
            for one in enum.enumerators:
                names[one.name] = PublicName(one.name, "constant", 0, one.value)
    for alias in types.aliases.values():
        place = next((i for i, enum in enumerate(enums) if enum.name == alias.type.base), None)
        if place is not None and not alias.type.is_pointer and enums[place].name != status:
            names[alias.name] = PublicName(alias.name, "enum_type", place)
    for name, place in places.items():
        names[name] = PublicName(name, "handle_type", place)
    for index, struct in enumerate(structs):
        if not is_anonymous(struct.tag):
            for name in aliases(types, struct.tag):
                names.setdefault(name, PublicName(name, "struct_type", index))
    for macro in constants(api):
        if macro.name not in names and macro.name not in api.functions:
            place = places.get(macro.type or "")
            kind = "constant" if place is None else "handle"
            names[macro.name] = PublicName(macro.name, kind, place or 0, macro.value)
    return tuple(sorted(names.values(), key=lambda one: one.name.encode()))


def constants(api: Api) -> Iterator[Macro]:
    """The newest form of every macro that has a value."""
    for variants in api.macros.values():
        yield variants[-1].node


def values(api: Api) -> Mapping[str, int]:
    """Every enumerator and macro of an API by name: what a default's text may be."""
    found = {macro.name: macro.value for macro in constants(api)}
    for variants in api.enums.values():
        for one in variants[-1].node.enumerators:
            found[one.name] = one.value
    return found
