"""What is read from CUPTI's records, and what a trace makes of the work of devices."""

from __future__ import annotations

import ctypes
import dataclasses
import json
import time

import numpy as np
import pytest

import PyGPU
from PyGPU import _core
from PyGPU._apis import APIS
from PyGPU._trace.calls import Call, DeviceWork
from PyGPU._trace.command import load, main
from PyGPU._trace.device_records import own_time
from PyGPU._trace.formats import FORMATS, read_json
from PyGPU._trace.summary import render, summary
from tests.own_interpreter import own_interpreter
from tests.trace.trace_event_format import checked

RECORDS = {
    "CONCURRENT_KERNEL": [f"CUpti_ActivityKernel{number}" for number in (9, 10, 11, 12, 13)],
    "MEMCPY": [f"CUpti_ActivityMemcpy{number}" for number in (5, 6, 7)],
    "MEMCPY2": ["CUpti_ActivityMemcpyPtoP4"],
    "MEMSET": ["CUpti_ActivityMemset4", "CUpti_ActivityMemset5"],
}
KINDS = {"CONCURRENT_KERNEL": "kernel", "MEMSET": "set"}


def handed_over(record: bytes) -> None:
    """Give a buffer with this record to the trace, as CUPTI does."""
    next_record = ctypes.CFUNCTYPE(
        ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_void_p)
    )

    @next_record
    def only(buffer, valid, place):
        if place[0]:
            return 12
        place[0] = buffer
        return 0

    buffer, size, most = ctypes.c_void_p(), ctypes.c_size_t(), ctypes.c_size_t()
    pointers = [ctypes.c_void_p] * 3
    ctypes.CFUNCTYPE(None, *pointers)(_core.give_buffer)(
        *(ctypes.addressof(one) for one in (buffer, size, most))
    )
    assert size.value >= len(record)
    ctypes.memmove(buffer, record, len(record))
    _core.read_records_by(ctypes.cast(only, ctypes.c_void_p).value)
    take = ctypes.CFUNCTYPE(
        None, ctypes.c_void_p, ctypes.c_uint, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t
    )
    take(_core.take_buffer)(None, 0, buffer, size, len(record))


@own_interpreter("on_host")
def test_fields_are_read_where_each_release_has_them():
    """The structs of CUPTI's headers, of all releases, and the reader agree."""
    if not APIS["cupti"].is_installed:
        pytest.skip("PyGPU.cupti isn't installed")
    cupti, now = PyGPU.cupti, time.monotonic_ns()
    for kind, structs in RECORDS.items():
        for struct in structs:
            record = getattr(cupti, struct)(kind=getattr(cupti, f"CUPTI_ACTIVITY_KIND_{kind}"))
            record.deviceId, record.contextId, record.streamId = 2, 3, 4
            record.correlationId = 5
            if kind == "CONCURRENT_KERNEL":
                record.name = "_Z5saxpyfPf"
            else:
                record.bytes = 6
            with PyGPU.trace() as trace:
                PyGPU.cudaGetDevice()
                record.start, record.end = time.monotonic_ns(), time.monotonic_ns() + 500
                _core.note_clocks(now, now)
                handed_over(bytes(memoryview(record)))
            (work,) = trace.work
            assert (work.start, work.duration) == (record.start, record.end - record.start), struct
            assert (work.device, work.context, work.stream) == (2, 3, 4), struct
            is_kernel = kind == "CONCURRENT_KERNEL"
            assert work.bytes == (0 if is_kernel else 6), struct
            assert work.kind == KINDS.get(kind, "copy"), struct
            assert ("saxpy" in work.name) == is_kernel, struct


def test_a_clock_that_drifts_is_followed():
    """The difference changes evenly between two notes; outside it is the nearest one's."""
    clocks = [(1000, 500), (2000, 600)]
    assert [own_time(clocks, at) for at in (0, 1000, 1500, 2000, 3000)] == [
        500, 1500, 2050, 2600, 3600,
    ]  # fmt: skip
    assert own_time([(1000, -900)], 5000) == 4100


def made() -> list[Call | DeviceWork]:
    """A graph's launch, two of its kernels side by side, a later copy, and another device."""
    call = Call("cuda", "cudaGraphLaunch", {}, 1000, 7, "train.py", 12, "step", stream=0x70)
    call.duration, call.status = 500, 0
    known = {"thread": 7, "launched": 1000, "caller": "train.py:12 in step"}
    return [
        call,
        DeviceWork("add", 2000, 1000, 0, 9, context=1, **known),
        DeviceWork("add", 2500, 1500, 0, 9, context=1, **known),
        DeviceWork("copy, host to device", 6000, 1000, 0, 9, "copy", 4000, 1, **known),
        DeviceWork("add", 2000, 100, 1, 9, context=2),
    ]


def test_the_summary_has_the_share_the_gaps_and_the_kernels():
    """What runs side by side counts once for the share, and twice for the kernel."""
    numbers = summary(made())
    first, second = numbers["devices"]
    assert (first["device"], first["duration"], first["busy"]) == (0, 5000, 3000)
    assert first["gaps"] == {"count": 1, "time": 2000, "longest": 2000}
    add, copy = first["work"]
    assert (add["name"], add["runs"], add["time"], add["longest"]) == ("add", 2, 2500, 1500)
    assert (copy["kind"], copy["bytes"]) == ("copy", 4000)
    assert (second["device"], second["busy"]) == (1, 100)
    assert numbers["untimed"] == 0
    shown = render(numbers).splitlines()
    assert "device 0: busy 60% of 5 us; gaps: 1, 2 us in all, the longest 2 us" in shown
    assert "         1       1 us       1 us      0  copy, host to device: 3.9 KiB, 4 GB/s" in shown
    assert max(map(len, shown)) <= 80


def test_launches_without_a_time_are_counted():
    """Some work is known by its call: so a launch that has none is told."""
    events = made()
    later = dataclasses.replace(events[0], start=9000)
    numbers = summary([*events, later])
    assert numbers["untimed"] == 1
    assert "1 launches have no time: captured, or running at the end" in render(numbers)
    failed = dataclasses.replace(later, status=1)
    assert summary([*events, failed])["untimed"] == 0
    # The host runtime doesn't say which call its kernels are of.
    host = DeviceWork("add", 2000, 100, 0, 0)
    assert summary([events[0], host])["untimed"] == 0


@pytest.mark.parametrize("form", ["jsonl", "json"])
def test_files_have_the_work_as_it_is(form):
    events = made()
    assert read_json("\n".join(FORMATS[form](events))) == events


def test_a_text_names_the_caller():
    _, first, *_ = FORMATS["txt"](made())
    assert first.endswith("1.000 us  device 0  add ran on stream 9, for train.py:12 in step")


def test_perfetto_has_a_track_for_each_stream_and_for_what_overlaps():
    """Kernels that overlap don't share a track, and arrows lead to them from their launch."""
    events = checked("\n".join(FORMATS["json"](made())))
    names = {
        (one["pid"], one["tid"]): one["args"]["name"] for one in events if "_name" in one["name"]
    }  # fmt: skip
    tracks = [
        (one["name"], names[one["pid"], 0], names[one["pid"], one["tid"]])
        for one in events
        if one["ph"] == "X" and one["cat"] != "cuda"
    ]
    assert tracks == [
        ("add", "device 0", "stream 9 (0x70)"),
        ("add", "device 0", "stream 9 (0x70), overlap 1"),
        ("copy, host to device", "device 0", "stream 9 (0x70)"),
        ("add", "device 1", "stream 9"),
    ]
    assert sum(one["ph"] == "s" for one in events) == 3


@own_interpreter("on_host")
def test_a_programs_file_keeps_to_the_format(tmp_path):
    """Calls, own calls and kernels of a run on the host runtime."""
    from tests.trace.faults import module

    add, array = module()["add_one"], PyGPU.zeros(64, np.int32)
    streams = [PyGPU.Stream() for _ in range(2)]
    with PyGPU.trace(tmp_path / "calls.json") as trace:
        for stream in streams:
            for _ in range(10):
                add[2, 32, stream](array)
        for stream in streams:
            stream.synchronize()
    events = checked((tmp_path / "calls.json").read_text())
    kernels = [one for one in events if one.get("cat") == "kernel"]
    assert len(kernels) == 20 and len({one["tid"] for one in kernels}) == 2
    assert load(str(tmp_path / "calls.json")) == trace.events()
    numbers = summary(trace.events())
    (device,) = numbers["devices"]
    assert device["work"][0]["runs"] == 20 and 0 < device["busy"] <= device["duration"]
    assert not main(["convert", str(tmp_path / "calls.json"), str(tmp_path / "calls.txt")], "trace")
    assert json.dumps(numbers)


@pytest.mark.parametrize(
    "spoilt",
    [
        {"ph": "Q"},
        {"dur": -1},
        {"tid": "main"},
        {"name": ""},
        {"ts": 2.1, "dur": 2, "tid": 1},
    ],
)
def test_the_check_of_the_format_finds_a_mistake(spoilt):
    events = json.loads("\n".join(FORMATS["json"](made())))["traceEvents"]
    second = [one for one in events if one["ph"] == "X"][2]
    second.update(spoilt)
    with pytest.raises(AssertionError):
        checked(json.dumps({"traceEvents": events}))
