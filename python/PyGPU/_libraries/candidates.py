"""What a search finds and what it looks at: Candidate and Surroundings."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from . import elf

# Where a candidate was found, in the order of preference.
VARIABLE, LOADED, PIP, PREFIX, SYSTEM, HOME, USUAL = range(7)


class Candidate(NamedTuple):
    """One library that could be the runtime, and what became of it."""

    path: str
    origin: str
    place: int
    soname: str = ""
    major: int | None = None
    problem: str = ""  # why its file can't be loaded, by its header
    verdict: str = ""  # "chosen", or why not; empty until judged

    @property
    def chosen(self) -> bool:
        """Whether this is the library in use."""
        return self.verdict.startswith("chosen")


class Surroundings(NamedTuple):
    """All that a search looks at. Tests can make it up, except for the current directory.

    `root` stands before every fixed folder of the system.
    """

    environ: Mapping[str, str]
    sys_path: Sequence[str]
    loaded: Sequence[str]
    prefix: str = ""
    folders: Sequence[str] = ()  # the system loader's, besides its cache
    package: str = ""  # the folder that PyGPU was imported from
    root: str = ""


def major_of(name: str) -> int | None:
    """The major in a SONAME or a file's name: 13 of `libcudart.so.13`; None without one."""
    _, mark, version = name.rpartition(".so.")
    first = version.split(".", 1)[0]
    return int(first) if mark and first.isascii() and first.isdigit() else None


def inspect_file(path: str, origin: str, place: int) -> Candidate:
    """The candidate at `path`, by its file alone; a file that can't be loaded has a `problem`."""
    try:
        library = elf.read(path)
        problem, name = elf.misfit(library.header), library.soname
    except elf.NotLoadableError as error:
        problem, name = str(error), ""
    try:
        real = os.path.realpath(path)
    except (OSError, ValueError):  # no current directory to start from, or no path at all
        real = path
    major = major_of(name) or major_of(os.path.basename(real))
    return Candidate(path, origin, place, name, major, problem)
