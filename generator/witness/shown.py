"""What `witness` prints: how many witnesses the parameters have, and each difference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table

from generator.terminal import table

if TYPE_CHECKING:
    from generator.witness.command import WitnessReport


def tables(heard: Sequence[WitnessReport]) -> Iterator[Table]:
    """The parameters by their witnesses, the witnesses, and what nobody has explained."""
    counts = table(
        "Parameters, by how many witnesses agree",
        ["API"],
        ["parameters", "none", "one", "two", "three\nor more", "explained", "conflicts"],
    )
    witnesses = table(
        "Witnesses",
        ["API", "witness", "releases"],
        ["functions", "parameters", "explained", "conflicts"],
    )
    for one in heard:
        outcome = one.outcome
        if outcome is None:
            continue
        conflicts = len(outcome.conflicts)
        explained = len(outcome.differences) - conflicts
        numbers = (one.witnessed[count] for count in range(4))
        counts.add_row(one.api, *map(str, (len(outcome.places), *numbers, explained, conflicts)))
        for name, functions in outcome.functions.items():
            mine = [each for each in outcome.differences if each.witness == name]
            agreed = sum(name in by for by in outcome.places.values())
            left = sum(each.reason is None for each in mine)
            witnesses.add_row(
                one.api,
                name,
                _shortened(outcome.releases[name]),
                *map(str, (functions, agreed, len(mine) - left, left)),
            )
    yield counts
    yield witnesses
    conflicts_of = [
        (one.api, each) for one in heard if one.outcome for each in one.outcome.conflicts
    ]
    if conflicts_of:
        heads = ["API", "witness", "release", "name", "tells", "PyGPU", "witness says"]
        listing = table("Differences without a reason", heads, [])
        for api, each in conflicts_of:
            texts = (each.witness, each.release, each.name, each.tells, each.here, each.there)
            listing.add_row(api, *map(escape, texts))
        yield listing


def failures(heard: Sequence[WitnessReport], *, allow_missing: bool) -> Iterator[str]:
    """Why the command fails, one line for each sort."""
    for one in heard:
        file = f"api_specs/{one.api}/witnesses.toml"
        if one.outcome and (conflicts := len(one.outcome.conflicts)):
            yield (
                f"{one.api}: {conflicts} differences have no reason. Fix the rule, or say why in"
                f" {file}"
            )
        if one.outcome and one.outcome.stale:
            stale = ", ".join(map(str, one.outcome.stale))
            yield f"{file} explains what is no difference: {stale}"
        for text in one.wrong:
            yield f"{file}: {text}"
        for text in () if allow_missing else one.missing:
            yield f"{one.api}: {text} (--allow-missing goes without it)"


def _shortened(releases: Sequence[str]) -> str:
    if len(releases) > 4:
        return f"{releases[0]} to {releases[-1]}, {len(releases)} of them"
    return ", ".join(releases)
