"""PyGPU.trace and PYGPU_TRACE: what is recorded, and that nothing is lost or broken by it."""

from __future__ import annotations

import json
import os
import re
import resource
import threading

import numpy as np
import pytest

import PyGPU
from PyGPU import checked as gpu
from tests.own_interpreter import own_interpreter
from tests.trace.conftest import lines_of
from tests.trace.faults import module

on_host = own_interpreter("on_host")


def names(trace) -> list[str]:
    return [call.name for call in trace.calls]


@on_host
def test_a_call_has_its_arguments_results_and_line():
    """Addresses, enumerators, sizes, statuses and the caller's line are the caller's own."""
    data = np.zeros(10, np.float32)
    with PyGPU.trace() as trace:
        pointer = gpu.cudaMalloc(40)
        gpu.cudaMemcpy(pointer, data, 40, PyGPU.cudaMemcpyHostToDevice)
        _, error = PyGPU.cudaDeviceGetAttribute(PyGPU.cudaDevAttrWarpSize, 99)
    allocate, copy, failed = trace.calls
    assert (allocate.name, allocate.arguments) == ("cudaMalloc", {"size": 40})
    assert allocate.results == {"devPtr": hex(pointer)}
    assert copy.arguments == {
        "dst": hex(pointer),
        "src": hex(data.ctypes.data),
        "count": 40,
        "kind": "cudaMemcpyHostToDevice",
    }
    assert (copy.api, copy.status, copy.error, copy.bytes_moved) == ("cuda", 0, "cudaSuccess", 40)
    assert copy.duration > 0 and copy.thread == threading.get_native_id()
    assert copy.place.startswith(f"{__file__}:") and copy.line == allocate.line + 1
    assert (failed.status, failed.error) == (101, "cudaErrorInvalidDevice") and error == 101
    assert failed.arguments == {"attr": "cudaDevAttrWarpSize", "device": 99}
    assert failed.results == {}


@on_host
def test_structs_and_streams_are_decoded():
    """A stream is named by its address; a struct by its fields."""
    with PyGPU.trace() as trace:
        made = gpu.cudaStreamCreate()
        gpu.cudaStreamSynchronize(made)
        gpu.cudaStreamQuery(0)
        gpu.cudaMalloc3D(PyGPU.cudaExtent(8, 2, 3))
    calls = {call.name: call for call in trace.calls}
    assert calls["cudaStreamSynchronize"].stream == int(made)
    assert calls["cudaStreamQuery"].stream == 0
    assert calls["cudaStreamSynchronize"].waits
    extent = calls["cudaMalloc3D"].arguments["extent"]
    assert extent == {"width": 8, "height": 2, "depth": 3}
    assert calls["cudaMalloc3D"].results["pitchedDevPtr"]["xsize"] == 8


@on_host
def test_own_calls_of_arrays_have_the_users_line():
    """The copies of arrays are in the trace, although the user called no function for them."""
    array = PyGPU.zeros(100_000, np.float32)
    data = np.ones(100_000, np.float32)
    with PyGPU.trace() as trace:
        array.set(data)
        array.get()
    own = [call for call in trace.calls if call.own]
    assert {call.name for call in own} & {"cudaMemcpy", "cudaMemcpyAsync"}
    assert sum(call.bytes_moved for call in own if "Memcpy" in call.name) >= 800_000
    assert all(call.file == __file__ for call in own if call.file)


@on_host
def test_a_kernels_launch_and_time_are_there():
    """A launch by kernel[grid, block](...) names kernel, sizes, stream and line, and when."""
    add = module()["add_one"]
    array = PyGPU.zeros(64, np.int32)
    with PyGPU.trace() as trace:
        add[2, 32](array)
        array.get()
    (launch,) = [call for call in trace.calls if call.name == "cuLaunchKernel"]
    assert launch.arguments["f"] == "add_one"
    assert launch.arguments["gridDim"] == [2, 1, 1] and launch.arguments["blockDim"] == [32, 1, 1]
    assert (launch.stream, launch.file) == (0, __file__)
    (ran,) = trace.kernels
    assert ran.name == "add_one" and ran.duration > 0 and ran.start >= launch.start


@on_host
def test_traces_may_be_nested_and_overlap():
    """Each trace has the calls of its own time."""
    outer, inner = PyGPU.trace(), PyGPU.trace()
    outer.start()
    gpu.cudaGetDevice()
    inner.start()
    gpu.cudaGetDeviceCount()
    outer.stop()
    gpu.cudaDeviceSynchronize()
    inner.stop()
    gpu.cudaGetDevice()
    assert names(outer) == ["cudaGetDevice", "cudaGetDeviceCount"]
    assert names(inner) == ["cudaGetDeviceCount", "cudaDeviceSynchronize"]
    inner.stop()
    with pytest.raises(RuntimeError, match="started already"), outer:
        outer.start()


@on_host
def test_threads_that_end_leave_their_calls():
    """Calls of many threads, and more than a piece of the file holds, are all there."""
    gpu.cudaGetDevice()

    def work():
        for _ in range(1000):
            gpu.cudaGetDevice()

    with PyGPU.trace() as trace:
        threads = [threading.Thread(target=work) for _ in range(4)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
    assert len(trace.calls) == 4000 and len({call.thread for call in trace.calls}) == 4
    starts = [call.start for call in trace.calls]
    assert starts == sorted(starts) and all(call.duration is not None for call in trace.calls)


@on_host
def test_a_failing_block_is_written(tmp_path):
    """An exception ends the trace as any other end does."""
    file = tmp_path / "calls.jsonl"
    with pytest.raises(PyGPU.GPUError), PyGPU.trace(file):
        gpu.cudaSetDevice(99)
    (call,) = lines_of(file)
    assert (call["name"], call["error"]) == ("cudaSetDevice", "cudaErrorInvalidDevice")
    assert os.listdir(tmp_path) == ["calls.jsonl"]


def test_a_variable_traces_a_program(traced):
    """Until the interpreter ends, with the lines of the program."""
    calls = traced("import PyGPU\nPyGPU.cudaGetDevice()\nPyGPU.cudaDeviceSynchronize()")
    assert [(call["name"], call["line"]) for call in calls] == [
        ("cudaGetDevice", 2),
        ("cudaDeviceSynchronize", 3),
    ]


@pytest.mark.parametrize("path", ["/nowhere/calls.json", "calls.csv"])
def test_a_path_that_cant_be_written_is_an_error_at_once(python, path):
    done = python("import PyGPU", check=False, PYGPU_BACKEND="host", PYGPU_TRACE=path)
    assert done.returncode and re.search(r"Error: .*PYGPU_TRACE", done.stderr.splitlines()[-1])


def test_a_fork_has_a_file_of_its_own(traced, tmp_path):
    """Parent and child don't mix their calls."""
    calls = traced(
        """
        import os, sys
        import PyGPU
        PyGPU.cudaGetDevice()
        if not (child := os.fork()):
            PyGPU.cudaGetDeviceCount()
            sys.exit()
        os.waitpid(child, 0)
        PyGPU.cudaDeviceSynchronize()
        """
    )
    assert [call["name"] for call in calls] == ["cudaGetDevice", "cudaDeviceSynchronize"]
    (other,) = [one for one in tmp_path.iterdir() if one.name != "calls.jsonl"]
    assert [call["name"] for call in lines_of(other)] == ["cudaGetDeviceCount"]


def test_a_crash_loses_nothing(python, tmp_path):
    """The calls before a crash are in the .part, and the command reads it."""
    file = tmp_path / "calls.json"
    code = "import os, PyGPU\nPyGPU.cudaGetDevice()\nPyGPU.cudaMalloc(64)\nos.abort()"
    python(code, check=False, PYGPU_BACKEND="host", PYGPU_TRACE=str(file))
    show = "import sys; from PyGPU.doctor.cli import main; main(sys.argv[1:])"
    shown = python(show, "trace", "show", f"{file}.part", "--json")
    assert set(json.loads(shown.stdout)["functions"]) == {"cudaGetDevice", "cudaMalloc"}


@on_host
def test_formats_agree_and_the_summary_fits(tmp_path):
    """All formats have the same calls; the summary fits 80 x 24 with the command and a prompt."""
    from PyGPU._trace.command import load, main
    from PyGPU._trace.summary import render, summary

    array = PyGPU.zeros(1000, np.float32)
    with PyGPU.trace(tmp_path / "calls.json") as trace:
        array.set(np.ones(1000, np.float32))
        gpu.cudaDeviceSynchronize()
    perfetto = json.loads((tmp_path / "calls.json").read_text())["traceEvents"]
    assert sum(event["ph"] == "X" for event in perfetto) == len(trace.events())
    assert load(str(tmp_path / "calls.json")) == trace.events()
    for name in ("calls.jsonl", "calls.txt"):
        assert not main(["convert", str(tmp_path / "calls.json"), str(tmp_path / name)], "trace")
        assert len((tmp_path / name).read_text().splitlines()) == len(trace.events())
    assert load(str(tmp_path / "calls.jsonl")) == trace.events()
    assert main(["show", str(tmp_path / "calls.txt")], "trace") == 1
    shown = trace.summary()
    assert "cudaDeviceSynchronize" in shown and "4 KiB" not in shown
    assert max(map(len, shown.splitlines())) <= 80
    numbers = summary(trace.events())
    numbers["functions"] = {f"{n}": one for n in range(30) for one in numbers["functions"].values()}
    numbers["slowest"] = numbers["slowest"][:1] * 10
    assert len(render(numbers, 80, 24).splitlines()) in (21, 22)
    assert len(render(numbers, 80, 60).splitlines()) > 30


def without_room() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
    with PyGPU.trace() as trace:
        for _ in range(20_000):
            PyGPU.cudaGetDevice()
    assert 1000 < len(trace.calls) < 20_000


def test_a_full_disk_ends_the_recording_and_is_told(on_host):
    assert "there was no room on the disk" in on_host(without_room).stderr
