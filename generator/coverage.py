"""What is bound of each release, and what decided each parameter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from generator import manifest, rules, store
from generator.decide import decide
from generator.handles import as_handles
from generator.merge import covers
from generator.plan.api import plan
from generator.plan.binding import EntryPoint
from generator.plan.span import number
from generator.review import is_reviewed

BY = ("type", "rule", "evidence", "raw", "unreviewed")


@dataclass(frozen=True, slots=True)
class Coverage:
    """One release's numbers, as its plan has them.

    `bound` counts the functions that a call reaches in this release; `decided` counts their
    parameters by what decided them. `excluded` and `unserved` (another form, and no adaptor) map a
    function to its reason. `raw` and `unreviewed` map a "function.parameter" to its reason, and
    `evidence` to what the header's words and names have decided in functions that nobody has read.
    """

    api: str
    release: str
    functions: int
    bound: int
    parameters: int
    decided: Mapping[str, int]
    excluded: Mapping[str, str]
    unserved: Mapping[str, str]
    raw: Mapping[str, str]
    unreviewed: Mapping[str, str]
    evidence: Mapping[str, str]

    def as_json(self) -> dict[str, object]:
        """The fields by name."""
        return asdict(self)


def cover(specs: Path, name: str) -> list[Coverage]:
    """One API's releases, oldest first. GeneratorError or RulesError for wrong input."""
    api = as_handles(store.load(specs / name / "api.json"))
    known = rules.load(name, specs)
    about = manifest.load(name, specs)
    planned = plan(api, known, about, {one: manifest.load(one, specs) for one in about.depends})
    decisions = decide(api, known)
    wrappers = {one.name: one for group in planned.groups.values() for one in group}
    entries = {one.function: one for one in planned.entries if one.function}
    rows = []
    for release in api.releases:
        counts: Counter[str] = Counter()
        excluded: dict[str, str] = {}
        unserved: dict[str, str] = {}
        raw: dict[str, str] = {}
        unreviewed: dict[str, str] = {}
        evidence: dict[str, str] = {}
        functions = 0
        for function, variants in api.functions.items():
            if not any(covers(variant, release) for variant in variants):
                continue
            functions += 1
            if (wrapper := wrappers.get(function)) is None:
                excluded[function] = known.exclude(function) or "the plan leaves it out"
                continue
            if not _served(entries[function], number(release)):
                unserved[function] = f"has another form in {release}, which no adaptor serves"
                continue
            newest = len(variants) - 1
            parameters = variants[newest].node.parameters
            read = is_reviewed(variants[newest], known.reviewed)
            for parameter, decision in zip(parameters, decisions[function, newest], strict=True):
                reason = wrapper.raw.get(parameter.name)
                counts["raw" if reason is not None else decision.by] += 1
                if reason is not None:
                    raw[f"{function}.{parameter.name}"] = reason
                elif decision.by == "unreviewed":
                    unreviewed[f"{function}.{parameter.name}"] = decision.reason
                elif decision.by == "evidence" and not read:
                    said = f"{decision.kind}: {decision.reason}"
                    evidence[f"{function}.{parameter.name}"] = said
        rows.append(
            Coverage(
                name,
                release,
                functions,
                functions - len(excluded) - len(unserved),
                counts.total(),
                {by: counts[by] for by in BY},
                excluded,
                unserved,
                raw,
                unreviewed,
                evidence,
            )
        )
    return rows


def _served(entry: EntryPoint, release: int) -> bool:
    """Whether a call of the newest form reaches the library in a release."""
    there = [one for one in entry.others if one.since <= release <= one.until]
    return all(one.symbol or one.adaptor for one in there)
