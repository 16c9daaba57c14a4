"""Which releases have a function, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from generator.merge import form_of
from generator.model import Api
from generator.plan.binding import EntryPoint
from generator.plan.span import number


def history(api: Api, label: str, entries: Iterable[EntryPoint]) -> Mapping[str, str]:
    """For each function the listed releases that have it, and those that have another form."""
    return {one.function: _of(api, label, one.function, one) for one in entries if one.function}


def _of(api: Api, vendor: str, name: str, entry: EntryPoint) -> str:
    there = [release for release in api.releases if _has(api, name, release)]
    everywhere = len(there) == len(api.releases)
    text = f"all of {vendor}" if everywhere else f"{vendor} {between(api.releases, there)}"
    for one in entry.others:
        if one.symbol is None:
            then = [it for it in there if one.since <= number(it) <= one.until]
            how = (
                "an older form in C, adapted" if one.adaptor else "another form: ErrorNotSupported"
            )
            text += f"; {between(api.releases, then)}: {how}" if then else ""
    return text + "."


def between(listed: Sequence[str], releases: Sequence[str]) -> str:
    """Releases as ranges: "up to 12.0, 12.4 to 12.9, 13.1 and later".

    The ranges are open at both ends of the list, so that a further release changes no other text.
    """
    runs: list[list[str]] = []
    for one in releases:
        at = listed.index(one)
        if runs and at and runs[-1][-1] == listed[at - 1]:
            runs[-1].append(one)
        else:
            runs.append([one])
    return ", ".join(_range(listed, run) for run in runs)


def _range(listed: Sequence[str], run: list[str]) -> str:
    if run[-1] == listed[-1]:
        return f"{run[0]} and later"
    if run[0] == listed[0]:
        return f"up to {run[-1]}"
    return run[0] if len(run) == 1 else f"{run[0]} to {run[-1]}"


def _has(api: Api, name: str, release: str) -> bool:
    return form_of(api.functions[name], release) is not None
