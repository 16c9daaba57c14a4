"""Rows of benchmarks/arrays.py: copies from one device to another, beside the runtime's own calls.

Each call is waited for on both devices. "raw" is cudaMemcpyPeerAsync between memory of
cudaMalloc's, or one 3-D peer copy for rows, with access enabled both ways; every second column has
none. The target is for 16 MiB and more: below, the wait of one device for the other shows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import PyGPU

MIB = 1 << 20
SHARE = 0.95  # of the raw copy's speed
Index = tuple[slice, slice]
WHOLE: Index = (slice(None), slice(None))


class TooFewDevicesError(Exception):
    """There is no second device."""

    def __str__(self) -> str:
        return "needs two GPUs"


def need_two() -> None:
    if PyGPU.checked.cudaGetDeviceCount() < 2:
        raise TooFewDevicesError


def wait_for_both() -> None:
    for device in (1, 0):
        PyGPU.checked.cudaSetDevice(device)
        PyGPU.checked.cudaDeviceSynchronize()


def by_pygpu(shape: tuple[int, int], index: Index) -> Callable[[Any], Callable[[], object]]:
    def make(module: Any) -> Callable[[], object]:
        need_two()
        with module.device(1):
            to = module.zeros(shape, np.float32)
        source = module.zeros(shape, np.float32)

        def copy() -> None:
            to[index] = source[index]
            wait_for_both()

        return copy

    return make


def by_cupy(shape: tuple[int, int], index: Index) -> Callable[[Any], Callable[[], object]]:
    def make(module: Any) -> Callable[[], object]:
        need_two()
        with module.cuda.Device(0):
            source = module.zeros(shape, module.float32)
        with module.cuda.Device(1):
            to = module.zeros(shape, module.float32)

        def copy() -> None:
            with module.cuda.Device(1):
                module.copyto(to[index], source[index])
                module.cuda.runtime.deviceSynchronize()
            module.cuda.Device(0).synchronize()

        return copy

    return make


def by_torch(shape: tuple[int, int], index: Index) -> Callable[[Any], Callable[[], object]]:
    def make(module: Any) -> Callable[[], object]:
        need_two()
        source = module.zeros(shape, device="cuda:0")
        to = module.zeros(shape, device="cuda:1")

        def copy() -> None:
            to[index].copy_(source[index])
            module.cuda.synchronize(1)
            module.cuda.synchronize(0)

        return copy

    return make


def reach_each_other() -> None:
    for device, peer in ((1, 0), (0, 1)):
        PyGPU.checked.cudaSetDevice(device)
        PyGPU.cudaDeviceEnablePeerAccess(peer, 0)  # it may be enabled already
        PyGPU.cudaGetLastError()


class Plain:
    """Memory of cudaMalloc's on a device."""

    def __init__(self, device: int, size: int) -> None:
        with PyGPU.device(device):
            self.address = PyGPU.checked.cudaMalloc(size)

    def __del__(self) -> None:
        PyGPU.cudaFree(self.address)


def raw(shape: tuple[int, int], width: int) -> Callable[[Any], Callable[[], object]]:
    """The first `width` elements of each row."""

    def make(module: Any) -> Callable[[], object]:
        need_two()
        gpu = module.checked
        reach_each_other()
        rows, columns = shape
        to, source = (Plain(device, 4 * rows * columns) for device in (1, 0))
        box = {"srcDevice": 0, "dstDevice": 1, "extent": (4 * width, rows, 1)}
        for name, memory in (("srcPtr", source), ("dstPtr", to)):
            box[name] = (memory.address, 4 * columns, 4 * columns, rows)

        def copy() -> None:
            if width == columns:
                gpu.cudaMemcpyPeerAsync(to.address, 1, source.address, 0, 4 * rows * columns, 0)
            else:
                gpu.cudaMemcpy3DPeerAsync(parameters, 0)
            wait_for_both()

        parameters = None if width == columns else module.cudaMemcpy3DPeerParms(**box)
        return copy

    return make


def peer_rows(most: int) -> list[tuple[str, float | None, int, dict[str, Any]]]:
    """(name, share of raw's speed, calls, makers) of copies of at most so many MiB."""
    found: list[tuple[str, float | None, int, dict[str, Any]]] = []

    def add(name: str, shape: tuple[int, int], index: Index, width: int | None) -> None:
        makers = {
            "PyGPU": by_pygpu(shape, index),
            "CuPy": by_cupy(shape, index),
            "torch": by_torch(shape, index),
        }
        if width:
            makers["raw"] = raw(shape, width)
        calls = max(2, 200 * MIB // (4 * shape[0] * shape[1]))
        share = SHARE if width and 4 * shape[0] * shape[1] >= 16 * MIB else None
        found.append((f"between devices, {name}", share, calls, makers))

    for mib in (1, 16, 128, 1024):
        if mib <= most:
            shape = (mib, MIB // 4)
            add(f"{mib} MiB", shape, WHOLE, shape[1])
    size = min(most, 64) * MIB
    for width, name in ((16, "64 B"), (256, "1 KiB"), (16 << 10, "64 KiB")):
        shape = (size // (4 * width), 2 * width)
        add(f"{size // MIB} MiB in rows of {name}", shape, (slice(None), slice(width)), width)
    columns = (slice(None), slice(None, None, 2))
    size = min(most, 16) * MIB
    add(f"every second column of {size // MIB} MiB", (size // 4096, 1024), columns, None)
    return found
