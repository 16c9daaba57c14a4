"""What Python code knows of an API: names, places of its library, signs of its driver."""

from __future__ import annotations

from PyGPU._base import late

TYPE_CHECKING = False  # typing's own constant would cost an import of typing
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


def is_named(stem: str, name: str) -> bool:
    """Whether a file's name is a library's: the stem, perhaps a hash, then .so and a version."""
    if not name.startswith(stem):
        return False
    mark, dot, _ = name[len(stem) :].partition(".so")
    hashed = len(mark) > 6 and mark[0] == "-" and not mark[1:].strip("0123456789abcdef")
    return bool(dot) and (not mark or hashed)


class Library:
    """The names of a library's files, and the places where they may lie.

    `variable` is the environment variable that names a file. `homes` are variables that name an
    installation. `usual` are folders where an installation may be. `folders` are the folders of an
    installation that hold libraries. `packages` maps folders below site-packages to the names of
    packages. `wheels` maps a major to its package, if each major has its own. A `*` ends a step of
    a path and stands for the rest of that step. `beside` are the stems of libraries in the same
    folder that the library opens by name. `within` are the stems of other libraries that export
    the library's functions, too.
    """

    __slots__ = (
        "beside",
        "folders",
        "homes",
        "packages",
        "stem",
        "usual",
        "variable",
        "wheels",
        "within",
    )

    def __init__(
        self,
        stem: str,
        variable: str,
        homes: Sequence[str],
        usual: Sequence[str],
        folders: Sequence[str],
        packages: Mapping[str, str],
        wheels: Mapping[int, str],
        beside: Sequence[str] = (),
        within: Sequence[str] = (),
    ) -> None:
        self.stem = stem
        self.variable = variable
        self.homes = homes
        self.usual = usual
        self.folders = folders
        self.packages = packages
        self.wheels = wheels
        self.beside = beside
        self.within = within

    @property
    def stems(self) -> tuple[str, ...]:
        """Its own stem, and the stems of `within`."""
        return (self.stem, *self.within)

    def is_own(self, path: str) -> bool:
        """Whether a file is the library itself, by its name."""
        return is_named(self.stem, path.rpartition("/")[2])

    def matches(self, name: str) -> bool:
        """Whether a file of this name may be the library; wheels may add a hash to the stem.

        Another library's name may start with the same stem: libnvrtc-builtins.so.13.0.
        """
        return any(is_named(stem, name) for stem in self.stems)

    def wheel(self, package: str, major: int | None) -> str:
        """The package's name for a major."""
        return self.wheels.get(major or 0, package) if package in self.wheels.values() else package


class Driver:
    """The driver's library and its device nodes.

    `nodes` are alternatives: all paths of one alternative must exist. `version` is the library's
    function that gives its version, None where it has none. `folders` are folders besides the
    usual ones where the library may lie. `log` says how its log is read: the functions for the
    newest place, for the text, and for the capture mode, the number of the relaxed mode, and how
    many bytes there may be.
    """

    __slots__ = ("folders", "library", "log", "nodes", "pci_vendor", "version")

    def __init__(
        self,
        library: str,
        nodes: Sequence[Sequence[str]],
        pci_vendor: str,
        version: str | None,
        folders: Sequence[str],
        log: tuple[str, str, str, int, int] | None = None,
    ) -> None:
        self.library = library
        self.log = log
        self.nodes = nodes
        self.pci_vendor = pci_vendor
        self.version = version
        self.folders = folders


class Kernels:
    """How code is compiled, loaded and launched for a runtime.

    `compiler` is the API that compiles. A device's architecture is the numbers of
    `architecture_attributes` in a row, or in `architecture_field` of its properties. `api` has the
    functions that the others name; "" is none. `loads_logs`: loading gives the compiler's log.
    """

    __slots__ = (
        "api",
        "architecture_attributes",
        "architecture_field",
        "compiler",
        "current_device",
        "is_capturing",
        "launch",
        "launch_clusters",
        "launch_cooperative",
        "loads_logs",
        "unload",
        "unload_library",
    )

    def __init__(
        self,
        compiler: str,
        architecture_attributes: Sequence[str],
        architecture_field: str,
        api: str,
        launch: str,
        launch_cooperative: str,
        launch_clusters: str,
        current_device: str,
        is_capturing: str,
        unload: str,
        unload_library: str,
        loads_logs: bool,
    ) -> None:
        self.compiler = compiler
        self.architecture_attributes = architecture_attributes
        self.architecture_field = architecture_field
        self.api = api
        self.launch = launch
        self.launch_cooperative = launch_cooperative
        self.launch_clusters = launch_clusters
        self.current_device = current_device
        self.is_capturing = is_capturing
        self.unload = unload
        self.unload_library = unload_library
        self.loads_logs = loads_logs


class Api:
    """One API of this build, as its manifest says.

    `version` is what a major and a minor count in the runtime's version number. `kernels` is None
    for an API that serves none.
    `portable_names` are prefixes: the API's names that start so are names of PyGPU, too, although
    the API is no runtime. `stands_for` are APIs of another vendor; this API serves their names,
    those of `formulas` also by the functions of a module such as PyGPU._amdsmi_as_nvml.
    `package` is the package that holds its extension module `module`. `extra` is what
    `pip install PyGPU[extra]` names to get the module; "" if PyGPU's own wheel has it.
    """

    __slots__ = (
        "capabilities",
        "codes",
        "driver",
        "extra",
        "formulas",
        "kernels",
        "label",
        "library",
        "module",
        "namespace",
        "package",
        "portable_names",
        "stands_for",
        "vendor",
        "version",
    )

    def __init__(
        self,
        namespace: str,
        module: str,
        label: str,
        vendor: str,
        capabilities: Sequence[str],
        codes: Mapping[str, int],
        library: Library,
        driver: Driver | None,
        portable_names: Sequence[str] = (),
        stands_for: Sequence[str] = (),
        formulas: Sequence[str] = (),
        version: Sequence[int] = (1, 1),
        kernels: Kernels | None = None,
        package: str = "PyGPU",
        extra: str = "",
    ) -> None:
        self.namespace = namespace
        self.module = module
        self.label = label
        self.vendor = vendor
        self.capabilities = capabilities
        self.codes = codes
        self.library = library
        self.driver = driver
        self.portable_names = portable_names
        self.stands_for = stands_for
        self.formulas = formulas
        self.version = version
        self.kernels = kernels
        self.package = package
        self.extra = extra

    @property
    def majors(self) -> tuple[int, ...]:
        """The majors of the listed releases, the oldest first."""
        return tuple(self.extension().majors(self.namespace))

    @property
    def is_installed(self) -> bool:
        """Whether its module is here: an extra's may not be."""
        if not self.extra:
            return True
        from importlib.util import find_spec

        return find_spec(f"{self.package}.{self.module}") is not None

    @property
    def is_whole(self) -> bool:
        """Whether its module can be imported; an extra's may be of another PyGPU or Python."""
        try:
            self.extension()
        except ImportError:
            if not self.extra:
                raise
            return False
        return True

    def extension(self) -> Any:
        """The extension module that holds the API; imports it."""
        return late.imported(f"{self.package}.{self.module}")
