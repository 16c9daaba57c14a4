"""Structs and enums whose names are aliases in other releases: forms of the alias's target."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from generator.errors import GeneratorError
from generator.merge import KINDS, build, covers, histories
from generator.model import Alias, Api, CType, Enum, Macro, Struct, Variant
from generator.releases import version_key
from generator.review import settled


def follow_renames(api: Api, reviewed: Sequence[str] = ()) -> Api:
    """An Api in which every name means one type: that of its newest reviewed declaration.

    CUDA 11.7 declares a union cudaStreamAttrValue; in 11.8 that name is a typedef of
    cudaLaunchAttributeValue. The union then becomes the form of cudaLaunchAttributeValue in 11.7,
    and the enum beside it a form of cudaLaunchAttributeID. Enumerators that are macros by now
    become macros. If an alias is a type of its own in newer releases, it becomes one in older
    releases, too, made like the alias's target. GeneratorError if a release has two types that
    can't be one.
    """
    structs, enums = (dict(_renamed(api, kind, reviewed)) for kind in ("structs", "enums"))
    split = {kind: set(_split(api, kind, reviewed)) for kind in ("structs", "enums")}
    if not (structs or enums or split["structs"] or split["enums"]):
        return api
    releases = histories(api)
    for version, kinds in releases.items():
        # An unreviewed release loses the types that can't be the same.
        lenient = suppress(*() if not reviewed or version in reviewed else (GeneratorError,))
        for name in sorted(split["structs"] & kinds["aliases"].keys()):
            with lenient:
                _split_struct(kinds, name, f"{api.name} {version}")
        for name in sorted(split["enums"] & kinds["aliases"].keys()):
            with lenient:
                _split_enum(api, kinds, name, f"{api.name} {version}")
        declared = set(kinds["structs"])
        for name in sorted(structs.keys() & declared):
            _move_struct(kinds["structs"], name, structs[name], f"{api.name} {version}", declared)
        for name in sorted(enums.keys() & kinds["enums"].keys()):
            _move_enum(api, kinds, name, enums[name])
        releases[version] = {kind: dict(sorted(kinds[kind].items())) for kind in KINDS}
    return build(api.name, releases)


def _renamed(api: Api, kind: str, reviewed: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The names of a kind that are aliases in newer releases, each with the alias's target."""
    for name, forms in getattr(api, kind).items():
        alias = api.aliases.get(name)
        if alias and _last(alias, reviewed) > _last(forms, reviewed):
            yield name, _target(api, name, reviewed)


def _split(api: Api, kind: str, reviewed: Sequence[str]) -> Iterator[str]:
    """The names of a kind that were aliases in older releases, or are in unreviewed ones."""
    for name, forms in getattr(api, kind).items():
        alias = api.aliases.get(name)
        if alias and _last(alias, reviewed) < _last(forms, reviewed):
            yield name


def _last(forms: Sequence[Variant[Any]], reviewed: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """A key that sorts declarations by their last reviewed release, then by their last release."""
    known = (version_key(one) for one in reviewed if any(covers(form, one) for form in forms))
    return max(known, default=()), version_key(forms[-1].until)


def _target(api: Api, name: str, reviewed: Sequence[str]) -> str:
    """The target of an alias's settled form."""
    while forms := api.aliases.get(name):
        alias = forms[settled(forms, reviewed)].node
        type = alias.type
        if type != CType(type.base):
            raise GeneratorError(f"{alias.source}: {name}, a type before, is {type} now")
        name = type.base
    return name


def _split_struct(kinds: dict[str, dict[str, Any]], name: str, where: str) -> None:
    """Make a release's alias a struct like the alias's target."""
    alias, base = _taken(kinds, name)
    if base not in kinds["structs"]:
        raise GeneratorError(
            f"{where}: {alias.source}: {name} is {alias.type}, and a struct in newer releases"
        )
    kinds["structs"][name] = replace(kinds["structs"][base], name=name)


def _split_enum(api: Api, kinds: dict[str, dict[str, Any]], name: str, where: str) -> None:
    """Make a release's alias an enum, with the enumerators that it has in newer releases."""
    alias, base = _taken(kinds, name)
    newest: Enum = api.enums[name][-1].node
    if base in ("int", "unsigned int"):
        kinds["enums"][name] = replace(newest, enumerators=())
        return
    if (there := kinds["enums"].get(base)) is None:
        raise GeneratorError(
            f"{where}: {alias.source}: {name} is {alias.type}, and an enum in newer releases"
        )
    own = {one.name for one in newest.enumerators}
    kinds["enums"][name] = replace(
        there, name=name, enumerators=tuple(one for one in there.enumerators if one.name in own)
    )
    kinds["enums"][base] = replace(
        there, enumerators=tuple(one for one in there.enumerators if one.name not in own)
    )


def _taken(kinds: dict[str, dict[str, Any]], name: str) -> tuple[Alias, str]:
    """Remove an alias from a release; return it, and the name of its target."""
    alias: Alias = kinds["aliases"].pop(name)
    type = alias.type
    while not type.is_pointer and (next := kinds["aliases"].get(type.base)):
        type = next.type
    return alias, "" if type.is_pointer else type.base


def _move_struct(
    structs: dict[str, Struct], name: str, target: str, where: str, declared: set[str]
) -> None:
    """Give a release's struct the name that it has in newer releases."""
    older = replace(structs.pop(name), name=target)
    if (there := structs.get(target)) is None:
        structs[target] = older
        return
    known = {one.name: one for one in there.fields}
    own = [one for one in older.fields if one.name not in known]
    # If several older names have one newer name, their fields are joined; a declared struct stays.
    one_kind = (there.kind, older.kind) == ("union", "union") and target not in declared
    if any(known.get(one.name, one) != one for one in older.fields) or (own and not one_kind):
        raise GeneratorError(
            f"{where}: {older.source}: {older.kind} {name} has another layout than {target}, "
            "which newer releases call so"
        )
    if one_kind:
        structs[target] = replace(
            there,
            size=max(there.size, older.size),
            align=max(there.align, older.align),
            fields=(*there.fields, *own),
        )


def _move_enum(api: Api, kinds: dict[str, dict[str, Any]], name: str, target: str) -> None:
    """Move an enum's enumerators to the enum that its name stands for in newer releases."""
    older: Enum = kinds["enums"].pop(name)
    there: Enum | None = kinds["enums"].get(target)
    known = {one.name for one in there.enumerators} if there else set()
    moved = []
    for one in older.enumerators:
        if one.name in api.macros or target not in api.enums:
            kinds["macros"].setdefault(one.name, Macro(one.name, one.value, older.source))
        elif one.name not in known:
            moved.append(one)
    if there:
        moved = [*there.enumerators, *moved]
    if moved:
        basis = there or replace(older, name=target)
        kinds["enums"][target] = replace(
            basis, enumerators=tuple(sorted(moved, key=lambda one: one.value))
        )
