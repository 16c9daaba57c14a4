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
    if export.call:
        form = "DONE"
        listed = ", ".join(declare(one.type, one.name) for one in export.parameters)
        given += [f"({listed})", f"{export.call}({arguments})"]
    else:
        # Nothing uses the parameters, so they have no names.
        form = "REFUSED"
        given.append(f"({', '.join(spell(one.type) for one in export.parameters)})")
        if export.guard != "bare":
            given.append("not_supported")
    if export.guard == "bare":
        form = "BARE" if export.call else "EMPTY"
    return f"{form}({wrapped(', '.join(given), len(form) + 1)})"
