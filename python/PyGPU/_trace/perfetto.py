"""Chrome's JSON of a trace, which ui.perfetto.dev and chrome://tracing open.

A process stands for the program, with a track for each thread, and one for each device, with tracks
for its streams. What overlaps on a stream, such as the kernels of a graph, has several tracks: a
viewer draws what is on one track as if the later was within the earlier. An arrow leads from a call
to what it queued.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from os import getpid
from typing import Any

from .calls import Call, DeviceWork, Event

_DEVICES = 1 << 22  # numbers of processes that Linux gives to none


def as_object(event: Event) -> dict[str, Any]:
    """The attributes of an event, as JSON has them; "event" is "call" or the work's kind."""
    values = asdict(event)
    return {"event": values.pop("kind", "call"), **values}


def as_perfetto(events: Sequence[Event]) -> Iterator[str]:
    """The lines of the file."""
    yield '{"displayTimeUnit": "ns", "traceEvents": ['
    pid = getpid()
    calls = [one for one in events if isinstance(one, Call)]
    of_devices = _Tracks(calls)
    lines = _process(pid, "calls", 0)
    for number, event in enumerate(events):
        if isinstance(event, Call):
            lines.append(_slice(event, event.api, pid, event.thread))
            continue
        device, track, new = of_devices.place(event)
        lines += new
        lines.append(_slice(event, event.kind, device, track))
        if event.thread is not None and event.launched is not None:
            lines += _arrow(number, event, pid, device, track)
    yield ",\n".join(map(json.dumps, lines))
    yield "]}"


def _slice(event: Event, category: str, pid: int, track: int) -> dict[str, Any]:
    return {
        "name": event.name,
        "cat": category,
        "ph": "X",
        "ts": event.start / 1e3,
        "dur": (event.duration or 0) / 1e3,
        "pid": pid,
        "tid": track,
        "args": as_object(event),
    }


def _arrow(
    number: int, work: DeviceWork, pid: int, device: int, track: int
) -> Iterator[dict[str, Any]]:
    shared = {"name": "queued", "cat": "queued", "id": number}
    assert work.launched is not None
    yield {**shared, "ph": "s", "ts": work.launched / 1e3, "pid": pid, "tid": work.thread}
    yield {**shared, "ph": "f", "bp": "e", "ts": work.start / 1e3, "pid": device, "tid": track}


def _process(pid: int, name: str, place: int) -> list[dict[str, Any]]:
    """Its name, and its place from the top."""
    return [
        _metadata("process_name", pid, 0, {"name": name}),
        _metadata("process_sort_index", pid, 0, {"sort_index": place}),
    ]


def _metadata(what: str, pid: int, track: int, values: dict[str, Any]) -> dict[str, Any]:
    return {"name": what, "ph": "M", "pid": pid, "tid": track, "args": values}


class _Tracks:
    """The tracks of devices: on each, what comes later begins after the earlier has ended."""

    def __init__(self, calls: Sequence[Call]) -> None:
        self._streams = {(one.thread, one.start): one.stream for one in calls}
        self._ends: dict[tuple[int, int, int], list[tuple[int, int]]] = {}  # (end, track)
        self._used: dict[int, int] = {}  # tracks of a device

    def place(self, work: DeviceWork) -> tuple[int, int, list[dict[str, Any]]]:
        """The process and the track of one work, and their names where they are new."""
        pid, new = _DEVICES + work.device, list[dict[str, Any]]()
        if work.device not in self._used:
            self._used[work.device] = 0
            new += _process(pid, f"device {work.device}", 1 + work.device)
        lanes = self._ends.setdefault((work.device, work.context, work.stream), [])
        for at, (end, track) in enumerate(lanes):
            if end <= work.start:
                lanes[at] = work.start + work.duration, track
                return pid, track, new
        track = self._used[work.device] = self._used[work.device] + 1
        lanes.append((work.start + work.duration, track))
        name = self._named(work, len(lanes))
        new.append(_metadata("thread_name", pid, track, {"name": name}))
        return pid, track, new

    def _named(self, work: DeviceWork, lane: int) -> str:
        address = self._streams.get((work.thread or 0, work.launched or 0))
        known = f" ({address:#x})" if address else ""
        return f"stream {work.stream}{known}" + (f", overlap {lane - 1}" if lane > 1 else "")
