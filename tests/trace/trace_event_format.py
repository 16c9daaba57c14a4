"""Checks a file against Chrome's Trace Event Format, as strictly as its document says.

The document: "Trace Event Format", by the authors of chrome://tracing. It leaves open what a viewer
does with slices that overlap on one track; they are refused here. Perfetto's page, release 52 in
Chromium 156, opened files that this accepts, and its page of statistics had no error.
"""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

_UNITS = ("ms", "ns")
_METADATA = {
    "process_name": "name",
    "process_labels": "labels",
    "process_sort_index": "sort_index",
    "thread_name": "name",
    "thread_sort_index": "sort_index",
}
_ROUNDING = 0.0005  # microseconds: times are written with three digits


def checked(text: str) -> list[dict[str, Any]]:
    """The events of a file. AssertionError for what the format doesn't allow."""
    document = json.loads(text, parse_constant=_refused, object_pairs_hook=_once)
    assert set(document) <= {"traceEvents", "displayTimeUnit", "otherData"}, list(document)
    assert document.get("displayTimeUnit", "ms") in _UNITS
    events: list[dict[str, Any]] = document["traceEvents"]
    for event in events:
        _check_event(event)
    slices = _tracks(events)
    _check_flows(events, slices)
    return events


def _refused(constant: str) -> None:
    raise AssertionError(f"{constant} isn't JSON")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    assert len(names) == len(set(names)), f"a name stands twice: {names}"
    return dict(pairs)


def _check_event(event: dict[str, Any]) -> None:
    assert isinstance(event["name"], str) and event["name"], event
    for name in ("pid", "tid"):
        assert type(event[name]) is int and 0 <= event[name] < 1 << 31, event
    if event["ph"] == "M":
        assert event["name"] in _METADATA and set(event) == {"name", "ph", "pid", "tid", "args"}
        ((name, value),) = event["args"].items()
        assert name == _METADATA[event["name"]] and type(value) is (int if "_" in name else str)
        return
    assert isinstance(event["cat"], str) and event["cat"], event
    assert isinstance(event["ts"], (int, float)) and event["ts"] >= 0, event
    keys = {"name", "cat", "ph", "ts", "pid", "tid"}
    if event["ph"] == "X":
        assert set(event) == keys | {"dur", "args"}, event
        assert isinstance(event["dur"], (int, float)) and event["dur"] >= 0, event
        assert isinstance(event["args"], dict), event
    else:
        assert event["ph"] in ("s", "f"), event
        assert set(event) == keys | {"id"} | ({"bp"} if event["ph"] == "f" else set()), event


def _tracks(events: list[dict[str, Any]]) -> dict[tuple[int, int], list[tuple[float, float]]]:
    """The slices of each track: one lies within another, or after it."""
    tracks = defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            tracks[event["pid"], event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
    for slices in tracks.values():
        slices.sort(key=lambda one: (one[0], -one[1]))
        open_: list[tuple[float, float]] = []
        for begin, end in slices:
            while open_ and open_[-1][1] <= begin + _ROUNDING:
                open_.pop()
            assert not open_ or end <= open_[-1][1] + _ROUNDING, (open_[-1], (begin, end))
            open_.append((begin, end))
    return tracks


def _check_flows(events: list[dict[str, Any]], tracks: Any) -> None:
    """Each arrow has a begin and an end, and both lie on a slice."""
    flows: dict[Any, dict[str, dict[str, Any]]] = defaultdict(dict)
    for event in events:
        if event["ph"] in ("s", "f"):
            ends = flows[event["cat"], event["name"], event["id"]]
            assert event["ph"] not in ends, event
            ends[event["ph"]] = event
            slices = tracks[event["pid"], event["tid"]]
            assert any(begin <= event["ts"] <= end + _ROUNDING for begin, end in slices), event
    for ends in flows.values():
        assert set(ends) == {"s", "f"} and ends["f"]["bp"] == "e", ends
        assert ends["s"]["ts"] <= ends["f"]["ts"], ends
