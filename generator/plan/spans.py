"""The spans of an API's enumerators and macros: their values, each with its releases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from generator.merge import form_of
from generator.model import Api, Node, Variant
from generator.plan.span import NEWEST, OLDEST, Span, number


def enumerators(api: Api) -> Mapping[str, Mapping[str, tuple[Span, ...]]]:
    """For each enum, its enumerators with their values over the releases."""
    result: dict[str, dict[str, dict[str, int]]] = {name: {} for name in api.enums}
    for name, variants in api.enums.items():
        for release, node in _by_release(api, variants):
            for one in node.enumerators:
                result[name].setdefault(one.name, {})[release] = one.value
    return {
        name: {one: _spans(api, values) for one, values in of_enum.items()}
        for name, of_enum in result.items()
    }


def macros(api: Api) -> Mapping[str, tuple[Span, ...]]:
    """The macros with their values, without releases that have an enumerator of the same name."""
    enumerated = {
        (release, one.name)
        for variants in api.enums.values()
        for release, node in _by_release(api, variants)
        for one in node.enumerators
    }
    result = {}
    for name, variants in api.macros.items():
        values = {
            release: node.value
            for release, node in _by_release(api, variants)
            if (release, name) not in enumerated
        }
        result[name] = _spans(api, values)
    return result


def _by_release(api: Api, variants: tuple[Variant[Node], ...]) -> Iterator[tuple[str, Node]]:
    for release in api.releases:
        if (node := form_of(variants, release)) is not None:
            yield release, node


def _spans(api: Api, values: Mapping[str, int]) -> tuple[Span, ...]:
    """Neighbouring releases with the same value as one span; open at both ends of the list."""
    spans: list[Span] = []
    before: str | None = None
    for at, release in enumerate(api.releases):
        if release not in values:
            continue
        joined = before is not None and api.releases[at - 1] == before
        if joined and spans and spans[-1].value == values[release]:
            spans[-1] = Span(spans[-1].value, spans[-1].since, number(release))
        else:
            spans.append(Span(values[release], number(release), number(release)))
        before = release
    return tuple(_open(api, spans))


def _open(api: Api, spans: list[Span]) -> Iterator[Span]:
    """The spans, extended to the next listed release, and beyond the first and the last one."""
    first, last = number(api.releases[0]), number(api.releases[-1])
    for span in spans:
        since = OLDEST if span.since == first else span.since
        until = NEWEST if span.until == last else _next(api, span.until) - 1
        yield Span(span.value, since, until)


def _next(api: Api, release: int) -> int:
    """The listed release after one."""
    return next(one for one in map(number, api.releases) if one > release)
