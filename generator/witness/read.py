"""api_specs/<api>/witnesses.toml: who else knows an API, and the reason for each difference."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from generator import document
from generator.document import DocumentError, each, items, matching, one_of, table, true
from generator.errors import GeneratorError
from generator.releases import Package
from generator.toml import read_toml
from generator.witness.readers import READERS

ASPECTS = ("absent", "unknown", "since", "parameters", "order", "type", "direction", "form")


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

    name: str
    reads: str
    files: tuple[str, ...]
    versions: Mapping[str, str]
    packages: Mapping[str, Package]
    releases: tuple[str, ...] = ()
    newer: bool = False
    partial: bool = False
    symbols: bool = False
    no_const: bool = False
    renamed: Mapping[str, str] = field(default_factory=dict)

    def package(self, release: str) -> Package:
        """The package of a release's major, or the one for all majors."""
        major = release.split(".")[0]
        return self.packages.get(major) or self.packages["all"]


@dataclass(frozen=True, slots=True)
class Explained:
    """The reason for differences from one witness in one respect; `here` and `there` narrow it."""

    witness: str
    tells: str
    names: tuple[str, ...]
    reason: str
    here: str | None = None
    there: str | None = None


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


_release = matching(r"\d+\.\d+", "a release such as 13.0")
_version = matching(r"[\d.]+", "a version")
_package = table(
    {"name": matching(r"[\w.-]+", "a package"), "include": document.text},
    {"python": matching(r"\d\.\d+", "a Python such as 3.11")},
)
_check = table(
    {
        "witness": items(
            table(
                {
                    "name": document.text,
                    "reads": one_of(*READERS),
                    "files": items(document.text, 1),
                },
                {
                    "versions": each(_version, _release),
                    "packages": each(_package),
                    "releases": items(_release),
                    "newer": true,
                    "partial": true,
                    "symbols": true,
                    "no_const": true,
                    "renamed": each(document.name),
                },
            )
        )
    },
    {
        "difference": items(
            table(
                {
                    "witness": document.text,
                    "tells": one_of(*ASPECTS),
                    "names": items(matching(r"\w+(\.\w+)?", "a function or its parameter"), 1),
                    "reason": document.text,
                },
                {"here": document.text, "there": document.text},
            )
        ),
        "unwitnessed": items(
            table({"releases": items(_release, 1), "reason": document.text}),
        ),
    },
)


def load(api: str, specs: Path) -> Witnesses | None:
    """An API's witnesses; None where it has no such file. WitnessError for what is wrong."""
    path = specs / api / "witnesses.toml"
    if not os.path.lexists(path):  # a link that leads nowhere is a mistake
        return None
    found = read_toml(path, WitnessError)
    try:
        _check(found, "")
    except DocumentError as error:
        raise WitnessError(f"{path}: {error}") from None
    witnesses = tuple(
        Witness(
            one["name"],
            one["reads"],
            tuple(one["files"]),
            one.get("versions", {}),
            {
                major: Package(given["name"], given["include"], given.get("python"))
                for major, given in one.get("packages", {}).items()
            },
            tuple(one.get("releases", ())),
            one.get("newer", False),
            one.get("partial", False),
            one.get("symbols", False),
            one.get("no_const", False),
            one.get("renamed", {}),
        )
        for one in found["witness"]
    )
    for one in witnesses:
        if bool(one.versions) == bool(one.releases) or bool(one.versions) != bool(one.packages):
            raise WitnessError(f"{path}: {one.name} has either packages with versions, or releases")
        for release in one.versions:
            if not {release.split(".")[0], "all"} & one.packages.keys():
                raise WitnessError(f"{path}: {one.name} has no package for {release}")
    known = {one.name for one in witnesses}
    explained = tuple(
        Explained(
            one["witness"],
            one["tells"],
            tuple(one["names"]),
            one["reason"],
            one.get("here"),
            one.get("there"),
        )
        for one in found.get("difference", ())
    )
    for difference in explained:
        if difference.witness not in known:
            raise WitnessError(f"{path}: no witness {difference.witness!r}")
    unwitnessed = {
        release: one["reason"]
        for one in found.get("unwitnessed", ())
        for release in one["releases"]
    }
    return Witnesses(witnesses, explained, unwitnessed)
