"""The defaults of parameters as Python shows them."""

from __future__ import annotations

from generator.plan.shapes import Input, ShapeKind
from generator.scalars import SCALARS

# Inputs whose default 0 reads as None.
NONE_BY_DEFAULT: frozenset[ShapeKind] = frozenset(
    {"user data", "arguments", "array", "items", "packed", "text"}
)


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
