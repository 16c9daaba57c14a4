"""api_specs/releases.toml: the releases that PyGPU knows, and how each API's headers are read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from generator.errors import GeneratorError
from generator.toml import tomllib


class ReleasesError(GeneratorError):
    """releases.toml says something wrong, or lacks what was asked for."""


@dataclass(frozen=True, slots=True)
class Package:
    """The PyPI package with a major's headers, and the include folder inside its wheel."""

    name: str
    include: str


@dataclass(frozen=True, slots=True)
class Also:
    """What a library exports besides `header`'s functions.

    `declared` is a header of our own beside rules.toml, `header` the vendor's, which packages may
    lack.
    """

    declared: str
    header: str


@dataclass(frozen=True, slots=True)
class ApiReleases:
    """One API's table. `releases` are full versions ("13.0.96"), oldest first.

    `folders` are include folders, seen from the tree's root, of releases that no package carries.
    """

    name: str
    header: str
    prefix: str
    group_prefix: str
    per_thread: str | None
    defines: tuple[str, ...]
    version_macro: str
    version_factors: tuple[int, int]
    packages: Mapping[str, Package]
    releases: tuple[str, ...]
    folders: Mapping[str, str] = field(default_factory=dict)
    also: Also | None = None

    def package(self, version: str) -> Package:
        """The package of a version's major. ReleasesError when none is known."""
        major = version.split(".")[0]
        if major not in self.packages:
            raise ReleasesError(
                f"{self.name}: releases.toml names no package for {major}.x; use --headers DIR"
            )
        return self.packages[major]

    def listed(self, version: str) -> str:
        """The full version of a listed release ("13.0.96" for "13.0"). ReleasesError if none."""
        for known in self.releases:
            if release_name(known) == release_name(version):
                return known
        raise ReleasesError(
            f"{self.name} has no release {version}; it has {', '.join(self.releases)}"
        )

    def check_version(self, version: str, value: int | None) -> None:
        """That the header's version macro is that of the release. ReleasesError when it isn't."""
        major, minor = map(int, release_name(version).split("."))
        expected = major * self.version_factors[0] + minor * self.version_factors[1]
        if value is None or value // self.version_factors[1] != expected // self.version_factors[1]:
            raise ReleasesError(
                f"{self.name}: the headers aren't of release {version}: "
                f"{self.version_macro} is {value}, not {expected}"
            )


def release_name(version: str) -> str:
    """The model's name of a release: major and minor of a full version ("13.0.96" is "13.0")."""
    if not re.fullmatch(r"\d+\.\d+(\.\d+)*", version):
        raise ReleasesError(f"'{version}' is no release; a release looks like 13.0.96")
    return ".".join(version.split(".")[:2])


@cache
def version_key(version: str) -> tuple[int, ...]:
    """What sorts versions and release names by age."""
    return tuple(int(part) for part in version.split("."))


def read_releases(path: Path) -> dict[str, ApiReleases]:
    """All APIs of releases.toml, by name. ReleasesError for a missing file, key or wrong TOML."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ReleasesError(f"{path}: {error.strerror}") from error
    except tomllib.TOMLDecodeError as error:
        raise ReleasesError(f"{path}: {error}") from error
    try:
        return {name: _read_api(name, table) for name, table in document.items()}
    except (KeyError, TypeError, AttributeError) as error:
        raise ReleasesError(f"{path}: missing or wrong key {error}") from error


def find_api(specs: Path, name: str) -> ApiReleases:
    """One API's table of api_specs/releases.toml. ReleasesError when there is none of that name."""
    known = read_releases(specs / "releases.toml")
    if name not in known:
        raise ReleasesError(f"no API '{name}' in releases.toml; it has {', '.join(known)}")
    return known[name]


def add_release(path: Path, api: str, version: str) -> bool:
    """Write a release into an API's list, in its place, leaving all other lines as they are.

    A release of the same major and minor gives way. Returns whether the file changed.
    """
    lines = path.read_text(encoding="utf-8").splitlines()
    begin = _index(lines, 0, rf"\[{re.escape(api)}\]", path)
    begin = _index(lines, begin, r"releases = \[", path)
    end = _index(lines, begin, r"\]", path)
    kept = [
        line
        for line in lines[begin + 1 : end]
        if not (found := _listed(line))
        or release_name(found) != release_name(version)
        or found == version
    ]
    if any(_listed(line) == version for line in kept):
        return False
    place = 0
    for index, line in enumerate(kept):
        found = _listed(line)
        if found and version_key(found) < version_key(version):
            place = index + 1
    kept.insert(place, f'    "{version}",')
    path.write_text("\n".join([*lines[: begin + 1], *kept, *lines[end:]]) + "\n", encoding="utf-8")
    return True


def _read_api(name: str, table: Mapping[str, Any]) -> ApiReleases:
    version = table["version"]
    return ApiReleases(
        name,
        table["header"],
        table["prefix"],
        table.get("group_prefix", ""),
        table.get("per_thread"),
        tuple(table.get("defines", ())),
        version["macro"],
        (version["major"], version["minor"]),
        {
            major: Package(package["name"], package["include"])
            for major, package in table.get("packages", {}).items()
        },
        tuple(sorted(table["releases"], key=version_key)),
        dict(table.get("folders", {})),
        Also(**table["also"]) if "also" in table else None,
    )


def _index(lines: list[str], begin: int, pattern: str, path: Path) -> int:
    for index in range(begin, len(lines)):
        if re.match(pattern, lines[index]):
            return index
    raise ReleasesError(f"{path}: no line {pattern!r}; `update` needs it to add a release")


def _listed(line: str) -> str | None:
    found = re.match(r'\s*"([\d.]+)"', line)
    return found.group(1) if found else None
