"""Which releases somebody has read, as rules.toml has them: tests demand tables and rules of these.

A release that `update` adds is bound by types and evidence alone; its tests run for all that the
releases here have, too, and a warning names the rest.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import cache
from typing import Any

from generator import rules
from generator.merge import covers
from generator.model import Api, Variant
from generator.review import is_reviewed


@cache
def releases(api: str) -> tuple[str, ...]:
    """The releases of an API that somebody has read; none of an API that is made up."""
    return rules.load(api).reviewed


def read_by_somebody(api: Api, form: Variant[Any]) -> bool:
    """Whether a form of a declaration is that of a reviewed release; of other APIs all are."""
    return is_reviewed(form, releases(api.name) or api.releases)


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
