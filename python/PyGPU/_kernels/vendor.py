"""What compile() has to know of a compiler: its functions, options, kinds of code, and headers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class CodeKind(NamedTuple):
    """A kind of code: "cubin", "ptx".

    `architecture` begins the names of its architectures; users ask for it by names that begin with
    `asked`, if that differs. `function` gives the code, `options` make the compiler make it.
    `kernels` is the kind that lists its kernels, "" if none does. `fixed`: no other kind may be
    made in place of it.
    """

    architecture: str
    asked: str
    function: str
    options: Sequence[str]
    kernels: str
    fixed: bool

    @property
    def prefix(self) -> str:
        """Begins the names by which users ask for it."""
        return self.asked or self.architecture


class LogOption(NamedTuple):
    """An option to try again with, if the log refuses a header whose path is the first group."""

    log: str
    option: str


class Standard(NamedTuple):
    """The option for C++17, for compilers before a major, whose default is older."""

    option: str
    until: int


class HeaderPackage(NamedTuple):
    """The packages that have some headers, by the first major; `{major}` is the compiler's."""

    headers: str
    names: Mapping[str, str]


class StandardLibrary(NamedTuple):
    """Headers that stand for those of the standard library: `instead`, which `holder` has."""

    headers: str
    instead: str
    holder: str


class HeaderVersion(NamedTuple):
    """The macro with the release of headers, which counts `major` for each major."""

    file: str
    macro: str
    major: int


class Headers(NamedTuple):
    """Where the vendor's headers are. A folder is used for `files` that no earlier folder has.

    `folders` are those of an installation, `sites` those below site-packages by the first major.
    `versioned` are files that differ between releases. `packages` have headers; so has `toolkit`.
    """

    files: Sequence[str]
    folders: Sequence[str]
    sites: Mapping[str, Sequence[str]]
    version: HeaderVersion | None
    versioned: Sequence[str]
    packages: Sequence[HeaderPackage]
    toolkit: str
    standard: StandardLibrary | None


class Random(NamedTuple):
    """The vendor's random numbers in device code: a header, and what its names begin with.

    `library` is the file with the tables of quasi-random numbers; it lies beside the header.
    """

    header: str
    prefix: str
    library: str


class Compiler(NamedTuple):
    """A compiler, as the manifest of its API says. `functions` has C's names by what they do.

    `kinds` are the kinds of code that it makes; the first one is a device's own. `portable` is the
    kind that later devices take, too. `also` are kinds of other compilers that ask for one of its
    own. `oldest`: architectures are numbers, perhaps with one of `letters`, and this is the one
    without a device; 0: they are any names, such as `example`.

    `suffix` ends names of sources; `architecture` and `pre_include` begin options. `environment`
    are variables that change the result. `tools` name themselves in logs. `is_clang`: it takes
    clang's options.
    """

    functions: Mapping[str, str]
    suffix: str
    architecture: str
    pre_include: str
    example: str
    kinds: Mapping[str, CodeKind]
    headers: Headers
    portable: str
    also: Mapping[str, str]
    oldest: int
    letters: str
    environment: Sequence[str]
    tools: Sequence[str]
    is_clang: bool
    standard: Standard | None
    retry: LogOption | None
    random: Random | None
