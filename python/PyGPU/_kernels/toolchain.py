"""The two run-time compilers as one: NVRTC and hipRTC differ in names and a few steps."""

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
    """NVRTC, as it is found for CUDA and for the host runtime."""

    api = "nvrtc"
    suffix = ".cu"
    pre_include = "--pre-include="
    environment: tuple[str, ...] = ()  # variables that change what it makes

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
        major, minor = self.call("Version")
        return f"{APIS[self.api].label} {major}.{minor}"

    def call(self, name: str, *arguments: object) -> Any:
        """A function of the API by its name without the prefix; raises GPUError."""
        return getattr(self.module.checked, self.api + name)(*arguments)

    @property
    def module(self) -> Any:
        """The API's module."""
        import importlib

        return importlib.import_module(f"PyGPU.{self.api}")

    def current(self) -> str | None:
        """The architecture of the current device; None without one."""
        return targets.current_cuda()

    def target(self, asked: str | None, kind: str | None) -> Target:
        """What is made for the architecture that is asked for."""
        return targets.cuda_target(asked, kind, self.call("GetSupportedArchs"))

    def own_options(self, target: Target, from_user: Sequence[str]) -> list[str]:
        """The options for the target, and for C++17 where the compiler's default is older."""
        options = [f"--gpu-architecture={target.arch}"] + ["-dlto"] * (target.kind == "ltoir")
        named = any(one.startswith(("-std", "--std")) for one in from_user)
        return options if named or self.major() >= 12 else [*options, "--std=c++17"]

    def folders(self, library: str) -> list[str]:
        """The folders of the vendor's headers."""
        return headers.folders_of_cuda(library, self.major())

    def major(self) -> int:
        """The release's major, by the library's SONAME where it has one."""
        return major_of(self._file()[1]) or int(self.call("Version")[0])

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
        program = self.call(
            "CreateProgram", source, name, len(included), list(included.values()), list(included)
        )
        try:
            for expression in expressions:
                self.call("AddNameExpression", program, expression)
            status = getattr(self.module, self.api + "CompileProgram")(
                program, len(options), list(options)
            )
            codes = APIS[self.api].codes
            if status in (codes["no_library"], codes["no_symbol"]):
                raise gpu_error(status, (), self.api + "CompileProgram", self.api)
            log = self.call("GetProgramLog", program)
            if status:
                return Output(status, log)
            names = {one: self.call("GetLoweredName", program, one) for one in expressions}
            return Output(status, log, *self.results(program, kind), names)
        finally:
            with suppress(GPUError):
                self.call("DestroyProgram", program)

    def results(
        self, program: object, kind: str
    ) -> tuple[bytes, Mapping[str, tuple[Parameter, ...]]]:
        """The code, and the parameters of its kernels, by the PTX that a cubin is made of."""
        if kind == "ltoir":
            return self.call("GetLTOIR", program), {}
        ptx = self.call("GetPTX", program)
        image = ptx if kind == "ptx" else self.call("GetCUBIN", program)
        return image, parameters.of_ptx(ptx)


class HipToolchain(Toolchain):
    """hipRTC."""

    api = "hiprtc"
    pre_include = "-include"
    suffix = ".hip"
    environment = ("HIPRTC_COMPILE_OPTIONS_APPEND", "HIPRTC_COMPILE_OPTIONS_PREPEND")

    def current(self) -> str | None:
        return targets.current_hip()

    def target(self, asked: str | None, kind: str | None) -> Target:
        return targets.hip_target(asked, kind)

    def own_options(self, target: Target, from_user: Sequence[str]) -> list[str]:
        return [f"--offload-arch={target.arch}"]

    def folders(self, library: str) -> list[str]:
        return headers.folders_of_hip(library)

    def results(
        self, program: object, kind: str
    ) -> tuple[bytes, Mapping[str, tuple[Parameter, ...]]]:
        code = self.call("GetCode", program)
        return code, hsaco.parameters(code)


TOOLCHAINS = {one.api: one for one in (Toolchain, HipToolchain)}
