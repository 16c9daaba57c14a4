"""Page-locked ("pinned") memory beside pageable memory: how fast cudaMemcpy copies each.

    python examples/pinned_pageable.py [FILE.png [MOST MIB]]

Prints a table, and draws it with matplotlib. On the host runtime both kinds are equally fast.
"""

from __future__ import annotations

import importlib.util
import sys
import time

import numpy as np

import PyGPU
from PyGPU import checked as gpu

KINDS = {"pageable": np.empty, "page-locked": PyGPU.pagelocked_empty}
WAYS = {"up": PyGPU.cudaMemcpyHostToDevice, "down": PyGPU.cudaMemcpyDeviceToHost}


def speed(values: np.ndarray, pointer: int, way: str) -> float:
    """GB/s of a copy, the best of five."""
    pair = (pointer, values) if way == "up" else (values, pointer)
    best = float("inf")
    for _ in range(5):
        begin = time.perf_counter()
        gpu.cudaMemcpy(*pair, values.nbytes, WAYS[way])
        gpu.cudaDeviceSynchronize()
        best = min(best, time.perf_counter() - begin)
    return values.nbytes / best / 1e9


def measured(sizes: list[int]) -> dict[str, list[float]]:
    """GB/s for each size, by kind of memory and direction."""
    found: dict[str, list[float]] = {f"{kind}, {way}": [] for kind in KINDS for way in WAYS}
    for size in sizes:
        pointer = gpu.cudaMalloc(size)
        sent = np.random.default_rng(1).integers(0, 256, size, np.uint8)
        for kind, make in KINDS.items():
            values = make(size, np.uint8)
            for way, filled in (("up", sent), ("down", 0)):
                values[:] = filled  # touches each page, so that all pages exist
                found[f"{kind}, {way}"].append(speed(values, pointer, way))
            if not np.array_equal(values, sent):
                sys.exit(f"{kind}: what came back is not what was sent")
        gpu.cudaFree(pointer)
    return found


def draw(sizes: list[int], found: dict[str, list[float]], path: str) -> None:
    """Draw GB/s over the size of the copy."""
    module = importlib.import_module("matplotlib.figure")  # needs no screen
    axes = module.Figure(layout="tight").subplots()
    for name, speeds in found.items():
        axes.plot(sizes, speeds, marker="o", label=name)
    axes.set(xscale="log", xlabel="bytes", ylabel="GB/s", ylim=(0, None))
    axes.legend()
    axes.figure.savefig(path, dpi=150)
    print(f"drawn: {path}")


def main() -> None:
    path = sys.argv[1] if len(sys.argv) > 1 else "pinned_pageable.png"
    most = int(sys.argv[2]) if len(sys.argv) > 2 else 64
    sizes = [4**power << 10 for power in range(2, 12) if 4**power <= most << 10]
    found = measured(sizes)
    print(f"GB/s on {gpu.cudaGetDeviceProperties(0).name}")
    print(f"{'KiB':>8}", *(f"{name:>18}" for name in found))
    for row, size in enumerate(sizes):
        print(f"{size >> 10:>8,}", *(f"{speeds[row]:>18.2f}" for speeds in found.values()))
    if importlib.util.find_spec("matplotlib"):
        draw(sizes, found, path)
    else:
        print("no picture: there is no matplotlib here")


if __name__ == "__main__":
    main()
