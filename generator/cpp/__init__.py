"""How the plan's values are spelled in C++: the filters and functions that templates call."""

from __future__ import annotations

from generator.cpp import adaptors, host, host_library, record_texts, rows, types, wrappers
from generator.cpp.text import identifier, literal, naming, variable, wrapped
from generator.plan.spelling import public_name

__all__ = ["FILTERS", "FUNCTIONS", "naming"]

FILTERS = {
    "wrapped": wrapped,
    "literal": literal,
    "identifier": identifier,
    "public": public_name,
    "variable": variable,
    "older_argument": adaptors.older_argument,
}
# The functions that templates call, by name.
FUNCTIONS = {
    one.__name__: one
    for one in (
        adaptors.adaptor_parameters,
        adaptors.inexpressible,
        adaptors.older_local,
        record_texts.phrases,
        record_texts.texts,
        host.host_row,
        host_library.library_row,
        identifier,
        public_name,
        rows.driver_call,
        rows.keywords,
        rows.pointed,
        rows.is_large,
        rows.layout_limits,
        rows.limits,
        rows.place,
        rows.release_call,
        rows.statuses,
        rows.field_row,
        rows.field_texts,
        rows.name_row,
        rows.struct_length,
        rows.typed_case,
        types.declarations,
        types.entry_type,
        wrappers.ask,
        wrappers.call,
        wrappers.cross_checks,
        wrappers.fallbacks,
        wrappers.failed,
        wrappers.give_up,
        wrappers.head,
        wrappers.local,
        wrappers.cut,
        wrappers.positional,
        wrappers.deciding,
        wrappers.requirement_parameters,
        wrappers.results,
        wrappers.returned,
        wrappers.size_requirements,
        wrappers.with_status,
    )
}
