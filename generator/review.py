"""Which declarations a person has reviewed, and what the other ones may not change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from generator.merge import KINDS, Lasting, build, covers, histories
from generator.model import Api, CType, Function, Variant
from generator.releases import version_key

# Kinds that share C's namespace: in one release, a name belongs to one of them only.
TYPES = ("structs", "enums", "aliases", "handles", "callbacks")


def is_reviewed(form: Lasting, reviewed: Sequence[str]) -> bool:
    """Whether a reviewed release has this form of a declaration."""
    return any(covers(form, release) for release in reviewed)


def settled(forms: Sequence[Lasting], reviewed: Sequence[str]) -> int:
    """The place of the form that Python's signature and types have.

    It is the newest reviewed form, so that an unreviewed release changes no other release. If no
    form is reviewed, it is the newest of all.
    """
    known = (at for at in reversed(range(len(forms))) if is_reviewed(forms[at], reviewed))
    return next(known, len(forms) - 1)


def one_kind(api: Api, reviewed: Sequence[str]) -> Api:
    """The Api in which each reviewed type keeps its kind.

    If an enum is a typedef in an unreviewed release, it stays an enum, and lacks that release.
    """
    known = {
        kind: {name for name, forms in getattr(api, kind).items() if _is_read(forms, reviewed)}
        for kind in TYPES
    }
    kinds: dict[str, Any] = {
        kind: {
            name: forms
            for name, forms in getattr(api, kind).items()
            if name in known[kind] or not any(name in names for names in known.values())
        }
        for kind in TYPES
    }
    return replace(api, **kinds)


def pinned(api: Api, reviewed: Sequence[str]) -> Api:
    """The Api with each name's forms up to the settled one, which is then the newest."""
    kinds: dict[str, Any] = {
        kind: {
            name: forms[: settled(forms, reviewed) + 1]
            for name, forms in getattr(api, kind).items()
        }
        for kind in KINDS
    }
    kinds["functions"] = {
        name: (*forms[:-1], replace(forms[-1], node=_with_first_defaults(forms)))
        for name, forms in kinds["functions"].items()
    }
    return replace(api, **kinds)


def _with_first_defaults(forms: Sequence[Variant[Function]]) -> Function:
    """The newest form with the defaults of the oldest forms that have the same types.

    So a script that leaves a parameter out means the same value in every release.
    """
    node = forms[-1].node
    alike = [one.node for one in forms if _types(one.node) == _types(node)]
    return replace(
        node,
        parameters=tuple(
            replace(one, default=next(filter(None, defaults), None))
            for one, *defaults in zip(node.parameters, *map(_defaults, alike), strict=True)
        ),
    )


def _types(node: Function) -> list[tuple[str, CType]]:
    return [(one.name, one.type) for one in node.parameters]


def _defaults(node: Function) -> list[str | None]:
    return [one.default for one in node.parameters]


def _is_read(forms: Sequence[Lasting], reviewed: Sequence[str]) -> bool:
    return any(is_reviewed(one, reviewed) for one in forms)


def until_reviewed(api: Api, reviewed: Sequence[str]) -> Api:
    """The Api without the releases after the newest reviewed one, if any is reviewed."""
    newest = max((one for one in reviewed if one in api.releases), key=version_key, default=None)
    if newest in (None, api.newest):
        return api
    limit = version_key(str(newest))
    kept = {at: what for at, what in histories(api).items() if version_key(at) <= limit}
    return build(api.name, kept)
