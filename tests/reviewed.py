"""The releases that somebody has read, from rules.toml. Tests require tables and rules for these.

A release that `update` adds is bound by types and evidence alone. Its tests cover what reviewed
releases have, too, and a warning names everything else.
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
    """An API's reviewed releases; empty for an invented API."""
    return rules.load(api).reviewed


def read_by_somebody(api: Api, form: Variant[Any]) -> bool:
    """Whether a declaration's form belongs to a reviewed release; true for any invented API."""
    return is_reviewed(form, releases(api.name) or api.releases)


def function(api: Api, name: str, release: str) -> bool:
    """Whether a function's form in a release was read, and also Python's, which is the newest."""
    forms = api.functions[name]
    return all(read_by_somebody(api, one) for one in (*forms[-1:], *_of(forms, release)))


def functions(api: Api) -> set[str]:
    """The functions of reviewed releases. Warns about all others."""
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
    """The enumerators of reviewed releases."""
    forms = (one for one in api.enums[enum] if read_by_somebody(api, one))
    return {one.name for form in forms for one in form.node.enumerators}
