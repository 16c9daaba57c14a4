"""api_specs/<api>/witnesses.toml: who else knows an API, and the reason for each difference."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from generator.errors import GeneratorError
from generator.releases import Package
from generator.schema import Flag, Name, Release, SchemaError, Text, least, matching, one_of
from generator.toml import load_toml
from generator.witness.readers import READERS

ASPECTS = ("absent", "unknown", "since", "parameters", "order", "type", "direction", "form")


_Version = Annotated[str, matching(r"[\d.]+", "a version")]
_Named = Annotated[str, matching(r"\w+(\.\w+)?", "a function or its parameter")]


class WitnessError(GeneratorError):
    """witnesses.toml says something wrong."""


@dataclass(frozen=True, slots=True)
class Witness:
    """A package that knows an API, and how to read it.

    `versions` maps a release to the package's version. `newer`: it is of an unlisted release, and
    counts only for functions that are the same in the newest listed release. `partial`: functions
    that it lacks may exist. `symbols`: it names what the library exports. `no_const`: its types
    lack const. `renamed` are its own names for parameters. Without a package, the files lie among
    the API's own headers of the `releases`.
    """

    name: Text
    reads: Annotated[str, one_of(*READERS)]
    files: Annotated[tuple[Text, ...], least(1)]
    versions: Mapping[Release, _Version] = field(default_factory=dict)
    packages: Mapping[Text, Package] = field(default_factory=dict)
    releases: tuple[Release, ...] = ()
    newer: Flag = False
    partial: Flag = False
    symbols: Flag = False
    no_const: Flag = False
    renamed: Mapping[Text, Name] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if bool(self.versions) == bool(self.releases) or bool(self.versions) != bool(self.packages):
            raise SchemaError(f"{self.name} has either packages with versions, or releases")
        for release in self.versions:
            if not {release.split(".")[0], "all"} & self.packages.keys():
                raise SchemaError(f"{self.name} has no package for {release}")

    def package(self, release: str) -> Package:
        """The package of a release's major, or the one for all majors."""
        major = release.split(".")[0]
        return self.packages.get(major) or self.packages["all"]


@dataclass(frozen=True, slots=True)
class Explained:
    """The reason for differences from one witness in one respect; `here` and `there` narrow it."""

    witness: Text
    tells: Annotated[str, one_of(*ASPECTS)]
    names: Annotated[tuple[_Named, ...], least(1)]
    reason: Text
    here: Text | None = None
    there: Text | None = None


@dataclass(frozen=True, slots=True)
class Witnesses:
    """One API's file. `unwitnessed` are the releases without a witness, each with the reason."""

    witnesses: tuple[Witness, ...]
    explained: tuple[Explained, ...]
    unwitnessed: Mapping[str, str]

    def wrong(self, listed: Sequence[str]) -> Iterator[str]:
        """Listed releases without a witness and a reason, and reasons that aren't needed."""
        heard = {
            release
            for one in self.witnesses
            if not one.newer
            for release in (*one.versions, *one.releases)
        }
        for release in listed:
            if release not in heard and release not in self.unwitnessed:
                yield f"no witness speaks of {release}: name its packages, or say why there is none"
        for release in self.unwitnessed:
            if release in heard or release not in listed:
                yield f"{release} needs no reason for being unwitnessed"


@dataclass(frozen=True, slots=True)
class _Unwitnessed:
    releases: Annotated[tuple[Release, ...], least(1)]
    reason: Text


@dataclass(frozen=True, slots=True)
class _File:
    witness: tuple[Witness, ...]
    difference: tuple[Explained, ...] = ()
    unwitnessed: tuple[_Unwitnessed, ...] = ()


def load(api: str, specs: Path) -> Witnesses | None:
    """An API's witnesses; None where it has no such file. WitnessError for what is wrong."""
    path = specs / api / "witnesses.toml"
    if not os.path.lexists(path):  # a link that leads nowhere is a mistake
        return None
    file = load_toml(_File, path, WitnessError)
    known = {one.name for one in file.witness}
    for difference in file.difference:
        if difference.witness not in known:
            raise WitnessError(f"{path}: no witness {difference.witness!r}")
    unwitnessed = {release: one.reason for one in file.unwitnessed for release in one.releases}
    return Witnesses(file.witness, file.difference, unwitnessed)
