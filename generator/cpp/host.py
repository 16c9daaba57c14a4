"""The exports of the host runtime in C++: one row a function."""

from __future__ import annotations

from generator.cpp.text import wrapped
from generator.cpp.types import declare, spell
from generator.plan.host import Export


def host_row(export: Export) -> str:
    """A row as hostgpu/guard/exported.hpp reads it."""
    arguments = ", ".join(f"as({one.name})" for one in export.parameters)
    given = [export.symbol, export.name, str(export.since)]
    if export.guard != "bare":
        given += [export.guard, "true" if export.per_thread else "false"]
    given.append(spell(export.result))
    attribute = export.attribute
    if export.call:
        form = "DONE"
        listed = ", ".join(declare(one.type, one.name) for one in export.parameters)
        given += [f"({listed})", f"{export.call}({arguments})"]
    else:
        # Only an attribute's parameter is used: the others have no names.
        form = "REFUSED"
        used = attribute.parameter if attribute else None
        listed = ", ".join(
            declare(one.type, one.name) if one.name == used else spell(one.type)
            for one in export.parameters
        )
        given.append(f"({listed})")
    if attribute:
        ranges = ", ".join(f"{{{first}, {last}}}" for first, last in attribute.known)
        given += [attribute.parameter, f"{{{ranges}}}"]
    if export.guard == "bare":
        form = "BARE" if export.call else "EMPTY"
    return f"{form}({wrapped(', '.join(given), len(form) + 1)})"
