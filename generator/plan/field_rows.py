"""The fields of a struct over its layouts: a row for each form of a field, with its releases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from generator.plan.binding import FieldRow, StructField, StructLayout
from generator.plan.span import Span


@dataclass(slots=True)
class _Row:
    """A row while the layouts are walked, with the first and the last layout that has it."""

    field: StructField
    counter: int | None
    first: int
    last: int


def field_rows(layouts: Sequence[StructLayout], spans: Sequence[Span]) -> tuple[FieldRow, ...]:
    """The rows, in an order that is right in every layout; `spans` are the layouts' releases."""
    rows: list[_Row] = []
    before: list[_Row] = []
    for at, layout in enumerate(layouts):
        there = [_Row(one, _counter(layout, one), at, at) for one in layout.fields]
        matcher = SequenceMatcher(None, [*map(_key, before)], [*map(_key, there)], autojunk=False)
        for former, now, size in matcher.get_matching_blocks():
            there[now : now + size] = before[former : former + size]
        for index, row in enumerate(there):
            row.last = at
            if row.first == at:  # by identity: another struct's field may look the same
                place = next(
                    (i for i, one in enumerate(rows) if index and one is there[index - 1]), -1
                )
                rows.insert(place + 1, row)
        before = there
    return tuple(
        FieldRow(one.field, one.counter, spans[one.first].since, spans[one.last].until)
        for one in rows
    )


def _key(row: _Row) -> tuple[StructField, int | None]:
    return replace(row.field, counted_by=None), row.counter


def _counter(layout: StructLayout, field: StructField) -> int | None:
    """The distance to the field that counts an array."""
    if not field.counted_by:
        return None
    names = [one.name for one in layout.fields]
    return names.index(field.counted_by) - names.index(field.name)
