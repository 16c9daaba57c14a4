"""A function's Python signature, and the defaults in it as Python shows them."""

from __future__ import annotations

from collections.abc import Sequence

from generator.plan.binding import Input
from generator.plan.structs import SCALARS
from generator.plan.wrapped import split

# Inputs whose default 0 reads as None.
NONE_BY_DEFAULT = ("UserData", "Arguments", "Array", "Items", "Packed", "Text")


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
    template, inner = split(one.type)
    if (template or inner) in NONE_BY_DEFAULT or (template == "Count" and one.default == -1):
        return "None"
    scalar, size = SCALARS.get(one.type, ("i64", 8))
    unsigned = scalar.startswith("u") and one.default < 0
    return str(one.default + (1 << 8 * size) if unsigned else one.default)
