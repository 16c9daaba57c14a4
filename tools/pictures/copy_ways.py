"""The ways of a copy between host and device, as PyGPU's own table chooses them by size."""

from __future__ import annotations

import json
from itertools import groupby

import PyGPU
from tools.pictures.copies import RESULTS, short
from tools.pictures.svg import Picture

# Each row: a title, `up`, `pageable` and `waits` of the copy, and the benchmark's name for it.
ROWS = [
    ("numpy to device", True, True, True, "pageable, up"),
    ("device to numpy", False, True, True, "pageable, down"),
    ("page-locked to device", True, False, True, "page-locked, up"),
    ("device to page-locked", False, False, True, "page-locked, down"),
    ("numpy to device, queued", True, True, False, None),
    ("device to numpy, queued", False, True, False, None),
]
WAYS = {
    "upload_ring": ("taken into a ring of page-locked memory; the call returns", "own"),
    "bounce": ("through one page-locked buffer", "soft"),
    "direct": ("the runtime's own copy of the caller's memory", "other"),
    "pieces": (
        "in pieces, which threads fill or empty while the bus transfers",
        "own_soft",
    ),
    "host_functions": ("through a buffer that functions of the stream fill or empty", "other_soft"),
}
SIZES = [1 << power for power in range(12, 31)]
LEFT, WIDTH, TOP, STEP = 186, 520, 52, 34


def copy_ways() -> Picture:
    """A band for each kind of copy, coloured by the way of each size with eight threads."""
    picture = Picture(736, 382, "The ways of a copy, by size")
    picture.text((14, 26), "The way of a copy, by its size", bold=True)
    measured = json.loads((RESULTS / "transfer.json").read_text())["contiguous"]
    for number, (title, up, pageable, waits, stored) in enumerate(ROWS):
        y = TOP + STEP * number
        picture.text((14, y + 17), title, size=12)
        at = 0
        for way, same in groupby(way_of(size, up, pageable, waits) for size in SIZES):
            cells = len(list(same))
            x, end = (round(LEFT + one * WIDTH / len(SIZES), 1) for one in (at, at + cells))
            picture.box((x, y), (round(end - x, 1), 24), WAYS[way][1], radius=0)
            at += cells
        for size in (16 << 10, 256 << 10, 16 << 20, 1 << 30) if stored else ():
            speed = measured[stored][str(size)]["PyGPU"]
            here = WAYS[way_of(size, up, pageable, waits)][1]
            ink = "text" if here.endswith("_soft") else "page"
            picture.text((_middle(size), y + 16), f"{speed:.0f}", ink, 12, "middle", True)
    below = TOP + STEP * len(ROWS) + 6
    for size in (SIZES[0], 16 << 10, 256 << 10, 16 << 20, SIZES[-1]):
        picture.text((_middle(size), below + 8), short(size), "soft", 12, "middle")
    for number, (text, colour) in enumerate(WAYS.values()):
        y = below + 22 + 19 * number
        picture.box((14, y), (14, 14), colour, "edge", radius=2)
        picture.text((36, y + 11), text, size=12)
    machine = json.loads((RESULTS / "machine.json").read_text())
    note = f"Numbers: GB/s on one {machine['gpu']}, {machine['date']}."
    picture.text((722, below + 22 + 19 * len(WAYS) - 8), note, "soft", 12, "end")
    return picture


def way_of(size: int, up: bool, pageable: bool, waits: bool) -> str:
    """The way that PyGPU takes for packed memory, outside of captures, with eight threads."""
    strided, captured, may_queue, threads = False, False, True, 8
    way = PyGPU._core.arrays._way(size, up, pageable, strided, waits, captured, may_queue, threads)
    return str(way)


def _middle(size: int) -> float:
    return round(LEFT + (SIZES.index(size) + 0.5) * WIDTH / len(SIZES), 1)
