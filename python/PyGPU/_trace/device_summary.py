"""What a trace comes to on its devices: how busy each was, and with what."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from .calls import Call, DeviceWork
from .units import size_of, time_of


def of_devices(work: Sequence[DeviceWork]) -> list[dict[str, Any]]:
    """Numbers of each device: the time between its first work and its last, and how it was spent.

    `busy` is the time in which at least one kernel, copy or set ran.
    """
    devices = sorted({one.device for one in work})
    return [_of_device(device, [one for one in work if one.device == device]) for device in devices]


def _of_device(device: int, work: Sequence[DeviceWork]) -> dict[str, Any]:
    begin = min(one.start for one in work)
    duration = max(one.start + one.duration for one in work) - begin
    found = list(gaps(work))
    by_name: dict[tuple[str, str], list[DeviceWork]] = defaultdict(list)
    for one in work:
        by_name[one.kind, one.name].append(one)
    listed = [
        {
            "kind": kind,
            "name": name,
            "runs": len(several),
            "time": sum(one.duration for one in several),
            "longest": max(one.duration for one in several),
            "bytes": sum(one.bytes for one in several),
        }
        for (kind, name), several in by_name.items()
    ]
    return {
        "device": device,
        "duration": duration,
        "busy": duration - sum(found),
        "gaps": {"count": len(found), "time": sum(found), "longest": max(found, default=0)},
        "work": sorted(listed, key=lambda one: -one["time"]),
    }


def gaps(events: Sequence[Call | DeviceWork]) -> Iterator[int]:
    """Times in which none of the events was under way, between the first and the last."""
    end = None
    for one in sorted(events, key=lambda one: one.start):
        if end is not None and one.start > end:
            yield one.start - end
        end = max(end or 0, one.start + (one.duration or 0))


def untimed(calls: Sequence[Call], work: Sequence[DeviceWork]) -> int:
    """How many launches no work is known of, where some work is known by its call."""
    timed = {(one.thread, one.launched) for one in work}
    launches = [one for one in calls if one.launches]
    if not any(one.launched for one in work):
        return len(launches) if not work else 0
    return sum((one.thread, one.start) not in timed for one in launches)


def head(numbers: dict[str, Any]) -> Iterator[str]:
    """A line for each device, and one if times are missing."""
    for one in numbers["devices"]:
        share = one["busy"] / one["duration"] if one["duration"] else 1
        found = one["gaps"]
        yield (
            f"device {one['device']}: busy {share:.0%} of {time_of(one['duration'])}; "
            f"gaps: {found['count']:,}, {time_of(found['time'])} in all, "
            f"the longest {time_of(found['longest'])}"
        )
    if not numbers["untimed"]:
        return
    if numbers["devices"]:
        yield f"{numbers['untimed']:,} launches have no time: captured, or running at the end"
    else:
        yield "no times of the device: CUPTI has them (PyGPU[nvidia], nvidia-cuda-cupti)"


def table(numbers: dict[str, Any], most: int) -> Iterator[str]:
    """The kernels, copies and sets that took longest in all."""
    listed = [(one["device"], work) for one in numbers["devices"] for work in one["work"]]
    if not listed:
        return
    several = len(numbers["devices"]) > 1
    listed.sort(key=lambda one: -one[1]["time"])
    column = f"{'device':>7}" if several else ""
    yield from ("", f"{'runs':>10} {'time':>10} {'longest':>10}{column}  kernel, copy or set")
    for device, work in listed[:most]:
        times = f"{work['runs']:>10,} {time_of(work['time']):>10} {time_of(work['longest']):>10}"
        moved = f": {size_of(work['bytes'])}" if work["bytes"] else ""
        if work["bytes"] and work["time"]:
            moved += f", {work['bytes'] / work['time']:.3g} GB/s"
        column = f"{device:>7}" if several else ""
        yield f"{times}{column}  {work['name']}{moved}"
    if len(listed) > most:
        yield f"{'':34}and {len(listed) - most} more"
