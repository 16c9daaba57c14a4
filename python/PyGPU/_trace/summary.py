"""What a trace comes to, as numbers and as text that fits a terminal."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from . import device_summary
from .calls import Call, DeviceWork, Event
from .units import size_of, time_of

WIDTH = 80
MOST = 10


def summary(events: Sequence[Event]) -> dict[str, Any]:
    """Numbers of a trace: its calls by function, bytes, waits, gaps, errors, and the slowest."""
    calls = [one for one in events if isinstance(one, Call)]
    work = [one for one in events if isinstance(one, DeviceWork)]
    kernels = [one for one in work if one.kind == "kernel"]
    begin = min((one.start for one in events), default=0)
    end = max((one.start + (one.duration or 0) for one in events), default=0)
    by_name: dict[str, list[int]] = defaultdict(list)
    for call in calls:
        by_name[call.name].append(call.duration or 0)
    waits = [call.duration or 0 for call in calls if call.waits]
    gaps = list(device_summary.gaps(calls))
    slowest = sorted(calls, key=lambda one: -(one.duration or 0))[:MOST]
    return {
        "calls": len(calls),
        "threads": len({call.thread for call in calls}),
        "duration": end - begin,
        "functions": {
            name: {"calls": len(times), "time": sum(times), "longest": max(times)}
            for name, times in sorted(by_name.items(), key=lambda item: -sum(item[1]))
        },
        "bytes": _moved(calls),
        "waits": {"calls": len(waits), "time": sum(waits)},
        "gaps": {"time": sum(gaps), "longest": max(gaps, default=0)},
        "kernels": {"runs": len(kernels), "time": sum(one.duration for one in kernels)},
        "devices": device_summary.of_devices(work),
        "untimed": device_summary.untimed(calls, work),
        "errors": dict(Counter(call.error for call in calls if call.status)),
        "not_returned": sum(call.duration is None for call in calls),
        "slowest": [
            {
                "name": one.name,
                "time": one.duration or 0,
                "start": one.start - begin,
                "place": one.place,
            }
            for one in slowest
        ],
    }


def _moved(calls: Sequence[Call]) -> dict[str, int]:
    moved: Counter[str] = Counter()
    for call in calls:
        if call.bytes_moved and not call.status:
            kind = str(call.arguments.get("kind", "") or call.name)
            moved[kind] += call.bytes_moved
    return dict(moved.most_common())


def render(numbers: dict[str, Any], width: int = WIDTH, height: int | None = None) -> str:
    """The summary as text, in lines of `width` columns.

    With a `height`, its tables get as many rows as fit, two at least; else ten.
    """
    head, bytes_moved = list(_head(numbers)), list(_bytes(numbers))
    most = MOST
    if height is not None:
        tables = 2 + bool(
            numbers["devices"]
        )  # each with a head, an empty line and perhaps a last row
        most = max((height - len(head) - len(bytes_moved) - 3 * tables - 1) // tables, 2)
    of_devices = device_summary.table(numbers, most)
    lines = [*head, *bytes_moved, *of_devices, *_tables(numbers, width, most)]
    return "\n".join(line[:width].rstrip() for line in lines)


def _head(numbers: dict[str, Any]) -> Iterator[str]:
    waits, gaps, kernels = numbers["waits"], numbers["gaps"], numbers["kernels"]
    took = time_of(numbers["duration"])
    threads = "1 thread" if numbers["threads"] == 1 else f"{numbers['threads']} threads"
    yield f"{numbers['calls']:,} calls by {threads} in {took}"
    if kernels["runs"]:
        yield f"{kernels['runs']:,} kernels ran for {time_of(kernels['time'])}"
    yield f"{waits['calls']:,} calls waited for the device, {time_of(waits['time'])} in all"
    yield from device_summary.head(numbers)
    if not numbers["devices"]:
        yield (
            f"gaps between calls: {time_of(gaps['time'])} in all, "
            f"the longest {time_of(gaps['longest'])}"
        )
    for error, count in numbers["errors"].items():
        yield f"{count:,} calls returned {error}"
    if numbers["not_returned"]:
        yield f"{numbers['not_returned']:,} calls have not returned"


def _bytes(numbers: dict[str, Any]) -> Iterator[str]:
    if numbers["bytes"]:
        yield from ("", "bytes moved")
        for kind, count in numbers["bytes"].items():
            yield f"  {size_of(count):>10}  {kind}"


def _tables(numbers: dict[str, Any], width: int, most: int) -> Iterator[str]:
    """The functions that took longest in all, and the slowest calls."""
    yield from ("", f"{'calls':>10} {'time':>10} {'longest':>10}  function")
    for name, one in list(numbers["functions"].items())[:most]:
        times = f"{time_of(one['time']):>10} {time_of(one['longest']):>10}"
        yield f"{one['calls']:>10,} {times}  {name}"
    if (more := len(numbers["functions"]) - most) > 0:
        yield f"{'':34}and {more} more"
    yield from ("", f"{'the slowest':>21}  function, caller")
    for one in numbers["slowest"][:most]:
        line = f"{'at ' + time_of(one['start']):>11} {time_of(one['time']):>9}  {one['name']}"
        yield f"{line}  {_shortened(one['place'], width - len(line) - 2)}"


def _shortened(place: str, room: int) -> str:
    """A place in so many columns: the file's folders go first."""
    if len(place) > room:
        place = os.path.basename(place)
    return place if len(place) <= room else place.partition(" in ")[0]
