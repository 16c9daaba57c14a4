"""The files of a trace: text for people, JSON lines for programs, and JSON for Perfetto."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from os import getpid
from typing import IO, Any

from .calls import Call, Event, KernelTime


def as_text(events: Sequence[Event]) -> Iterator[str]:
    """A line for each event, with times since the first one."""
    first = events[0].start if events else 0
    for event in events:
        yield f"{(event.start - first) / 1e6:12.6f} ms {_described(event)}"


def _described(event: Event) -> str:
    if isinstance(event, KernelTime):
        return (
            f"{event.duration / 1e3:12.3f} us  device {event.device}  {event.name} "
            f"ran on stream {event.stream:#x}"
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
    """An object for each event: the attributes of Call or KernelTime."""
    for event in events:
        yield json.dumps(_object(event))


def _object(event: Event) -> dict[str, Any]:
    return {"event": "call" if isinstance(event, Call) else "kernel", **asdict(event)}


def as_perfetto(events: Sequence[Event]) -> Iterator[str]:
    """Chrome's JSON, which ui.perfetto.dev opens. Kernels have tracks of their own."""
    yield '{"displayTimeUnit": "ns", "traceEvents": ['
    pid = getpid()
    yield json.dumps(_name(pid, "calls")) + ","
    yield json.dumps(_name(_DEVICES, "kernels"))
    for event in events:
        is_call = isinstance(event, Call)
        shown = {
            "name": event.name,
            "cat": event.api if isinstance(event, Call) else "kernel",
            "ph": "X",
            "ts": event.start / 1e3,
            "dur": (event.duration or 0) / 1e3,
            "pid": pid if is_call else _DEVICES,
            "tid": event.thread if isinstance(event, Call) else event.stream,
            "args": _object(event),
        }
        yield "," + json.dumps(shown)
    yield "]}"


_DEVICES = 0  # the number of a process that stands for the devices


def _name(pid: int, name: str) -> dict[str, Any]:
    return {"name": "process_name", "ph": "M", "pid": pid, "args": {"name": name}}


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
    kind = {"call": Call, "kernel": KernelTime}.get(values.pop("event", ""))
    if kind is None:
        raise ValueError("an object is neither a call nor a kernel of a trace")
    event: Event = kind(**values)
    return event
