"""The docstring of an inline function that makes a struct."""

from __future__ import annotations

from collections.abc import Sequence

from generator.plan.binding import StructType
from generator.plan.docs.lines import lines


def maker(
    struct: StructType, made: str, prototype: str, parameters: Sequence[str]
) -> tuple[str, ...]:
    """The lines of the docstring. `made` are the struct's fields with their values."""
    fields = [one for one in struct.bound.fields if one.positional]
    taken = zip(parameters, fields, strict=False)
    raised = "TypeError, OverflowError" if parameters else "TypeError"
    return (
        *lines(f"Returns {struct.name}({made}); C gives no status.", "    "),
        *(f"{name}: what {struct.name}.{field.name} takes" for name, field in taken),
        *lines(f"C: {prototype}; inline in the header: no library is called.", "    "),
        f"Releases: those of {struct.name}. Keeps the GIL.",
        f"Raises {raised} for arguments.",
    )
