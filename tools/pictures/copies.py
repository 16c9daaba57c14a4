"""Copies of numpy memory to the device, beside other packages: a plot of stored numbers."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from tools.pictures.svg import Picture, Point

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "h200"
LEFT, RIGHT, TOP, BOTTOM = 44, 322, 58, 250
MOST = 60  # GB/s at the top
NEAR = 5  # GB/s: ends of lines that are nearer share a label


def copies(results: Path = RESULTS) -> Picture:
    """GB/s by size, as benchmarks/transfer.py stored them; C++ is cudaMemcpy."""
    rows = json.loads((results / "transfer.json").read_text())["contiguous"]["pageable, up"]
    sizes = sorted(map(int, rows))
    packages = list(rows[str(sizes[0])])
    picture = Picture(420, 300, "GB/s of copies to the device, by size")
    picture.text((14, 26), "Copy a numpy array to the device", bold=True)
    picture.text((14, 44), "GB/s", "soft", 12)
    _axes(picture, sizes)
    ends: dict[str, float] = {}
    for package in sorted(packages, key=lambda one: one == "PyGPU"):
        speeds = [(size, rows[str(size)][package]) for size in sizes]
        own = package == "PyGPU"
        points = [_place(sizes, size, speed) for size, speed in speeds]
        picture.line(points, "own" if own else "other", 3 if own else 1.5)
        ends[package] = speeds[-1][1]
    for speed, names in _labels(ends):
        own = names == ["PyGPU"]
        y = _place(sizes, sizes[-1], speed)[1] + 4 - 8 * (len(names) - 1)
        for number, name in enumerate(names):
            place = RIGHT + 6, y + 16 * number
            picture.text(place, name, "own" if own else "other", 12, bold=own)
    picture.text((14, 288), _where(json.loads((results / "machine.json").read_text())), "soft", 12)
    return picture


def _axes(picture: Picture, sizes: list[int]) -> None:
    for speed in range(0, MOST + 1, 20):
        y = _place(sizes, sizes[0], speed)[1]
        picture.line([(LEFT, y), (RIGHT, y)], "edge")
        picture.text((LEFT - 6, y + 4), str(speed), "soft", 12, "end")
    for size in (sizes[0], 256 << 10, 16 << 20, sizes[-1]):
        picture.text((_place(sizes, size, 0)[0], BOTTOM + 18), short(size), "soft", 12, "middle")


def _place(sizes: list[int], size: int, speed: float) -> Point:
    along = math.log2(size / sizes[0]) / math.log2(sizes[-1] / sizes[0])
    return round(LEFT + along * (RIGHT - LEFT), 1), round(BOTTOM - speed / MOST * (BOTTOM - TOP), 1)


def _labels(ends: dict[str, float]) -> list[tuple[float, list[str]]]:
    """The lines' ends with their names, those that lie near each other together."""
    groups: list[list[str]] = []
    for name in sorted(ends, key=lambda one: -ends[one]):
        if groups and ends[groups[-1][-1]] - ends[name] < NEAR:
            groups[-1].append(name)
        else:
            groups.append([name])
    return [(sum(ends[name] for name in group) / len(group), group) for group in groups]


def short(size: int) -> str:
    """A size in its largest unit."""
    for unit, shift in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if size >= 1 << shift:
            return f"{size >> shift} {unit}"
    return f"{size} B"


def _where(machine: dict[str, Any]) -> str:
    return f"{machine['gpu']}, CUDA {machine['cuda']}, {machine['date']}; higher is faster"
