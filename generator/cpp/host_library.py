"""The exports of a library of the host runtime in C++: one row a function."""

from __future__ import annotations

from generator.cpp.text import wrapped
from generator.cpp.types import declare, spell
from generator.plan.host_library import LibraryExport


def library_row(export: LibraryExport) -> str:
    """A row as the library's exported.cpp in hostgpu reads it."""
    named = ", ".join(declare(one.type, one.name) for one in export.parameters)
    types = ", ".join(spell(one.type) for one in export.parameters)
    common = f"{export.symbol}, {export.function}, {spell(export.result)}"
    if not export.implemented:
        return f"UNSUPPORTED({wrapped(f'{common}, ({types})', 12)})"
    arguments = ", ".join(one.name for one in export.parameters)
    return f"IMPLEMENTED({wrapped(f'{common}, ({named}), ({arguments})', 12)})"
