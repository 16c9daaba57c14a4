"""Rows of benchmarks/arrays.py: copies to and between two devices, beside the runtime's own calls.

Each call ends with a wait for both devices.

Between devices, "raw" is cudaMemcpyPeerAsync between memory of cudaMalloc, or one 3-D peer copy for
rows. Access is enabled both ways. The row of every second column has no "raw". The target holds
from 16 MiB on: in smaller copies the time that one device waits for the other is noticeable.

From the host, "raw" is one cudaMemcpy for each device. The targets follow PyGPU's own time for one
device. A copy between devices at the same time changes this time little, because the two overlap. A
copy to both devices takes little more, because the host's memory is read once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import PyGPU

MIB = 1 << 20
SHARE = 0.95  # of the raw copy's speed
SHARE_MEANWHILE, SHARE_OF_BOTH = 0.9, 0.75  # of the speed of a copy to one device
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
    """Memory of cudaMalloc on a device."""

    def __init__(self, device: int, size: int) -> None:
        with PyGPU.device(device):
            self.address = PyGPU.checked.cudaMalloc(size)

    def __del__(self) -> None:
        PyGPU.cudaFree(self.address)


def raw(shape: tuple[int, int], width: int) -> Callable[[Any], Callable[[], object]]:
    """Copy the first `width` elements of each row by the runtime's own calls."""

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


def host_rows(most: int) -> list[tuple[str, float | None, int, dict[str, Any]]]:
    """Rows of copies from the host, to one device and to both.

    Each is (name, share of the first row's speed, calls, makers).
    """
    size = min(most, 256) * MIB
    between = min(most, 1024) * MIB

    def makers(devices: int, meanwhile: int) -> dict[str, Any]:
        def by_pygpu(module: Any) -> Callable[[], object]:
            need_two()
            host = np.ones(size // 4, np.float32)
            targets, ends = [], []
            for device in (0, 1):
                with module.device(device):
                    targets.append(module.zeros(host.shape, np.float32))
                    ends.append(module.zeros(meanwhile // 4, np.float32))

            def copy() -> None:
                if meanwhile:
                    ends[1][...] = ends[0]
                module.copy(targets[:devices], host)
                wait_for_both()

            return copy

        def by_cupy(module: Any) -> Callable[[], object]:
            need_two()
            host = np.ones(size // 4, np.float32)
            targets, ends = [], []
            for device in (0, 1):
                with module.cuda.Device(device):
                    targets.append(module.zeros(host.shape, np.float32))
                    ends.append(module.zeros(meanwhile // 4, np.float32))

            def copy() -> None:
                if meanwhile:
                    with module.cuda.Device(1):
                        module.copyto(ends[1], ends[0])
                for device in range(devices):
                    with module.cuda.Device(device):
                        targets[device].set(host)
                for device in (1, 0):
                    module.cuda.Device(device).synchronize()

            return copy

        def by_torch(module: Any) -> Callable[[], object]:
            need_two()
            host = module.ones(size // 4)
            targets, ends = (
                [module.zeros(many // 4, device=f"cuda:{device}") for device in (0, 1)]
                for many in (size, meanwhile)
            )

            def copy() -> None:
                if meanwhile:
                    ends[1].copy_(ends[0], non_blocking=True)
                for target in targets[:devices]:
                    target.copy_(host)
                module.cuda.synchronize(1)
                module.cuda.synchronize(0)

            return copy

        def raw(module: Any) -> Callable[[], object]:
            need_two()
            gpu = module.checked
            reach_each_other()
            host = np.ones(size // 4, np.float32)
            targets = [Plain(device, size) for device in (0, 1)]
            ends = [Plain(device, meanwhile) for device in (0, 1)] if meanwhile else []

            def copy() -> None:
                if meanwhile:
                    gpu.cudaMemcpyPeerAsync(ends[1].address, 1, ends[0].address, 0, meanwhile, 0)
                for target in targets[:devices]:
                    gpu.cudaMemcpy(target.address, host, size, 1)
                wait_for_both()

            return copy

        return {"PyGPU": by_pygpu, "CuPy": by_cupy, "torch": by_torch, "raw": raw}

    name = f"{size // MIB} MiB between the host and"
    return [
        (f"{name} one device", None, 2, makers(1, 0)),
        (
            f"{name} one, while {between // MIB} MiB go between devices",
            SHARE_MEANWHILE,
            2,
            makers(1, between),
        ),
        (f"{name} both devices", SHARE_OF_BOTH, 2, makers(2, 0)),
    ]


def peer_rows(most: int) -> list[tuple[str, float | None, int, dict[str, Any]]]:
    """Rows of copies of at most so many MiB: (name, share of raw's speed, calls, makers)."""
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
