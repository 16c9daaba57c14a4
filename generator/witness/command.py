"""`python -m generator witness`: fetches the files of witnesses, and compares an API with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from generator import rules, store
from generator.headers.fetch import FetchError, fetch_headers
from generator.headers.find import find_headers
from generator.model import Api
from generator.releases import ApiReleases, ReleasesError
from generator.witness.compare import Outcome, compare
from generator.witness.read import Witness, WitnessError, load
from generator.witness.readers import READERS
from generator.witness.statement import Statement


@dataclass(frozen=True, slots=True)
class WitnessReport:
    """An API's outcome, None if no file names a witness.

    `missing` says what isn't available, `wrong` what the file lacks for the listed releases.
    """

    api: str
    outcome: Outcome | None
    missing: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()

    @property
    def witnessed(self) -> Mapping[int, int]:
        """How many parameters have no witness, one, two, or three or more."""
        places = self.outcome.places if self.outcome else {}
        return Counter(min(3, len(by)) for by in places.values())

    def as_json(self) -> dict[str, object]:
        """The whole outcome, for JSON."""
        if self.outcome is None:
            return {"api": self.api, "missing": list(self.missing)}
        return {
            "api": self.api,
            "parameters": len(self.outcome.places),
            "witnessed": {str(count): self.witnessed[count] for count in range(4)},
            "witnesses": {
                name: {
                    "releases": list(self.outcome.releases[name]),
                    "functions": functions,
                    "parameters": sum(name in by for by in self.outcome.places.values()),
                }
                for name, functions in self.outcome.functions.items()
            },
            "differences": [asdict(one) for one in self.outcome.differences],
            "stale": [str(one) for one in self.outcome.stale],
            "missing": list(self.missing),
            "wrong": list(self.wrong),
        }


def run(root: Path, settings: ApiReleases) -> WitnessReport:
    """Compare one listed API with its witnesses.

    GeneratorError for a wrong file, or a package that can't be fetched. Headers that aren't here
    are `missing`; the reasons for their differences are then not checked.
    """
    specs = root / "api_specs"
    file = load(settings.name, specs)
    if file is None:
        return WitnessReport(settings.name, None, ("no witnesses.toml",))
    api = store.load(specs / settings.name / "api.json")
    missing: dict[str, str] = {}
    said = list(statements(root, settings, api, file.witnesses, missing))
    explained = file.explained
    outcome = compare(api, rules.load(settings.name, specs), said, explained)
    stale = [one for one in outcome.stale if one.witness not in missing]
    wrong = tuple(file.wrong(api.releases))
    return WitnessReport(
        settings.name, replace(outcome, stale=stale), tuple(missing.values()), wrong
    )


def statements(
    root: Path,
    settings: ApiReleases,
    api: Api,
    witnesses: Iterable[Witness],
    missing: dict[str, str],
) -> Iterator[Statement]:
    """What all witnesses say. `missing` gets the witnesses without headers here, and why."""
    for witness in witnesses:
        for release, where in _folders(root, settings, witness, missing):
            if not witness.newer and release not in api.releases:
                raise WitnessError(f"{witness.name} speaks of {release}, which isn't listed")
            accounts = READERS[witness.reads]([where / one for one in witness.files])
            if not accounts:
                raise WitnessError(f"{witness.name}: {', '.join(witness.files)} name no function")
            yield Statement(
                witness.name,
                api.newest if witness.newer else release,
                accounts,
                stated_release=release,
                symbols=witness.symbols,
                every=not (witness.partial or witness.newer),
                const=not witness.no_const,
                renamed=witness.renamed,
            )


def _folders(
    root: Path, settings: ApiReleases, witness: Witness, missing: dict[str, str]
) -> Iterator[tuple[str, Path]]:
    for release, version in witness.versions.items():
        yield release, fetch_headers(witness.package(release), version)
    for release in witness.releases:
        try:
            yield release, find_headers(root, settings, settings.listed(release))
        except (FetchError, ReleasesError) as error:
            missing[witness.name] = f"{witness.name} of {release}: {error}"
