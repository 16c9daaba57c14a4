"""Kernels from sources that PyGPU wrote, compiled and loaded once for each device."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from PyGPU._core import arrays
from PyGPU._errors import GPUError
from PyGPU._kernels import driver
from PyGPU._kernels.compile import compile
from PyGPU._kernels.kernel import Kernel
from PyGPU._kernels.module import KernelModule

_loaded: dict[tuple[int, tuple[str, ...], str | tuple[str, ...], str], list[Kernel]] = {}
_MOST = 4096  # sources; those that are still in use stay loaded without
_get_device: Callable[[], int] | None = None  # found once: a backend stays


def kernel(source: str, name: str, options: str | Sequence[str] | None = ()) -> Kernel:
    """The kernel of a source, on the current device. CompileError, GPUError."""
    return kernels(source, (name,), options)[0]


def kernels(
    source: str, names: Sequence[str], options: str | Sequence[str] | None = ()
) -> list[Kernel]:
    """Several kernels of one source, on the current device. CompileError, GPUError."""
    chosen = options if isinstance(options, str) else tuple(options or ())
    key = current_device(), tuple(names), chosen, source
    known = _loaded.get(key)
    if known is None or not exists(known[0]):
        with driver.context():
            module = KernelModule(compile(source, options, name=names[0]))
            known = _loaded[key] = [module[name] for name in names]
        for oldest in list(_loaded)[:-_MOST]:  # a copy: other threads change the dict meanwhile
            _loaded.pop(oldest, None)
    return known


def current_device() -> int:
    """The number of the device that calls work on. GPUError."""
    global _get_device
    if _get_device is None:
        _get_device = driver.call("cudaGetDevice")
    return _get_device()


def resident_blocks(kernel: Kernel, threads: int) -> int:
    """How many blocks of a kernel its device runs at once."""
    attribute = driver.constant("cudaDevAttrMultiProcessorCount")
    processors: int = driver.call("cudaDeviceGetAttribute")(attribute, kernel.code.device)
    return max(processors * kernel.active_blocks(threads), 1)


class Counters:
    """Numbers for a kernel's blocks to count in: 0 when a launch begins, and 0 when it ends."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: Any = None  # of the default stream, where launches follow each other

    def on(self, stream: Any, count: int) -> Any:
        """So many of them for a launch on a stream. GPUError."""
        if not arrays._is_default_stream(stream):
            return _zeros(count, stream)
        if self._kept is None:
            self._kept = _zeros(self._size, stream)
        return self._kept


def _zeros(count: int, stream: Any) -> Any:
    numbers = arrays.empty(count, np.uint32, stream=stream)  # of PyGPU's pool: freed in order
    numbers.fill(0, stream=stream)
    return numbers


class on_device:  # noqa: N801, quicker than a context manager of a generator
    """Make a device current for a with block."""

    __slots__ = ("_context", "_device")

    def __init__(self, device: int) -> None:
        self._device = device

    def __enter__(self) -> None:
        here = current_device() == self._device
        self._context = None if here else driver.context(self._device)
        if self._context:
            self._context.__enter__()

    def __exit__(self, *exception: Any) -> None:
        if self._context:
            self._context.__exit__(*exception)


def exists(kernel: Kernel) -> bool:
    """False after a reset of the device, or in a child process."""
    try:
        int(kernel)
    except GPUError:
        return False
    return True
