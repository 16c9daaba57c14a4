"""api_specs/<api>/api.toml: what an API is called, and what PyGPU has to know of it while it runs.

`namespace` is the Python module below PyGPU. With `own_package` it is a package of that name
instead; bindings of a user's own header are such a package. With `extra` the module is no part of
PyGPU's own wheel: packages/pygpu-<extra>/ builds it, and `pip install PyGPU[<extra>]` brings it.
`label` and `vendor` are for people.
`capabilities` are "portable" (the portable names work on it), "arrays" (device arrays use it),
"host" (the host runtime has it) and "host_library" (it has it as a library of its own).
`stands_for` are folders of another vendor's APIs: this API's functions have their names, too. The
folder of the runtime comes first. `portable_names` are prefixes: names of an API that begin so are
names of PyGPU, too, although the API is no runtime.
`manual` is the address of the vendor's manual, and `manual_page` that of a function there, with
"{function}", "{GROUP}" (MEMORY__POOLS) and "{groupName}" (memoryPools) for the header's group of
functions, or what `manual_groups` says for it; without it the manual is one page. `depends` are
the APIs whose types this one uses, each with the release whose headers it is compiled with. The
handles, structs and enums of these APIs are the classes of their modules, but for `own_types`:
their headers declare these, but their modules have none, as none of their functions takes one.

`[status]` names C's type of statuses (an enum, a plain integer, or a struct of two enums; without
it no function returns a status), the Python class, what is success besides 0, and the codes that
PyGPU gives itself or acts on. A code is an enumerator, or a number without a name in C. Every API
needs two codes, for a missing function and a missing library. If C has neither, they are numbers
that C doesn't use, and are named PYGPU_ERROR_….

`[handles]` says which handles are streams, events, kernels and nodes of graphs. Some handles also
take structs of another API's handles that mean the same: it lists these by their tags. `[ends]`
says which functions end all that lives on the "current device" or on a "named device" (their
argument), and which end the "code" that their argument, a pointer, holds. `[roles]` names the
functions, types and values that PyGPU's own code uses, `[structs]` the paths of the fields that it
sets or reads, each by its meaning; a further vendor's API has those of the first API that it stands
for, under its own names, and lists only the others. `[library]`, `[release]` and `[driver]` say how
the library, its release and the kernel's side are found. A runtime that serves arrays has
`[arrays]`, and `[kernels]` if kernels can be launched on it. An API that compiles these has
`[compiler]`. `[doctor]` has what `python -m PyGPU` says if something is missing.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

from generator.errors import GeneratorError
from generator.schema import Check, Flag, Name, Pattern, SchemaError, matching, one_of
from generator.specs import folder
from generator.toml import as_object, read_toml

ENDS = ("current device", "named device", "code")
CAPABILITIES = ("portable", "arrays", "host", "host_library")
# Each with its name, for an API that has no such code: PyGPU then gives a number of its own.
OWN_CODES = {
    "no_symbol": "PYGPU_ERROR_SYMBOL_NOT_FOUND",
    "no_library": "PYGPU_ERROR_LIBRARY_NOT_FOUND",
}
# PyGPU's own status is stored in place of an entry point's address: no function lies on the first
# page.
LARGEST_OWN_CODE = 4095
OWN_NUMBERS = {"no_symbol": 4094, "no_library": 4095}  # where the manifest gives none
# Structs that a handle takes besides its own: Pointed of handle_class.hpp has as many.
MOST_TAKEN = 2
_FEW = Check(f"a list of at most {MOST_TAKEN} tags", lambda tags: len(tags) <= MOST_TAKEN)
_Path = Annotated[
    str, matching(r"[A-Za-z_]\w*(\.\w+)*", "a field, or its path from struct to struct")
]
_PAIR = Check("a list of two numbers", lambda pair: len(pair) == 2)
GIVES = ("outputs", "number", "text")
CODES = (
    "invalid_value",
    "out_of_memory",
    "invalid_device",
    "no_symbol",
    "no_library",
    "invalid_handle",
    "not_ready",
    "context_is_destroyed",
    "no_context",
    "capture_unsupported",
    "not_permitted",
    "not_supported",
    "no_kernel_image",
)
OF_DEVICES = ("no_device", "old_driver")  # only Python code asks for these


class ManifestError(GeneratorError):
    """An api.toml says something wrong, or lacks what is needed."""


@dataclass(frozen=True, slots=True)
class Status:
    """C's type of statuses, the Python class, the function that gives a text, and known codes.

    Where `type` is a plain integer, `names` is a pattern for the macros and enumerators that are
    codes. `success` are the codes besides 0 after which a call has done what it should. Where
    `type` is a struct of two codes, the first one is the status, and the second one says more
    beside the code `detailed`.
    """

    class_: str
    type: str | None = None
    text: str | None = None
    names: Pattern | None = None
    success: tuple[str | int, ...] = ()
    detailed: str | None = None
    codes: Mapping[Annotated[str, one_of(*CODES, *OF_DEVICES)], str | int] = field(
        default_factory=dict
    )


@dataclass(frozen=True, slots=True)
class Handles:
    """The handles that mean something to PyGPU, by the names of their typedefs."""

    stream: str | None = None
    event: str | None = None
    node: str | None = None
    kernels: tuple[str, ...] = ()
    take: Mapping[str, Annotated[tuple[str, ...], _FEW]] = field(default_factory=dict)

    def role(self, name: str) -> str | None:
        """What a handle is: "stream", "event", "node", "kernel", or None for all others."""
        if name in self.kernels:
            return "kernel"
        return {self.stream: "stream", self.event: "event", self.node: "node"}.get(name)


NO_HANDLES = Handles()


@dataclass(frozen=True, slots=True)
class Library:
    """The names of a library's files, and the places where they may lie.

    `homes` are environment variables that name an installation. `usual` are folders where an
    installation may be. `folders` are the folders of an installation that hold libraries.
    `packages` maps folders below site-packages to the names of packages. A `*` stands for the rest
    of one step of a path. `beside` are the stems of libraries that the library opens by name, and
    that may lie nowhere but beside it. `within` are the stems of other libraries that export its
    functions, too; they serve if the library itself is nowhere.
    """

    stem: str
    variable: str
    homes: tuple[str, ...] = ()
    usual: tuple[str, ...] = ()
    folders: tuple[str, ...] = ("lib",)
    packages: Mapping[str, str] = field(default_factory=dict)
    beside: tuple[str, ...] = ()
    within: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReleaseCall:
    """How the library reports its release: by a call, major * `major` + minor * `minor`.

    The call writes that number through a pointer, and returns a status. Without `major` and `minor`
    it writes two numbers. `gives` says if it returns the release instead: as the "number", or as a
    "text" that begins with major.minor. From major `constant_from` on, the call needs no driver.
    `exports` are releases that are known by their exported functions, if nothing else shows
    them, and `otherwise` is the release of a library that doesn't report it at all. With `unnamed`
    the numbers of the file's name are no release: OpenCL's loader is libOpenCL.so.1.
    """

    call: str = ""
    major: int = 0
    minor: int = 0
    constant_from: int = 0
    gives: Annotated[str, one_of(*GIVES)] = "outputs"
    exports: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    otherwise: str = ""
    unnamed: Flag = False

    def __post_init__(self) -> None:
        if self.gives == "number" and not self.major:
            raise SchemaError('gives = "number" needs major and minor')
        if not (self.call or self.otherwise):
            raise SchemaError("it needs call or otherwise")


@dataclass(frozen=True, slots=True)
class Driver:
    """The kernel's side: the driver's library, and device nodes that show that it is there.

    `nodes` are alternatives, each a list of paths that must all exist. `folders` are folders where
    the library may lie, besides the usual ones. `log_bytes` is the size of its log.
    """

    library: str
    nodes: tuple[tuple[str, ...], ...]
    pci_vendor: str
    version: str | None = None
    folders: tuple[str, ...] = ()
    log_bytes: int = 0


_Decimal = Annotated[str, matching(r"\d+", "a number as text")]
DLPACK = ("device", "pinned", "managed")


def _need(key: str, table: Mapping[str, object], *needed: str) -> None:
    if missing := [one for one in needed if one not in table]:
        raise SchemaError(f"{key}: {missing[0]!r} is missing")


@dataclass(frozen=True, slots=True)
class Arrays:
    """What arrays and kernels on this runtime show other packages.

    `dlpack` are DLPack's numbers for memory of a "device", "pinned" and "managed" memory; memory
    without a number counts as the device's. `default_streams` are the numbers by which the exchange
    protocols call the default streams: the legacy one and the thread's own, or 0 if there is one.
    `kernel` is the tag of the struct that a kernel's handle points to. `rows_need_peers`: between
    two devices, rectangles are copied only if they are peers. `version` are what the runtime's
    version number counts for a major and a minor.
    """

    dlpack: Mapping[Annotated[str, one_of(*DLPACK)], int]
    default_streams: Annotated[tuple[int, ...], one_of([0], [1, 2])]
    kernel: str
    version: Annotated[tuple[int, ...], _PAIR]
    rows_need_peers: bool = False

    def __post_init__(self) -> None:
        _need("dlpack", self.dlpack, "device", "pinned")


@dataclass(frozen=True, slots=True)
class Kernels:
    """How code is compiled, loaded and launched for this runtime.

    `compiler` is the namespace of the API that compiles. A device's architecture is the numbers of
    some attributes in a row, or the name in a field of its properties; both go by CUDA's functions.
    `api` is the namespace of the API whose functions the others are: they are called without
    Python, by their addresses. An empty name stands for a function that there is no use for;
    without `api`, code is only compiled. `loads_logs`: loading gives the compiler's log.
    """

    compiler: str
    architecture_attributes: tuple[str, ...] = ()
    architecture_field: str = ""
    api: str = ""
    load: str = ""
    get_function: str = ""
    record_event: str = ""
    launch_graph: str = ""
    current_context: str = ""
    retain_primary: str = ""
    release_primary: str = ""
    launch: str = ""
    launch_cooperative: str = ""
    current_device: str = ""
    is_capturing: str = ""
    unload: str = ""
    launch_clusters: str = ""
    unload_library: str = ""
    loads_logs: bool = True


@dataclass(frozen=True, slots=True)
class CodeKind:
    """A kind of code that a compiler makes: "cubin", "ptx".

    `architecture` begins the names of its architectures, `asked` those by which users ask for it,
    if they differ. `function` gives the code, `options` make the compiler make it. `kernels` is
    the kind that lists its kernels. `fixed`: no other kind may be made in place of it.
    """

    architecture: str
    function: Name
    asked: str = ""
    options: tuple[str, ...] = ()
    kernels: str = ""
    fixed: Flag = False


@dataclass(frozen=True, slots=True)
class LogOption:
    """An option to try again with, if the log has this of a vendor's header, whose path is \\1."""

    log: Pattern
    option: str


@dataclass(frozen=True, slots=True)
class Standard:
    """The option for C++17, for compilers whose default is older: those before a major."""

    option: str
    until: int


@dataclass(frozen=True, slots=True)
class HeaderPackage:
    """The packages that have some headers, by the first major; `{major}` is the compiler's."""

    headers: Pattern
    names: Mapping[_Decimal, str]


@dataclass(frozen=True, slots=True)
class StandardLibrary:
    """Headers that stand for those of the standard library: `instead`, which has `{name}`."""

    headers: Pattern
    instead: str
    holder: str


@dataclass(frozen=True, slots=True)
class HeaderVersion:
    """The macro with the release of headers, which counts `major` for each major."""

    file: str
    macro: str
    major: int


@dataclass(frozen=True, slots=True)
class Headers:
    """Where a compiler's vendor has headers. A folder is used for `files` that no earlier one has.

    `folders` are those of an installation. `sites` are those below site-packages, by the first
    major. `versioned` are files that differ between releases. `packages` have headers, and so has
    the `toolkit`.
    """

    files: tuple[str, ...]
    folders: tuple[str, ...] = ("include",)
    sites: Mapping[_Decimal, tuple[str, ...]] = field(default_factory=dict)
    version: HeaderVersion | None = None
    versioned: tuple[str, ...] = ()
    packages: tuple[HeaderPackage, ...] = ()
    toolkit: str = ""
    standard: StandardLibrary | None = None


@dataclass(frozen=True, slots=True)
class Random:
    """The vendor's random numbers in device code: a header, and what its names begin with.

    `library` is the file with the tables of quasi-random numbers; it lies beside the header.
    """

    header: str
    prefix: str
    library: str


@dataclass(frozen=True, slots=True)
class Compiler:
    """How PyGPU.compiler uses a compiler; [roles] names its functions.

    `kinds` are the kinds of code that it makes; the first one is a device's own. `portable` is the
    kind that later devices take, too. `also` are kinds of other compilers that ask for one of its
    own. `oldest`: architectures are numbers, perhaps with one of `letters`, and this is the one
    without a device; else they are any names, such as `example`.

    `suffix` ends names of sources, `architecture` and `pre_include` begin options. `environment`
    are variables that change the result. `tools` name themselves in logs. `is_clang`: it takes
    clang's options.
    """

    suffix: str
    architecture: str
    pre_include: str
    example: str
    kinds: Mapping[str, CodeKind]
    headers: Headers
    portable: str = ""
    also: Mapping[str, str] = field(default_factory=dict)
    oldest: int = 0
    letters: str = ""
    environment: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    is_clang: Flag = False
    standard: Standard | None = None
    retry: LogOption | None = None
    random: Random | None = None

    def __post_init__(self) -> None:
        named = [*self.also.values(), *(one.kernels for one in self.kinds.values() if one.kernels)]
        named += [self.portable] if self.oldest or self.portable else []
        if unknown := [one for one in named if one not in self.kinds]:
            raise SchemaError(f"kinds: {unknown[0]!r} is missing")


REMEDIES = ("closed", "install", "library", "other")
# If the driver's library reports its version: it may be there without nodes, or nodes without it.
OF_DRIVERS_LIBRARY = ("driver_library", "driver_library_in_container", "node")


@dataclass(frozen=True, slots=True)
class Doctor:
    """What `python -m PyGPU` looks at, and what it says to do; PyGPU/doctor/vendor.py has each key.

    `errors` and `first_drivers` are by numbers. `containers` are by kinds, with "other".
    """

    kernel_module: str
    remedies: Mapping[Annotated[str, one_of(*REMEDIES, *OF_DRIVERS_LIBRARY)], str]
    containers: Mapping[str, str]
    errors: Mapping[_Decimal, str] = field(default_factory=dict)
    variables: tuple[str, ...] = ()
    attributes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    kernel_version: str = ""
    first_drivers: Mapping[_Decimal, str] = field(default_factory=dict)
    note: str = ""

    def __post_init__(self) -> None:
        _need("remedies", self.remedies, *REMEDIES)
        _need("containers", self.containers, "other")


@dataclass(frozen=True, slots=True)
class Manifest:
    """One API's api.toml."""

    namespace: str
    label: str
    vendor: str
    summary: str
    status: Status
    library: Library
    capabilities: tuple[Annotated[str, one_of(*CAPABILITIES)], ...] = ()
    depends: Mapping[str, str] = field(default_factory=dict)
    own_types: tuple[Name, ...] = ()
    handles: Handles = NO_HANDLES
    ends: Mapping[str, Annotated[str, one_of(*ENDS)]] = field(default_factory=dict)
    roles: Mapping[Name, Name] = field(default_factory=dict)
    structs: Mapping[Name, Mapping[Name, _Path]] = field(default_factory=dict)
    release: ReleaseCall | None = None
    driver: Driver | None = None
    arrays: Arrays | None = None
    kernels: Kernels | None = None
    compiler: Compiler | None = None
    doctor: Doctor | None = None
    stands_for: tuple[str, ...] = ()
    portable_names: tuple[str, ...] = ()
    manual: str | None = None
    manual_page: str | None = None
    manual_groups: Mapping[str, str] = field(default_factory=dict)
    own_package: bool = False
    extra: Annotated[str, matching(r"[a-z]*", "a name in lower case")] = ""

    def __post_init__(self) -> None:
        if self.in_core and not self.arrays:
            raise SchemaError("capabilities: 'arrays' needs [arrays]")
        if "portable" in self.capabilities and not self.doctor:
            raise SchemaError("capabilities: 'portable' needs [doctor]")
        if self.own_package and self.capabilities:
            raise SchemaError("own_package: only PyGPU's own modules have capabilities")
        if self.extra and (self.own_package or {*self.capabilities} - {"host_library"}):
            raise SchemaError("extra: only further modules of PyGPU come by an extra")
        if self.doctor and self.driver and self.driver.version:
            _need("doctor.remedies", self.doctor.remedies, *OF_DRIVERS_LIBRARY)
        if self.in_core:
            _need("status.codes", self.status.codes, *CODES, "no_device")

    @property
    def imported_as(self) -> str:
        """What Python imports the API as."""
        return self.namespace if self.own_package else f"PyGPU.{self.namespace}"

    @property
    def home(self) -> str:
        """The folder of the repository with the API's generated files: "", or a package's."""
        return f"packages/pygpu-{self.extra}/" if self.extra else ""

    @property
    def in_core(self) -> bool:
        """Whether PyGPU._core holds the API: arrays use the APIs in it."""
        return "arrays" in self.capabilities


def load(api: str, specs: Path) -> Manifest:
    """The manifest of an API. ManifestError, with the file and the key, for what is wrong."""
    path = folder(specs, api) / "api.toml"
    table = read_toml(path, ManifestError)
    table = {"status": {"class": f"{table.get('namespace', api)}Status"}, **table}
    loaded = as_object(Manifest, table, path, ManifestError)
    for other in loaded.depends:
        if not os.path.lexists(folder(specs, other) / "api.toml"):
            raise ManifestError(f"{path}: depends: there is no API {other!r}")
    codes = loaded.status.codes
    own = {one: number for one, number in OWN_NUMBERS.items() if one not in codes}
    return replace(loaded, status=replace(loaded.status, codes={**codes, **own}))


def least(api: str) -> tuple[str, ...]:
    """The lines that an api.toml can't do without."""
    return (
        f'namespace = "{api}"',
        f'label = "{api}"',
        'vendor = "its maker"',
        f'summary = "{api} under its own names."',
        f'library = {{ stem = "lib{api}", variable = "PYGPU_{api.upper()}_LIBRARY" }}',
    )


def names(specs: Path) -> tuple[str, ...]:
    """The APIs, by the names of their folders, sorted. load() complains of a missing file."""
    return tuple(sorted({path.parent.name for path in specs.glob("*/*.toml")}))
