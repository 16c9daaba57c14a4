"""Judges the candidates: the order to try them, and in words why each was or wasn't taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PyGPU._apis import APIS
from PyGPU._apis.api import Api

from .candidates import LOADED, PIP, PREFIX, VARIABLE, Candidate

_PLACES = {
    LOADED: "what is already loaded",
    PIP: "a pip package",
    PREFIX: "the environment of this Python",
}


def version_text(version: int) -> str:
    """A CUDA version number as people write it: 12040 is "12.4"."""
    return f"{version // 1000}.{version % 1000 // 10}"


def too_new(candidate: Candidate, driver: int | None) -> bool:
    """Whether the driver (as cuDriverGetVersion gives it) can't serve this library's major.

    Within one major the runtimes run on the drivers of its first release.
    """
    return driver is not None and candidate.major is not None and candidate.major > driver // 1000


def needs_driver(candidates: Sequence[Candidate]) -> bool:
    """Whether the driver's version decides anything: only among different majors."""
    if any(c.place == VARIABLE for c in candidates):
        return False
    return len({c.major for c in candidates if not c.problem}) > 1


def order(api: str, candidates: Sequence[Candidate], driver: int | None) -> list[Candidate]:
    """The candidates to try, best first.

    A path that the user named is the only one. Else: what the driver serves, then known majors
    before unknown ones, the library itself before one that it lies within, then the place, then the
    newest.
    """
    named = [c for c in candidates if c.place == VARIABLE]
    if named:
        return named
    known = APIS[api]
    usable = [c for c in candidates if not c.problem]

    def rank(candidate: Candidate) -> tuple[bool, bool, bool, int, int]:
        newest = -(candidate.major or 0)
        return (
            too_new(candidate, driver),
            candidate.major not in known.majors,
            not known.library.is_own(candidate.path),
            candidate.place,
            newest,
        )

    return sorted(usable, key=rank)  # stable, so the order of gathering decides last


def verdicts(
    api: str,
    candidates: Sequence[Candidate],
    chosen: Candidate | None,
    driver: int | None,
    failures: Mapping[str, str],
) -> list[Candidate]:
    """The candidates with their verdicts, given the one in use and what dlopen said of others."""
    known = APIS[api]
    return [
        candidate._replace(verdict=_verdict(known, candidate, chosen, driver, failures))
        for candidate in candidates
    ]


def _verdict(
    api: Api,
    candidate: Candidate,
    chosen: Candidate | None,
    driver: int | None,
    failures: Mapping[str, str],
) -> str:
    limit = ""
    if driver is not None and too_new(candidate, driver):
        limit = (
            f"needs a driver for {api.label} {candidate.major}, "
            f"this one serves up to {version_text(driver)}"
        )
    if chosen is not None and candidate.path == chosen.path:
        return f"chosen, but {limit}" if limit else "chosen"
    if candidate.path in failures:
        return f"cannot be opened: {failures[candidate.path]}"
    if candidate.problem:
        return candidate.problem
    if chosen is None:
        return "not tried"
    if chosen.place == VARIABLE:
        return f"not looked at: {api.library.variable} is set"
    if limit and not too_new(chosen, driver):
        return limit
    if candidate.major not in api.majors and chosen.major in api.majors:
        majors = f"{api.majors[0]} to {api.majors[-1]}"
        unknown = "unknown major" if candidate.major is None else f"major {candidate.major}"
        return f"{unknown}, while PyGPU knows {majors}"
    if api.library.is_own(chosen.path) and not api.library.is_own(candidate.path):
        return f"{chosen.path} is {api.library.stem} itself"
    if candidate.place != chosen.place:
        return f"{_PLACES.get(chosen.place, chosen.origin)} comes first"
    if (candidate.major or 0) < (chosen.major or 0):
        return f"older than {chosen.path}"
    return f"{chosen.path} comes first"
