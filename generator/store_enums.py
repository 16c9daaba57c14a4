"""An enum in api.json: each enumerator stands there once, with its own range of releases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from generator.model import Api, Enum, Enumerator, Integer, Source, Variant
from generator.schema import Check, Release, least
from generator.store_spans import Span, ends, following, span

_Range = Annotated[tuple[Release, ...], Check("a first and a last release", lambda v: len(v) == 2)]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Form(Span):
    """A form of the enum, with enumerators of its own if the shared list can't give them."""

    underlying: Integer
    source: Source
    enumerators: tuple[Enumerator, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shared(Enumerator):
    """An enumerator and the releases that have it: one range, or several."""

    since: Release | None = None
    until: Release | None = None
    in_: Annotated[tuple[_Range, ...], least(1)] | None = None

    def spans(self) -> list[Span]:
        """Its ranges."""
        return [Span(*one) for one in self.in_] if self.in_ else [Span(self.since, self.until)]


@dataclass(frozen=True, slots=True)
class StoredEnum:
    """All forms of an enum."""

    variants: Annotated[tuple[_Form, ...], least(1)]
    enumerators: tuple[_Shared, ...] | None = None


def store(api: Api, variants: Sequence[Variant[Enum]]) -> StoredEnum:
    """One line for each enumerator, with its ranges; full variants if that would lose the order."""
    place = {version: index for index, version in enumerate(api.releases)}
    entries: dict[Enumerator, list[list[int]]] = {}
    for variant in reversed(variants):  # the newest form's order leads
        for enumerator in variant.node.enumerators:
            entries.setdefault(enumerator, []).insert(
                0, [place[variant.since], place[variant.until]]
            )
    shared = tuple(
        _shared(api.releases, one, _joined(entries[one]))
        for one in sorted(entries, key=lambda entry: entry.value)
    )
    forms = tuple(
        _Form(own.since, own.until, underlying=one.node.underlying, source=one.node.source)
        for one in variants
        for own in [span(api.releases, one.since, one.until)]
    )
    stored = StoredEnum(forms, shared)
    if [one.node.enumerators for one in read(api.releases, variants[0].node.name, stored)] == [
        one.node.enumerators for one in variants
    ]:
        return stored
    return StoredEnum(
        tuple(
            replace(form, enumerators=one.node.enumerators)
            for form, one in zip(forms, variants, strict=True)
        )
    )


def read(releases: Sequence[str], name: str, stored: StoredEnum) -> Iterator[Variant[Enum]]:
    """The forms of an enum. SchemaError for releases that don't go together."""
    where = f"enums.{name}"
    shared = [
        (
            Enumerator(one.name, one.value, one.deprecated),
            [ends(releases, span, f"{where}.enumerators[{at}]") for span in one.spans()],
        )
        for at, one in enumerate(stored.enumerators or ())
    ]
    spans = following(releases, stored.variants, where)
    for form, (since, until) in zip(stored.variants, spans, strict=True):
        enumerators = form.enumerators
        if enumerators is None:
            place = releases.index(since)
            enumerators = tuple(
                one for one, ranges in shared if any(low <= place <= high for low, high in ranges)
            )
        yield Variant(since, until, Enum(name, form.underlying, enumerators, form.source))


def _shared(releases: Sequence[str], one: Enumerator, ranges: list[list[int]]) -> _Shared:
    spans = tuple((releases[since], releases[until]) for since, until in ranges)
    own = (one.name, one.value, one.deprecated)
    if len(spans) > 1:
        return _Shared(*own, in_=spans)
    only = span(releases, *spans[0])
    return _Shared(*own, since=only.since, until=only.until)


def _joined(ranges: Iterable[list[int]]) -> list[list[int]]:
    """Neighbouring ranges as one."""
    joined: list[list[int]] = []
    for since, until in ranges:
        if joined and joined[-1][1] + 1 == since:
            joined[-1][1] = until
        else:
            joined.append([since, until])
    return joined
