"""PyCUDA's modules that are linked of several parts, as kernels that launch kernels need it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from PyGPU import _backend
from PyGPU._kernels import driver, driver_linker
from PyGPU._kernels.compile import compile
from PyGPU._kernels.toolchain import Toolchain
from PyGPU._pycuda.constants import jit_input_type
from PyGPU._pycuda.module import Module


class DynamicModule:
    """Code of several sources, files and libraries, which the driver's linker joins.

    The arguments of sources are those of SourceModule; `nvcc` and `keep` accept only their
    defaults. `message_handler` is called as (worked, info, error) with the linker's logs, after it.
    `link_options` are pairs of jit_option and int. After link() it has the module's functions.

    On the host runtime PTX is linked.
    """

    def __init__(
        self,
        nvcc: str = "nvcc",
        link_options: Iterable[tuple[Any, int]] | None = None,
        keep: bool = False,
        no_extern_c: bool = False,
        arch: str | None = None,
        code: str | None = None,
        cache_dir: str | os.PathLike[str] | bool | None = None,
        include_dirs: Sequence[str | os.PathLike[str]] | None = None,
        message_handler: Callable[[bool, str, str], object] | None = None,
        log_verbose: bool = False,
        cuda_libdir: str | os.PathLike[str] | None = None,
    ) -> None:
        if (api := _backend.api()).stands_for:
            text = f"{type(self).__name__}: kernels of {api.label} can't launch kernels"
            raise NotImplementedError(text)
        self._compiled: dict[str, Any] = {
            "nvcc": nvcc, "keep": keep, "no_extern_c": no_extern_c, "arch": arch, "code": code,
            "cache_dir": cache_dir, "include_dirs": include_dirs, "target": "ptx",
        }  # fmt: skip
        self._options = [*(link_options or ()), (_option("LOG_VERBOSE"), int(log_verbose))]
        self._message_handler = message_handler
        self._parts: list[driver_linker.Part] = []
        self.cuda_libdir = cuda_libdir
        self.module: Module | None = None

    def add_source(
        self, source: str | bytes, nvcc_options: Any = None, name: str = "kernel.ptx"
    ) -> DynamicModule:
        """Compile a source, and add it."""
        ptx = compile(source, nvcc_options, **self._compiled)
        return self.add_data(ptx, jit_input_type.PTX, name)

    def add_data(self, data: Any, input_type: Any, name: str = "unknown") -> DynamicModule:
        """Add a buffer with code; `input_type` is of jit_input_type."""
        self._parts.append(driver_linker.Part(input_type, bytes(data), name))
        return self

    def add_file(self, filename: str | os.PathLike[str], input_type: Any) -> DynamicModule:
        """Add a file with code."""
        self._parts.append(driver_linker.Part(input_type, os.fsdecode(filename)))
        return self

    def add_stdlib(self, libname: str) -> DynamicModule:
        """Add a library of CUDA's, like "cudadevrt". Raises OSError where it isn't found."""
        return self.add_file(self._library(f"lib{libname}.a"), jit_input_type.LIBRARY)

    def link(self) -> DynamicModule:
        """Link the parts and load the code."""
        self.module = Module(self._linked())
        return self

    def get_function(self, name: str) -> Any:
        """The kernel of that name, as Module.get_function()."""
        return self._loaded().get_function(name)

    def get_global(self, name: str) -> tuple[int, int]:
        """Address and bytes of a global variable, as Module.get_global()."""
        return self._loaded().get_global(name)

    def get_texref(self, name: str) -> Any:
        """A texture reference, as Module.get_texref()."""
        return self._loaded().get_texref(name)

    def get_surfref(self, name: str) -> Any:
        """A surface reference, as Module.get_surfref()."""
        return self._loaded().get_surfref(name)

    def _loaded(self) -> Module:
        if self.module is None:
            raise ValueError(f"{type(self).__name__}: call link() first")
        return self.module

    def _linked(self) -> bytes:
        done = driver_linker.link(self._parts, self._options)
        if self._message_handler:
            self._message_handler(not done.error, done.info_log, done.error_log)
        if done.error:
            raise done.error
        return done.code

    def _library(self, name: str) -> str:
        folders = [os.fsdecode(self.cuda_libdir)] if self.cuda_libdir else []
        if not folders:
            tools = Toolchain(_backend.kernels().compiler)
            for include in tools.folders(tools.library()):
                folders += [os.path.join(os.path.dirname(include), one) for one in ("lib64", "lib")]
        for folder in folders:
            path = os.path.join(folder, name)
            if os.path.exists(path):
                return path
        places = ", ".join(folders) or "any folder of CUDA"
        raise OSError(
            f"add_stdlib(): there is no {name} in {places}: pip install nvidia-cuda-runtime, or "
            "let cuda_libdir= name its folder"
        )


class DynamicSourceModule(DynamicModule):
    """A DynamicModule of one source, linked with CUDA's device runtime: kernels launch kernels."""

    def __init__(
        self,
        source: str | bytes,
        nvcc: str = "nvcc",
        options: Any = None,
        keep: bool = False,
        no_extern_c: bool = False,
        arch: str | None = None,
        code: str | None = None,
        cache_dir: str | os.PathLike[str] | bool | None = None,
        include_dirs: Sequence[str | os.PathLike[str]] | None = None,
        cuda_libdir: str | os.PathLike[str] | None = None,
    ) -> None:
        super().__init__(
            nvcc, None, keep, no_extern_c, arch, code, cache_dir, include_dirs,
            cuda_libdir=cuda_libdir,
        )  # fmt: skip
        own = options.split() if isinstance(options, str) else [*(options or ())]
        self.add_source(source, [*own, "-rdc=true"])
        self.add_stdlib("cudadevrt")
        self.link()


def _option(name: str) -> Any:
    return driver.constant(f"CU_JIT_{name}")
