"""Which releases somebody has read: what tests demand of tables and rules, they demand for these.

A release that `update` adds is bound by types and evidence alone; its tests run for all that the
releases here have, too, and a warning names the rest.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from generator.merge import covers
from generator.model import Api, Variant

RELEASES = {
    "cuda_runtime": (
        *("11.8", "12.0", "12.2", "12.4", "12.6", "12.8", "12.9"),
        *("13.0", "13.1", "13.2"),
    ),
    "hip_runtime": ("5.2", "6.1", "6.2"),
}


def read_by_somebody(api: Api, form: Variant[Any]) -> bool:
    """Whether a form of a declaration is that of a reviewed release; of other APIs all are."""
    known = [one for one in RELEASES.get(api.name, api.releases) if one in api.releases]
    return any(covers(form, one) for one in known)


def function(api: Api, name: str, release: str) -> bool:
    """Whether a function's form in a release, and Python's, which is the newest, were read."""
    forms = api.functions[name]
    return all(read_by_somebody(api, one) for one in (*forms[-1:], *_of(forms, release)))


def functions(api: Api) -> set[str]:
    """The functions that a reviewed release has. Warns about the others."""
    known = {
        name
        for name, forms in api.functions.items()
        if any(read_by_somebody(api, one) for one in forms)
    }
    if others := sorted(api.functions.keys() - known):
        warnings.warn(f"{api.name}: nobody has read {', '.join(others)}", stacklevel=2)
    return known


def _of(forms: Sequence[Variant[Any]], release: str) -> list[Variant[Any]]:
    return [one for one in forms if covers(one, release)]


def enumerators(api: Api, enum: str) -> set[str]:
    """The enumerators that a reviewed release has."""
    forms = (one for one in api.enums[enum] if read_by_somebody(api, one))
    return {one.name for form in forms for one in form.node.enumerators}
