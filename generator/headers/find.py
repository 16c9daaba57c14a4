"""Finds a release's headers on this machine, and the headers of APIs whose types it uses."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from generator import manifest
from generator.headers.fetch import FetchError, fetch_headers, installed_headers
from generator.releases import ApiReleases, Depended, ReleasesError, find_api
from generator.specs import folder


def find_headers(root: Path, settings: ApiReleases, version: str) -> Path:
    """A release's include folder: the one that releases.toml names, else its package's.

    ReleasesError or FetchError if neither is available.
    """
    folder = settings.folders.get(version)
    if folder and (root / folder / settings.header).is_file():
        return root / folder
    try:
        return fetch_headers(settings.package(version), version)
    except (FetchError, ReleasesError) as error:
        if folder is None:
            raise
        raise ReleasesError(f"no {settings.header} in {folder}") from error


def with_depends(root: Path, settings: ApiReleases) -> ApiReleases:
    """The settings with the headers of every API that the manifest says it depends on.

    An API without a manifest depends on none yet. ReleasesError or FetchError if headers aren't
    available.
    """
    return replace(settings, depends=tuple(_depends(root, settings.name, set())))


def _depends(root: Path, name: str, seen: set[str]) -> Iterator[Depended]:
    specs = root / "api_specs"
    if not os.path.lexists(folder(specs, name) / "api.toml"):
        return
    for other, release in manifest.load(name, specs).depends.items():
        if other in seen:
            continue
        seen.add(other)
        settings = find_api(specs, other)
        version = settings.listed(release)
        package = settings.packages.get(version.split(".")[0])
        include = installed_headers(package, version) if package else None
        include = include or find_headers(root, settings, version)
        yield Depended(other, include, settings.defines)
        yield from _depends(root, other, seen)
