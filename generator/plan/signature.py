"""A function's Python signature, and the defaults in it as Python shows them."""

from __future__ import annotations

from collections.abc import Sequence

from generator.plan.shapes import Input, Kind
from generator.scalars import SCALARS

# Inputs whose default 0 reads as None.
NONE_BY_DEFAULT: frozenset[Kind] = frozenset(
    {"user data", "arguments", "array", "items", "packed", "text"}
)


def signature(name: str, every: Sequence[Input]) -> str:
    """The Python signature, as in help()."""
    shown = []
    for one in every:
        if one.keyword_only and "*" not in shown:
            shown.append("*")
        default = shown_default(one)
        shown.append(one.python_name if default is None else f"{one.python_name}={default}")
    return f"{name}({', '.join(shown)})"


def shown_default(one: Input) -> str | None:
    """A parameter's default as Python shows it."""
    if one.default is None:
        return None
    kind = one.shape.kind
    if kind in NONE_BY_DEFAULT or (kind == "count" and one.default == -1):
        return "None"
    scalar, size = SCALARS.get(str(one.shape.value), ("i64", 8)) if kind == "value" else ("i64", 8)
    unsigned = scalar.startswith("u") and one.default < 0
    return str(one.default + (1 << 8 * size) if unsigned else one.default)
