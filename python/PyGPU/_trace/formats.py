"""The files of a trace: text for people, JSON lines for programs, and JSON for Perfetto."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import IO, Any

from .calls import KINDS, Call, DeviceWork, Event
from .perfetto import as_object, as_perfetto


def as_text(events: Sequence[Event]) -> Iterator[str]:
    """A line for each event, with times since the first one."""
    first = events[0].start if events else 0
    for event in events:
        yield f"{(event.start - first) / 1e6:12.6f} ms {_described(event)}"


def _described(event: Event) -> str:
    if isinstance(event, DeviceWork):
        moved = f", {event.bytes} bytes" if event.bytes else ""
        caller = f", for {event.caller}" if event.caller else ""
        return (
            f"{event.duration / 1e3:12.3f} us  device {event.device}  {event.name} "
            f"ran on stream {event.stream}{moved}{caller}"
        )
    took = "  not returned" if event.duration is None else f"{event.duration / 1e3:12.3f} us"
    place = f"  {event.place}" if event.place else ""
    own = " (PyGPU's own)" if event.own else ""
    results = [*_pairs(event.results), event.error or ""]
    answer = f" -> {', '.join(filter(None, results))}" if any(results) else ""
    call = f"{event.name}({', '.join(_pairs(event.arguments))})"
    return f"{took}  thread {event.thread}{place}  {call}{answer}{own}"


def _pairs(values: dict[str, Any]) -> list[str]:
    return [f"{name}={_short(value)}" for name, value in values.items()]


def _short(value: Any) -> str:
    if isinstance(value, str) and not value.startswith("0x") and not value.isidentifier():
        return repr(value)
    return str(value)


def as_json_lines(events: Sequence[Event]) -> Iterator[str]:
    """An object for each event: the attributes of Call or DeviceWork."""
    for event in events:
        yield json.dumps(as_object(event))


FORMATS: dict[str, Callable[[Sequence[Event]], Iterator[str]]] = {
    "txt": as_text,
    "jsonl": as_json_lines,
    "json": as_perfetto,
}


def write(file: IO[str], form: str, events: Sequence[Event]) -> None:
    """Write events in one of the formats."""
    for line in FORMATS[form](events):
        file.write(line + "\n")


def read_json(text: str) -> list[Event]:
    """The events of a file of JSON lines, or of one for Perfetto. ValueError for another file."""
    if text.startswith('{"displayTimeUnit"'):
        objects = [one["args"] for one in json.loads(text)["traceEvents"] if one["ph"] == "X"]
    else:
        objects = [json.loads(line) for line in text.splitlines() if line.strip()]
    return [_event(one) for one in objects]


def _event(values: dict[str, Any]) -> Event:
    kind = values.pop("event", "")
    if kind not in ("call", *KINDS):
        raise ValueError("an object is neither a call nor the work of a device")
    return Call(**values) if kind == "call" else DeviceWork(**values, kind=kind)
