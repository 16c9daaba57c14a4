"""Merges releases into one model: each form of a declaration once, with its releases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from typing import Any, Protocol

from generator.model import Api, Enum, Function, Node, Release, Variant
from generator.releases import version_key

KINDS = ("functions", "structs", "enums", "macros", "aliases", "handles", "callbacks")


def merge(api: Api | None, release: Release) -> Api:
    """An Api with one release added, or replaced if it has it.

    A form has the source of its oldest release, and the errors of its newest. It has the
    documentation's votes of the release that was merged first, so that earlier decisions stay.
    Nothing else depends on the order of merging.
    """
    releases = histories(api)
    releases[release.version] = {kind: getattr(release, kind) for kind in KINDS}
    others = [kinds["functions"] for at, kinds in releases.items() if at != release.version]
    releases[release.version]["functions"] = {
        name: _with_known_votes(node, [known[name] for known in others if name in known])
        for name, node in release.functions.items()
    }
    return build(release.api, releases)


def _with_known_votes(node: Function, others: Iterable[Function]) -> Function:
    same = next((one for one in others if _form(one) == _form(node)), node)
    return replace(node, parameters=same.parameters)


def merge_all(releases: Iterable[Release]) -> Api:
    """All releases of one API as one model. ValueError when there is none."""
    api: Api | None = None
    for release in sorted(releases, key=lambda one: version_key(one.version)):
        api = merge(api, release)
    if api is None:
        raise ValueError("no release to merge")
    return api


def release_of(api: Api, version: str) -> Release:
    """One release out of the merged model. KeyError when the model hasn't got it."""
    if version not in api.releases:
        raise KeyError(version)
    declared: dict[str, Any] = histories(api)[version]
    return Release(api.name, version, **declared)


class Lasting(Protocol):
    """Something that holds from one release to another, both included."""

    @property
    def since(self) -> str: ...
    @property
    def until(self) -> str: ...


def covers(one: Lasting, version: str) -> bool:
    """Whether a release has this form."""
    return version_key(one.since) <= version_key(version) <= version_key(one.until)


def brought(api: Api, version: str) -> Set[str]:
    """The names that the release before lacks; of the oldest release, those that the next lacks."""
    index = api.releases.index(version)
    near = api.releases[index - 1 if index else 1 : index or 2]
    return _names(api, version) - {name for one in near for name in _names(api, one)}


def _names(api: Api, version: str) -> set[str]:
    return {
        name
        for kind in KINDS
        for name, forms in getattr(api, kind).items()
        if any(covers(one, version) for one in forms)
    }


def form_of(variants: Iterable[Variant[Node]], version: str) -> Node | None:
    """The form of a declaration that a release has, or None."""
    return next((one.node for one in variants if covers(one, version)), None)


def histories(api: Api | None) -> dict[str, dict[str, dict[str, Any]]]:
    """What each release declares: release -> kind -> name -> node."""
    result: dict[str, dict[str, dict[str, Any]]] = {}
    if api is None:
        return result
    place = {version: index for index, version in enumerate(api.releases)}
    for version in api.releases:
        result[version] = {kind: {} for kind in KINDS}
    for kind in KINDS:
        for name, variants in getattr(api, kind).items():
            for variant in variants:
                for version in api.releases[place[variant.since] : place[variant.until] + 1]:
                    result[version][kind][name] = variant.node
    return result


def build(name: str, releases: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Api:
    """The Api of histories as histories() gives them; they may have been changed."""
    ordered = tuple(sorted(releases, key=version_key))
    kinds: dict[str, dict[str, tuple[Variant[Any], ...]]] = {}
    for kind in KINDS:
        names = sorted({name for version in ordered for name in releases[version][kind]})
        kinds[kind] = {
            name: _variants([(version, releases[version][kind].get(name)) for version in ordered])
            for name in names
        }
    return Api(name, ordered, **kinds)


def _variants(history: list[tuple[str, Any]]) -> tuple[Variant[Any], ...]:
    """Runs of releases with the same form, oldest first."""
    forms: dict[Any, Any] = {}
    for _, node in history:
        if node is not None:
            key = _form(node)
            forms[key] = replace(node, source=forms[key].source) if key in forms else node
    forms = _newest_flags(forms, history)
    runs: list[tuple[str, str, Any]] = []
    before: Any = None
    for version, node in history:
        key = None if node is None else _form(node)
        if key is not None and key == before:
            runs[-1] = (runs[-1][0], version, key)
        elif key is not None:
            runs.append((version, version, key))
        before = key
    return tuple(Variant(since, until, forms[key]) for since, until, key in runs)


def _form(node: Any) -> Any:
    """What makes two releases' nodes the same declaration."""
    if isinstance(node, Function):
        types = tuple((one.name, one.type, one.default) for one in node.parameters)
        return node.result, types, node.symbol, node.per_thread
    return node


def _newest_flags(forms: dict[Any, Any], history: list[tuple[str, Any]]) -> dict[Any, Any]:
    """The newest release with an enumerator says, for all releases, whether it is deprecated."""
    flags = {
        enumerator.name: enumerator.deprecated
        for _, node in history
        if isinstance(node, Enum)
        for enumerator in node.enumerators
    }
    if not flags:
        return forms
    return {
        key: replace(
            node,
            enumerators=tuple(
                replace(enumerator, deprecated=flags[enumerator.name])
                for enumerator in node.enumerators
            ),
        )
        for key, node in forms.items()
    }
