"""The run-time compilers as one: they differ in names, options and kinds of code."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from PyGPU import _libraries
from PyGPU._apis import APIS
from PyGPU._errors import GPUError, gpu_error
from PyGPU._kernels import headers, hsaco, parameters, targets
from PyGPU._kernels._vendors import COMPILERS
from PyGPU._kernels.parameters import Parameter
from PyGPU._kernels.targets import Target
from PyGPU._libraries.candidates import major_of

# The library that a search would open, by API, with the surroundings that the answer holds for.
_surveyed: dict[str, tuple[object, tuple[str, str]]] = {}


class Output(NamedTuple):
    """The result of a program. `status` is the compiler's."""

    status: Any
    log: str
    image: bytes = b""
    kernels: Mapping[str, tuple[Parameter, ...]] = {}
    names: Mapping[str, str] = {}


class Toolchain:
    """A compiler, by the namespace of its API."""

    def __init__(self, api: str) -> None:
        self.api = api
        self.known = COMPILERS[api]
        self.label = APIS[api].label

    def library(self) -> str:
        """The path of its library, in use or to be opened; "" where only the loader knows it."""
        path = self._file()[0]
        return os.path.realpath(path) if path else ""  # a search may find a link to it

    def _file(self) -> tuple[str, str]:
        """Path and SONAME of its library."""
        if facts := _libraries.installed(self.api):
            return str(facts["path"]), str(facts["soname"])
        around = os.environ.get(APIS[self.api].library.variable), tuple(sys.path)
        if (known := _surveyed.get(self.api)) and known[0] == around:
            return known[1]
        chosen = next((one for one in _libraries.survey(self.api) if one.chosen), None)
        names = (chosen.path, chosen.soname) if chosen else ("", "")
        _surveyed[self.api] = around, names
        return names

    def identity(self, library: str) -> tuple[object, ...]:
        """What tells one release of the compiler from another, without opening it."""
        try:
            status = os.stat(library)
        except OSError:
            return (self.release(),)
        return library, status.st_size, status.st_mtime_ns

    def release(self) -> str:
        """Its name and version; opens it, and raises GPUError without a library."""
        major, minor = self.call("version")
        return f"{self.label} {major}.{minor}"

    def call(self, role: str, *arguments: object) -> Any:
        """The function of the API that plays a role; raises GPUError."""
        return getattr(self.module.checked, self.known.functions[role])(*arguments)

    @property
    def module(self) -> Any:
        """The API's module."""
        import importlib

        return importlib.import_module(f"PyGPU.{self.api}")

    def current(self) -> str | None:
        """The architecture of the current device; None without one."""
        return targets.current(self.known)

    def target(self, asked: str | None, kind: str | None) -> Target:
        """What is made for the architecture that is asked for."""
        supported = self.call("supported_architectures") if self.known.oldest else ()
        return targets.target(self.known, self.label, asked, kind, supported)

    def own_options(self, target: Target, from_user: Sequence[str]) -> list[str]:
        """The options for the target, and for C++17 where the compiler's default is older."""
        kind, standard = self.known.kinds[target.kind], self.known.standard
        options = [self.known.architecture + target.arch, *kind.options]
        if standard is None or any(one.startswith(("-std", "--std")) for one in from_user):
            return options
        return options if self.major() >= standard.until else [*options, standard.option]

    def folders(self, library: str) -> list[str]:
        """The folders of the vendor's headers."""
        return headers.folders(self.api, library, self.major())

    def major(self) -> int:
        """The release's major, by the library's SONAME where it has one."""
        return major_of(self._file()[1]) or int(self.call("version")[0])

    def compile(
        self,
        source: bytes,
        name: str,
        options: Sequence[str],
        included: Mapping[str, bytes],
        expressions: Sequence[str],
        kind: str,
    ) -> Output:
        """Compile a program. Its failure is a status; GPUError where none can be made at all."""
        texts, names = list(included.values()), list(included)
        program = self.call("program_create", source, name, len(included), texts, names)
        try:
            for expression in expressions:
                self.call("program_name", program, expression)
            compile_ = self.known.functions["program_compile"]
            status = getattr(self.module, compile_)(program, len(options), list(options))
            codes = APIS[self.api].codes
            if status in (codes["no_library"], codes["no_symbol"]):
                raise gpu_error(status, (), compile_, self.api)
            log = self.call("program_log", program)
            if status:
                return Output(status, log)
            lowered = {one: self.call("program_lowered_name", program, one) for one in expressions}
            code, listed = self._code(program, kind), self.known.kinds[kind].kernels
            listing = code if listed in (kind, "") else self._code(program, listed)
            kernels = _KERNELS[listed](listing) if listed in _KERNELS else {}
            return Output(status, log, code, kernels, lowered)
        finally:
            with suppress(GPUError):
                self.call("program_destroy", program)

    def _code(self, program: object, kind: str) -> bytes:
        code: bytes = getattr(self.module.checked, self.known.kinds[kind].function)(program)
        return code


# What lists kernels with their parameters, by kinds of code.
_KERNELS = {"ptx": parameters.of_ptx, "hsaco": hsaco.parameters}
