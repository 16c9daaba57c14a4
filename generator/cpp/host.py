"""The exports of the host runtime in C++: one row a function."""

from __future__ import annotations

from generator.cpp.text import wrapped
from generator.cpp.types import declare, spell
from generator.plan.host import Argument, Export


def host_row(export: Export) -> str:
    """A row as hostgpu/guard/exported.hpp reads it."""
    arguments = [export.symbol, export.name, str(export.since)]
    if export.guard != "bare":
        arguments += [export.guard, "true" if export.per_thread else "false"]
    arguments.append(spell(export.result))
    attribute, call = export.attribute, export.call
    used = {one.parameter for one in call.arguments if isinstance(one, Argument)} if call else set()
    if attribute:
        used.add(attribute.parameter)
    listed = ", ".join(
        declare(one.type, one.name) if one.name in used else spell(one.type)
        for one in export.parameters
    )
    arguments.append(f"({listed})")
    if call:
        form = "UNGUARDED" if export.guard == "bare" else "IMPLEMENTED"
        arguments.append(f"{call.function}({', '.join(map(_argument, call.arguments))})")
    else:
        form = "STUB" if export.guard == "bare" else "UNSUPPORTED"
    if attribute:
        ranges = ", ".join(f"{{{first}, {last}}}" for first, last in attribute.known)
        arguments += [attribute.parameter, f"{{{ranges}}}"]
    return f"{form}({wrapped(', '.join(arguments), len(form) + 1)})"


def _argument(one: Argument | str) -> str:
    if isinstance(one, str):
        return one
    return f"as<{spell(one.type)}>({one.parameter})" if one.type else f"as({one.parameter})"
