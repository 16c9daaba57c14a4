"""The releases of a form in api.json: left out where it is there from the first, or to the last.

So a new release changes only the lines of what it changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from generator.schema import Release, SchemaError


@dataclass(frozen=True, slots=True)
class Span:
    """The first and the last release, as they stand in the file."""

    since: Release | None = None
    until: Release | None = None


def check_order(releases: Sequence[str]) -> None:
    """Check that the releases are in order. SchemaError otherwise."""
    keys = [tuple(map(int, one.split("."))) for one in releases]
    if keys != sorted(set(keys)):
        raise SchemaError("releases: not in order, or not each once")


def span(releases: Sequence[str], since: str, until: str) -> Span:
    """What the file says of two releases."""
    return Span(since if since != releases[0] else None, until if until != releases[-1] else None)


def ends(releases: Sequence[str], one: Span, where: str) -> tuple[int, int]:
    """The places of a span's releases among all of them. SchemaError, with `where`, if wrong."""
    places = []
    for release in (one.since or releases[0], one.until or releases[-1]):
        if release not in releases:
            raise SchemaError(f"{where}: {release} is no release of this API")
        places.append(releases.index(release))
    since, until = places
    if since > until:
        raise SchemaError(f"{where}: ends before it begins")
    return since, until


def following(
    releases: Sequence[str], spans: Iterable[Span], where: str
) -> Iterator[tuple[str, str]]:
    """The first and the last release of each form of a name. SchemaError if two overlap."""
    before = -1
    for at, one in enumerate(spans):
        since, until = ends(releases, one, f"{where}[{at}]")
        if since <= before:
            raise SchemaError(f"{where}[{at}]: the forms don't follow one another")
        before = until
        yield releases[since], releases[until]
