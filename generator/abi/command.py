"""What `python -m generator abi` does for one release: find the headers, prove, say it in words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from generator import rules, store
from generator.abi.prove import Declared, prove_declarations, prove_release
from generator.emit import make_plans
from generator.headers.fetch import FetchError
from generator.headers.find import find_headers, with_depends
from generator.merge import release_of
from generator.releases import ApiReleases, ReleasesError, release_name


@dataclass(frozen=True, slots=True)
class Result:
    """One release's proof. `skipped` says why there is none: the headers aren't here."""

    api: str
    release: str
    claims: int = 0
    failures: tuple[str, ...] = ()
    skipped: str = ""

    def as_json(self) -> dict[str, object]:
        """The fields by name."""
        return {name: getattr(self, name) for name in self.__slots__}

    def __str__(self) -> str:
        head = f"{self.api} {self.release}:"
        if self.skipped:
            return f"{head} SKIPPED, {self.skipped}"
        if not self.failures:
            return f"{head} {self.claims} claims hold"
        lines = [f"{head} {len(self.failures)} of {self.claims} claims are wrong", *self.failures]
        return "\n    ".join(lines)


def run(root: Path, settings: ApiReleases, version: str, headers: Path | None) -> Result:
    """Prove a listed release, and the declarations in generated/ that have its form.

    AbiError when the check itself can't be made.
    """
    name = release_name(version)
    try:
        include = headers or find_headers(root, settings, version)
        settings = with_depends(root, settings, include)
    except (FetchError, ReleasesError) as error:
        return Result(settings.name, name, skipped=f"{error}. {_how(settings, version)}")
    settings = replace(settings, include=tuple(str(root / one) for one in settings.include))
    api = store.load(root / "api_specs" / settings.name / "api.json")
    if name not in api.releases:
        raise ReleasesError(f"{settings.name}: api.json has no release {name}; run `update`")
    model = prove_release(settings, release_of(api, name), include)
    reviewed = rules.load(settings.name, root / "api_specs").reviewed
    declared = _declared(root, settings.name)
    ours = prove_declarations(settings, api, name, include, declared, reviewed)
    failures = (*model.failures, *ours.failures)
    return Result(settings.name, name, model.claims + ours.claims, tuple(map(str, failures)))


@cache
def _declared(root: Path, api: str) -> Declared:
    """What the types.hpp of an API declares; planned once for all its releases."""
    specs = root / "api_specs"
    plans = make_plans(specs, {api: store.load(specs / api / "api.json")})
    return Declared.of(plans[api], root / plans[api].home / "generated")


def _how(settings: ApiReleases, version: str) -> str:
    """How to get the headers of a release that aren't here."""
    source = settings.sources.get(version)
    got = f"They come from {source}; then run" if source else "Get its headers, and run"
    return (
        f"{got} `python -m generator abi {settings.name} --release {release_name(version)}"
        " --headers DIR`"
    )
