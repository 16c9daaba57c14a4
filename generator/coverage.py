"""What is bound of each release, and what decided each parameter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from generator import rules, store
from generator.decide import decide
from generator.merge import covers

BY = ("type", "rule", "evidence", "raw", "unreviewed")


@dataclass(frozen=True, slots=True)
class Coverage:
    """One release's numbers.

    `decided` counts the parameters of bound functions by what decided them; `excluded`, `raw` and
    `unreviewed` map a function, or "function.parameter", to its reason.
    """

    api: str
    release: str
    functions: int
    bound: int
    parameters: int
    decided: Mapping[str, int]
    excluded: Mapping[str, str]
    raw: Mapping[str, str]
    unreviewed: Mapping[str, str]

    def as_json(self) -> dict[str, object]:
        """The fields by name."""
        return asdict(self)


def cover(specs: Path, name: str) -> list[Coverage]:
    """One API's releases, oldest first. GeneratorError or RulesError for wrong input."""
    api = store.load(specs / name / "api.json")
    known = rules.load(name, specs)
    decisions = decide(api, known)
    rows = []
    for release in api.releases:
        counts: Counter[str] = Counter()
        excluded: dict[str, str] = {}
        raw: dict[str, str] = {}
        unreviewed: dict[str, str] = {}
        functions = 0
        for function, variants in api.functions.items():
            for index, variant in enumerate(variants):
                if not covers(variant, release):
                    continue
                functions += 1
                reason = known.exclude(function)
                if reason is not None:
                    excluded[function] = reason
                    continue
                node = variant.node
                for parameter, decision in zip(
                    node.parameters, decisions[function, index], strict=True
                ):
                    counts[decision.by] += 1
                    if decision.by == "raw":
                        raw[f"{function}.{parameter.name}"] = decision.reason
                    elif decision.by == "unreviewed":
                        unreviewed[f"{function}.{parameter.name}"] = decision.reason
        rows.append(
            Coverage(
                name,
                release,
                functions,
                functions - len(excluded),
                counts.total(),
                {by: counts[by] for by in BY},
                excluded,
                raw,
                unreviewed,
            )
        )
    return rows
