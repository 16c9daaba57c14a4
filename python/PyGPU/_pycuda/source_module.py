"""PyGPU.SourceModule: a module that is compiled at run time, with PyCUDA's arguments."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Protocol

from PyGPU._kernels.compile import compile
from PyGPU._pycuda.module import Module


class Generated(Protocol):
    """A source that the package cgen made. str() gives its text."""

    def generate(self) -> Any: ...


class SourceModule(Module):
    """Compiles CUDA C++ (on AMD, HIP C++) for the current device, and loads it.

    The arguments are those of pycuda.compiler.SourceModule, and mean what they mean for
    `PyGPU.compiler.compile`. The whole source is put into `extern "C" { }` unless no_extern_c=True.
    The source may be an object of the package cgen, too.
    On the host runtime a kernel runs what PyGPU.host.kernel registered for its name, else its PTX.

    Raises CompileError with the compiler's log, GPUError when the code can't be loaded.
    """

    def __init__(
        self,
        source: str | bytes | Generated,
        nvcc: str = "nvcc",
        options: str | Sequence[str] | None = None,
        keep: bool = False,
        no_extern_c: bool = False,
        arch: str | None = None,
        code: str | None = None,
        cache_dir: str | os.PathLike[str] | bool | None = None,
        include_dirs: Sequence[str | os.PathLike[str]] = (),
        **more: Any,
    ) -> None:
        super().__init__(
            compile(
                source if isinstance(source, (str, bytes)) else _text(source),
                options,
                arch,
                nvcc=nvcc,
                keep=keep,
                no_extern_c=no_extern_c,
                code=code,
                cache_dir=cache_dir,
                include_dirs=include_dirs,
                **more,
            )
        )


def _text(source: Any) -> Any:
    return str(source) if hasattr(source, "generate") else source


SourceModule.__module__ = "PyGPU"
