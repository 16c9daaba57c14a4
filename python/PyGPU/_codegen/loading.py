"""Kernels from sources that PyGPU wrote, compiled and loaded once for each device."""

from __future__ import annotations

from collections.abc import Sequence

from PyGPU._errors import GPUError
from PyGPU._kernels import base, driver
from PyGPU._kernels.compile import compile
from PyGPU._kernels.module import KernelModule

_loaded: dict[tuple[int, str, str | tuple[str, ...], str], base.Kernel] = {}


def kernel(source: str, name: str, options: str | Sequence[str] | None = ()) -> base.Kernel:
    """The kernel of a source, on the current device. CompileError, GPUError."""
    with driver.context() as device:
        key = device, name, options if isinstance(options, str) else tuple(options or ()), source
        known = _loaded.get(key)
        if known is None or not _exists(known):
            known = _loaded[key] = KernelModule(compile(source, options, name=name))[name]
    return known


def _exists(kernel: base.Kernel) -> bool:
    """False after a reset of the device, or in a child process."""
    try:
        int(kernel)
    except GPUError:
        return False
    return True
