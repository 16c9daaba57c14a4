"""Streams as a timeline: what examples/streams_overlap.py did, from its trace."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tools.pictures.svg import Picture

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "streams_overlap.py"
Event = dict[str, Any]
LEFT, WIDTH, STEP = 90, 630, 26
# The calls that are shown, with their colours.
CALLS = {"cudaMemcpyAsync": "other", "cuLaunchKernel": "own", "cudaStreamSynchronize": "wait"}


def run() -> list[Event]:
    """The events of a run of the example."""
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder, "calls.jsonl")
        environment = os.environ | {"PYGPU_BACKEND": "host", "PYGPU_TRACE": str(trace)}
        subprocess.run(
            [sys.executable, str(EXAMPLE)], env=environment, check=True, stdout=sys.stderr
        )
        return [json.loads(line) for line in trace.read_text().splitlines()]


def rounds(events: list[Event]) -> list[list[Event]]:
    """The events of each round of the example: a round begins when the device is waited for."""
    begins = sorted(one["start"] for one in events if one["name"] == "cudaDeviceSynchronize")
    found: list[list[Event]] = [[] for _ in begins]
    for event in events:
        number = sum(begin <= event["start"] for begin in begins) - 1
        if number >= 0 and (event["event"] == "kernel" or event["name"] in CALLS):
            found[number].append(event)
    return found


def shortest(of: list[list[Event]]) -> list[Event]:
    """The round that took the least time."""
    return min(of, key=lambda events: _end(events) - _begin(events))


def streams(events: list[Event] | None = None) -> Picture:
    """The best round by one stream above the best one by several, on the same scale of time."""
    all_rounds = rounds(run() if events is None else events)
    half = len(all_rounds) // 2
    both = [shortest(all_rounds[:half]), shortest(all_rounds[half:])]
    scale = WIDTH / max(_end(one) - _begin(one) for one in both)
    tracks = [
        sorted({event["stream"] for event in one if event["event"] == "kernel"}) for one in both
    ]
    height = 44 + sum(34 + STEP * (1 + len(one)) for one in tracks)
    picture = Picture(736, height, "Streams that overlap, as a timeline")
    y = 14
    for one, found in zip(both, tracks, strict=True):
        plural = "s" if len(found) > 1 else ""
        took = (_end(one) - _begin(one)) / 1e6
        picture.text((14, y + 14), f"{len(found)} stream{plural}: {took:.1f} ms", bold=True)
        y = _timeline(picture, one, found, y + 24, scale)
        y += 10
    _legend(picture, y)
    return picture


def _timeline(picture: Picture, events: list[Event], found: list[int], y: int, scale: float) -> int:
    names = ["calls", *(f"stream {number}" for number in range(1, len(found) + 1))]
    for number, name in enumerate(names):
        picture.text((14, y + STEP * number + 15), name, "soft", 12)
        picture.box((LEFT, y + STEP * number), (WIDTH, STEP - 5), "plain_soft", radius=2)
    for event in sorted(events, key=lambda one: one["start"]):
        kernel = event["event"] == "kernel"
        row = 1 + found.index(event["stream"]) if kernel else 0
        x = LEFT + scale * (event["start"] - _begin(events))
        size = max(scale * event["duration"], 0.6)
        colour = "own" if kernel else CALLS[event["name"]]
        place = round(x, 1), y + STEP * row + (2 if kernel else 5)
        picture.box(place, (round(size, 1), STEP - (9 if kernel else 15)), colour, radius=1)
    return y + STEP * len(names)


def _legend(picture: Picture, y: int) -> None:
    shown = [("own", "kernel, or its launch"), ("other", "copy"), ("wait", "the program waits")]
    x = LEFT
    for colour, text in shown:
        picture.box((x, y + 4), (12, 12), colour, radius=2)
        picture.text((x + 18, y + 14), text, "soft", 12)
        x += 36 + 7 * len(text)
    picture.text((720, y + 14), "host runtime, from PYGPU_TRACE", "soft", 12, "end")


def _begin(events: list[Event]) -> int:
    return min(int(one["start"]) for one in events)


def _end(events: list[Event]) -> int:
    return max(int(one["start"] + one["duration"]) for one in events)
