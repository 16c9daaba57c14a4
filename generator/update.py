"""Adding a release: headers to model, the release's line, and what it changed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from generator import rules
from generator.diff import Change, diff_releases
from generator.merge import merge, release_of
from generator.model import Api, Release
from generator.parse import Conventions, HeaderSet, ParseRequest, parse_release
from generator.releases import ApiReleases, add_release, release_name
from generator.store import load, save


@dataclass(frozen=True, slots=True)
class Update:
    """What an update did. `base` is the release that `changes` are told against, if any."""

    api: Api
    release: str
    base: str | None
    changes: list[Change]


def parse_headers(specs: Path, settings: ApiReleases, version: str, include: Path) -> Release:
    """Parse a release's include folder, and see that it is that release's.

    What the API's folder in `specs` declares besides counts as the vendor's.
    """
    also = specs / settings.name / settings.also.declared if settings.also else None
    release = parse_release(
        ParseRequest(
            settings.name,
            release_name(version),
            HeaderSet(include, settings.header, settings.defines, also),
            Conventions(settings.prefix, settings.group_prefix),
            settings.per_thread,
            rules.load(settings.name, specs).exclude,
        )
    )
    macro = release.macros.get(settings.version_macro)
    settings.check_version(version, macro.value if macro else None)
    return release


def update(specs: Path, settings: ApiReleases, version: str, include: Path) -> Update:
    """Parse a release, merge it into api.json, and list it in releases.toml.

    Nothing is written when the headers don't parse.
    """
    release = parse_headers(specs, settings, version, include)
    path = specs / settings.name / "api.json"
    before = load(path) if path.is_file() else None
    api = merge(before, release)
    save(api, path)
    add_release(specs / "releases.toml", settings.name, version)
    base = _neighbour(api, release.version, before)
    old = release_of(before, base) if before is not None and base is not None else None
    return Update(api, release.version, base, diff_releases(old, release))


def _neighbour(api: Api, version: str, before: Api | None) -> str | None:
    """The release itself if it was known, else the one before it, else the one behind it."""
    if before is None:
        return None
    if version in before.releases:
        return version
    index = api.releases.index(version)
    return api.releases[index - 1] if index else api.releases[1]
