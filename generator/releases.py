"""api_specs/<api>/releases.toml: the releases that PyGPU knows, and how the headers are read."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Annotated

from generator.errors import GeneratorError
from generator.files import read_file
from generator.model import Macro
from generator.schema import Name, Pattern, SchemaError, Text, matching, number
from generator.specs import folder
from generator.toml import as_object, read_toml, tomllib

_Version = Annotated[str, matching(r"\d{1,6}\.\d{1,6}(\.\d{1,9})*", "a version such as 13.0.96")]
_Part = Annotated[str, matching(r"\d+(\.\d+)*", "the start of a version")]
_Path = Annotated[str, matching(r"(?!/)(?!(.*/)?\.\.(/|$))[^\x00-\x1f]+", "a path below a folder")]
_Factor = Annotated[int, number(1, 10**9)]


class ReleasesError(GeneratorError):
    """releases.toml says something wrong, or lacks what was asked for."""


@dataclass(frozen=True, slots=True)
class Package:
    """The PyPI package with a major's headers, and the include folder inside its wheel.

    `python` is the version of Python whose wheel to take, if the wheels differ.
    """

    name: Annotated[str, matching(r"[\w.-]+", "a package")]
    include: _Path
    python: Annotated[str, matching(r"\d\.\d+", "a Python such as 3.11")] | None = None


@dataclass(frozen=True, slots=True)
class FurtherExports:
    """What a library exports besides `header`'s functions.

    `declared` is our own header beside rules.toml. `header` is the vendor's header, which packages
    may lack; None if the vendor has none.
    """

    declared: _Path
    header: _Path | None = None


@dataclass(frozen=True, slots=True)
class DependedHeader:
    """The header of another API whose types an API uses, and the macros that it needs."""

    name: str
    include: Path
    header: str
    defines: tuple[str, ...] = ()
    more: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class VersionMacro:
    """The macro that says which release a header is of: major * `major` + minor * `minor`."""

    macro: Name
    major: _Factor
    minor: _Factor

    def number(self, release: str) -> int:
        """A release as the macro gives it: 13000 for CUDA 13.0."""
        major, minor = map(int, release_name(release).split("."))
        return major * self.major + minor * self.minor


@dataclass(frozen=True, slots=True)
class ApiReleases:
    """One API's file. `releases` are full versions ("13.0.96"), oldest first.

    `more_headers` are read after `header`, each where a release has it.
    `prefix` begins the names of its functions, "" if they have nothing in common. `codes` is a
    pattern for the names of its status codes in comments. `version` is None for headers that don't
    state their release. `folders` are the include folders of releases that no package carries, seen
    from the tree's root; `sources` say in words where these headers come from. `include` are more
    folders to search, seen from there, too. `exclude` are globs of names, and of headers whose
    declarations aren't the API's. `handles` maps typedefs of `void *` that are handles
    to names of PyGPU's own for structs: a const one has the struct of its other form.
    generator/headers/find.py fills in `depends`.
    """

    name: str
    header: _Path
    releases: tuple[_Version, ...]
    more_headers: tuple[_Path, ...] = ()
    prefix: Name = ""
    group_prefix: Annotated[str, matching(r"\w*", "the start of a name")] = ""
    per_thread: Name | None = None
    defines: tuple[Annotated[str, matching(r"[A-Za-z_]\w*(=.*)?", "a macro")], ...] = ()
    version: VersionMacro | None = None
    packages: Mapping[_Part, Package] = field(default_factory=dict)
    folders: Mapping[_Version, Text] = field(default_factory=dict)
    also: FurtherExports | None = None
    sources: Mapping[_Version, Text] = field(default_factory=dict)
    codes: Pattern | None = None
    depends: tuple[DependedHeader, ...] = ()
    include: tuple[Text, ...] = ()
    exclude: tuple[Text, ...] = ()
    handles: Mapping[Name, Name] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = [release_name(version) for version in self.releases]
        if twice := sorted({name for name in names if names.count(name) > 1}, key=version_key):
            raise SchemaError(f"releases: {', '.join(twice)} is there twice")

    def find_package(self, version: str) -> Package | None:
        """The package that the longest start of a version has; None if none has."""
        parts = version.split(".")
        starts = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
        return next((self.packages[one] for one in starts if one in self.packages), None)

    def package(self, version: str) -> Package:
        """The package of a version. ReleasesError when none is known."""
        if (package := self.find_package(version)) is None:
            major = version.split(".")[0]
            raise ReleasesError(
                f"{self.name}: releases.toml names no package for {major}.x; use --headers DIR"
            )
        return package

    def listed(self, version: str) -> str:
        """The full version of a listed release ("13.0.96" for "13.0"). ReleasesError if none."""
        for known in self.releases:
            if release_name(known) == release_name(version):
                return known
        raise ReleasesError(
            f"{self.name} has no release {version}; it has {', '.join(self.releases)}"
        )

    def check_version(self, version: str, macros: Mapping[str, Macro]) -> None:
        """Check that the headers are of the release, if they state it. ReleasesError otherwise."""
        if self.version is None:
            return
        expected = self.version.number(version)
        macro = macros.get(self.version.macro)
        if macro is None or macro.value // self.version.minor != expected // self.version.minor:
            raise ReleasesError(
                f"{self.name}: the headers aren't of release {version}: "
                f"{self.version.macro} is {macro.value if macro else None}, not {expected}"
            )


def release_name(version: str) -> str:
    """The model's name of a release: major and minor of a full version ("13.0.96" is "13.0")."""
    if not re.fullmatch(r"\d+\.\d+(\.\d+)*", version):
        raise ReleasesError(f"'{version}' isn't a release; one looks like 13.0.96")
    return ".".join(version.split(".")[:2])


@cache
def version_key(version: str) -> tuple[int, ...]:
    """A key that sorts versions and release names by age."""
    return tuple(int(part) for part in version.split("."))


def read_releases(specs: Path) -> dict[str, ApiReleases]:
    """All APIs that have a releases.toml, by name. ReleasesError for what is wrong in one."""
    paths = (path for path in sorted(specs.glob("*/*.toml")) if path.name == "releases.toml")
    return {path.parent.name: _read(path) for path in paths}


def find_api(specs: Path, name: str) -> ApiReleases:
    """One API's releases. ReleasesError when there is no API of that name."""
    path = folder(specs, name) / "releases.toml"
    if not os.path.lexists(path):
        known = ", ".join(sorted(path.parent.name for path in specs.glob("*/releases.toml")))
        raise ReleasesError(
            f"no API '{name}': api_specs/{name}/releases.toml isn't there; there are {known}"
        )
    return _read(path)


def release_added(path: Path, version: str, folder: str | None = None) -> str:
    """The file's text with a release added to its list, in order; all other lines stay.

    It replaces a release of the same major and minor. `folder` is where its headers lie, None for
    the headers of a package. ReleasesError for a file with another layout.
    """
    lines = read_file(path).decode().splitlines()
    if "releases = []" in lines:
        at = lines.index("releases = []")
        lines[at : at + 1] = ["releases = [", "]"]
    begin = _index(lines, 0, r"releases = \[$", path)
    end = _index(lines, begin, r"\]", path)
    kept = [
        line
        for line in lines[begin + 1 : end]
        if not (listed := _listed(line))
        or release_name(listed) != release_name(version)
        or listed == version
    ]
    if all(_listed(line) != version for line in kept):
        place = 0
        for index, line in enumerate(kept):
            listed = _listed(line)
            if listed and version_key(listed) < version_key(version):
                place = index + 1
        kept.insert(place, f'    "{version}",')
    lines[begin + 1 : end] = kept
    _put_folder(lines, version, folder)
    text = "\n".join(lines) + "\n"
    try:
        after = _made(tomllib.loads(text), path)
    except tomllib.TOMLDecodeError as error:
        raise ReleasesError(f"{path}: `update` can't add {version} here: {error}") from None
    if version not in after.releases or after.folders.get(version) != folder:
        raise ReleasesError(f"{path}: `update` can't add {version} here: its list has another form")
    return text


def _put_folder(lines: list[str], version: str, folder: str | None) -> None:
    """Put down where the release's headers lie; remove the folders of its other patches."""
    head = "[folders]"
    line = None if folder is None else f'"{version}" = {json.dumps(folder, ensure_ascii=False)}'
    if head not in lines:
        if line is not None:
            while not lines[-1].strip():
                del lines[-1]
            lines += ["", head, line]
        return
    at = lines.index(head)
    end = next((one for one in range(at + 1, len(lines)) if lines[one].startswith("[")), len(lines))
    for one in reversed(range(at + 1, end)):
        listed = _listed(lines[one])
        if not listed or release_name(listed) != release_name(version):
            continue
        if listed == version and line is not None:
            lines[one], line = line, None
        else:
            del lines[one]
            end -= 1
    while end > at + 1 and not lines[end - 1].strip():
        end -= 1
    if line is not None:
        lines.insert(end, line)


def _read(path: Path) -> ApiReleases:
    return _made(read_toml(path, ReleasesError), path)


def _made(document: object, path: Path) -> ApiReleases:
    api = as_object(ApiReleases, document, path, ReleasesError, name=path.parent.name, depends=())
    return replace(api, releases=tuple(sorted(api.releases, key=version_key)))


def _index(lines: list[str], begin: int, pattern: str, path: Path) -> int:
    for index in range(begin, len(lines)):
        if re.match(pattern, lines[index]):
            return index
    raise ReleasesError(
        f"{path}: `update` adds one line for each release between a line `releases = [` and a line"
        " `]`, and finds no such lines"
    )


def _listed(line: str) -> str | None:
    match = re.match(r'\s*"([\d.]+)"', line)
    return match.group(1) if match else None
