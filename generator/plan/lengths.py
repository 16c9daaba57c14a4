"""The bytes that C touches behind pointers in structs: rules' formulas over fields, in C++."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from generator import formula
from generator.errors import GeneratorError
from generator.merge import form_of
from generator.model import Api
from generator.plan.binding import NumberAt, StructField, StructLayout, StructLength
from generator.rules import LengthRule


@dataclass(frozen=True, slots=True)
class Lengths:
    """Plans the lengths of one layout. `inner` gives the layout of a struct that a field holds.

    `lenient`: the layout is unreviewed, and a rule that doesn't fit it is skipped.
    """

    api: Api
    layout: StructLayout
    inner: Callable[[StructField], StructLayout]
    lenient: bool = False

    def plan(self, rules: Sequence[LengthRule], *, is_union: bool) -> Iterator[StructLength]:
        """Lengths by rules for pointers and members of unions; other members get theirs unasked."""
        for rule in rules:
            if (place := self._place(rule.path)) is not None:
                with suppress(*(GeneratorError,) if self.lenient else ()):
                    yield self._ruled(rule, *place)
        ruled = {rule.path for rule in rules}
        for field in self.layout.fields:
            plain = field.positional and not is_union and not field.count
            if plain and field.name not in ruled and (inner := _inner(self, field)):
                yield StructLength(field.name, field.offset, None, inner, None, {})

    def _ruled(self, rule: LengthRule, field: StructField, offset: int) -> StructLength:
        texts = filter(None, (rule.bytes, rule.when))
        names = {name: self._number(rule, name) for text in texts for name in formula.fields(text)}
        if rule.bytes is None:
            if not (inner := _inner(self, field)):
                raise GeneratorError(f"{rule.where}: {field.type} has no lengths of its own")
            return StructLength(rule.path, offset, None, inner, rule.when, names)
        if field.role != "pointer":
            raise GeneratorError(f"{rule.where}: {field.type} is no pointer")
        return StructLength(rule.path, offset, rule.bytes, None, rule.when, names)

    def _number(self, rule: LengthRule, name: str) -> int | NumberAt:
        """The place of a field's number, or the number of an enumerator."""
        if (place := self._place(name)) is not None:
            field, offset = place
            if field.role not in ("nested", "bytes", "text"):
                return NumberAt(field.scalar, offset)
        elif (value := self._enumerator(name)) is not None:
            return value
        raise GeneratorError(f"{rule.where}: {name} is no number in {self.layout.since}")

    def _place(self, path: str) -> tuple[StructField, int] | None:
        layout, offset = self.layout, 0
        *outer, last = path.split(".")
        for name in outer:
            field = _named(layout, name)
            if field is None or field.role != "nested":
                return None
            layout, offset = self.inner(field), offset + field.offset
        last_field = _named(layout, last)
        return (last_field, offset + last_field.offset) if last_field else None

    def _enumerator(self, name: str) -> int | None:
        """The enumerator's value in the layout's releases; a new value begins a new layout."""
        nodes = (form_of(forms, self.layout.since) for forms in self.api.enums.values())
        matches = (
            one.value for node in nodes if node for one in node.enumerators if one.name == name
        )
        return next(matches, None)


def _inner(planner: Lengths, field: StructField) -> tuple[int, int] | None:
    """The struct in a field, if it has lengths of its own."""
    nested = field.role == "nested" and planner.inner(field).lengths
    return (field.index, field.layout) if nested else None


def _named(layout: StructLayout, name: str) -> StructField | None:
    return next((one for one in layout.fields if one.name == name), None)
