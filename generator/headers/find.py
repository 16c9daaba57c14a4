"""Finds a release's headers on this machine, and the headers of APIs whose types it uses."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from generator import manifest
from generator.headers.fetch import FetchError, fetch_headers, installed_headers
from generator.parse.search import beside, system_folders
from generator.releases import ApiReleases, DependedHeader, ReleasesError, find_api
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


def with_depends(root: Path, settings: ApiReleases, include: Path | None = None) -> ApiReleases:
    """The settings with the headers of every API that the manifest says it depends on.

    These may lie near `include`, the folder with the API's own. An API without a manifest depends
    on none yet. ReleasesError or FetchError if headers aren't available.
    """
    near = [*([include] if include else []), *(root / one for one in settings.include)]
    return replace(settings, depends=tuple(_depends(root, settings.name, near, set())))


def near_header(folders: Sequence[Path], header: str) -> Path | None:
    """The folder near the given ones, or of the system's, that has a header; None without one."""
    if include := next((one for one in folders if (one / header).is_file()), None):
        return include
    include = beside(folders, header) if folders else None
    return include or next((one for one in system_folders() if (one / header).is_file()), None)


def _depends(
    root: Path, name: str, near: Sequence[Path], seen: set[str]
) -> Iterator[DependedHeader]:
    specs = root / "api_specs"
    if not os.path.lexists(folder(specs, name) / "api.toml"):
        return
    for other, release in manifest.load(name, specs).depends.items():
        if other in seen:
            continue
        seen.add(other)
        settings = find_api(specs, other)
        yield DependedHeader(
            other,
            _include_folder(root, settings, release, near),
            settings.header,
            settings.defines,
            settings.more_headers,
        )
        yield from _depends(root, other, near, seen)


def _include_folder(root: Path, settings: ApiReleases, release: str, near: Sequence[Path]) -> Path:
    """The headers of an API that another one depends on."""
    if near_folder := near_header(near, settings.header):
        return near_folder
    version = settings.listed(release)
    package = settings.find_package(version)
    include = installed_headers(package, version) if package else None
    try:
        return include or find_headers(root, settings, version)
    except (FetchError, ReleasesError) as error:
        advice = f"{settings.name}: --include names the folder with {settings.header}"
        raise ReleasesError(f"{advice} ({error})") from None
