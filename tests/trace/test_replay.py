"""Traces with data: what a program did is done again without it, with equal results."""

from __future__ import annotations

import io
import re

import pytest

from PyGPU._trace.replay import container, report
from tests.trace.conftest import COMMAND
from tests.trace.replayed import PROGRAMS, record

# These also make allocations and handles beyond what their names say, as every program does.
LEAST = 20


def test_there_are_enough_programs():
    assert len(PROGRAMS) >= LEAST


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_is_replayed_with_equal_results(on_devices, replayed, tmp_path, name):
    """Every call returns what it returned, and the host receives what it received."""
    file = tmp_path / f"{name}.pygpu"
    on_devices(record, name, str(file))
    found = replayed(on_devices, file)
    assert found["differences"] == [] and found["equal"] and found["whole"]
    assert found["compared"] >= 1 and found["calls"] >= 3
    assert found["threads"] == (5 if name == "threads" else 1)


def with_data(file, change) -> None:
    """Write the file again with other data: change(number, bytes)."""
    out, number = io.BytesIO(), 0
    writer = container.Writer(lambda: out)
    for one in container.read(str(file), file.read_bytes()):
        payload = one.payload()
        if one.kind == container.DATA:
            payload, number = change(number, payload), number + 1
        writer.add(one.kind, payload)
    file.write_bytes(out.getvalue())


@pytest.mark.parametrize(
    ("name", "data", "call", "what"),
    [
        (
            "a_kernel_on_an_array",
            0,
            "cudaMemcpyAsync",
            r"word 2 is 0x00000104, recorded 0x00000004",
        ),
        ("calls_of_the_driver", 1, "cuMemcpyDtoH", r"element 2 is [\d.]+, recorded 6\.0; 1 of 256"),
        ("calls_of_the_runtime", 0, "cudaMemcpy", r"word 2 is 0x00000103.*; 2 of 512 differ"),
    ],
)
def test_what_differs_is_told(on_host, replayed, tmp_path, name, data, call, what):
    """The call, its line, and the first element, for an upload with one other bit."""
    file = tmp_path / "case.pygpu"
    on_host(record, name, str(file))

    def flip(number, payload):
        return payload[:9] + bytes([payload[9] ^ 1]) + payload[10:] if number == data else payload

    with_data(file, flip)
    found = replayed(on_host, file)
    (one,) = found["differences"]
    assert one["name"] == call and re.match(what, one["what"]), one
    assert re.search(rf"replayed\.py:\d+ in {name}", one["place"])


def test_an_error_is_replayed(on_host, replayed, tmp_path):
    """A program that ends by a fault is replayed up to it, and with it."""
    file = tmp_path / "case.pygpu"
    on_host(faulty, str(file), check=False)
    found = replayed(on_host, file)
    assert found["equal"] and found["functions"]["pygpuLaunch"] == 1


def faulty(path: str) -> None:
    import numpy as np

    import PyGPU
    from tests.trace.faults import module

    with PyGPU.trace(path):
        array = PyGPU.zeros(64, np.int32)
        module()["null_write"](array, grid=1, block=1)


@pytest.mark.parametrize("name", ["floats", "strided_arrays", "threads", "memory_of_a_pool"])
def test_a_program_on_hip_is_replayed(on_hip, replayed, tmp_path, name):
    """The same for the functions of HIP, which portable names stand for."""
    file = tmp_path / f"{name}.pygpu"
    on_hip(record, name, str(file))
    found = replayed(on_hip, file)
    assert found["differences"] == [] and found["compared"] >= 1
    assert {one[:3] for one in found["functions"]} <= {"hip", "pyg"}


def test_what_a_trace_cant_have_is_refused(on_hip, tmp_path):
    """CUDA's names that PyGPU adapts to HIP: their arguments aren't known."""
    file = tmp_path / "case.pygpu"
    on_hip(record, "a_captured_graph", str(file))
    done = on_hip(COMMAND, "trace", "replay", str(file), check=False)
    assert done.returncode == 1 and "hasn't kept the arguments of cudaGraphInst" in done.stderr


def on_two_devices(path: str) -> None:
    import numpy as np

    import PyGPU

    with PyGPU.trace(path):
        with PyGPU.device(1):
            first = PyGPU.to_gpu(np.arange(1000)).get()
        PyGPU.to_gpu(first).get()
        PyGPU.checked.cudaSetDevice(1)
        assert PyGPU.checked.cudaGetDevice() == 1


def test_each_call_has_its_device(on_host, replayed, refused, tmp_path):
    """Also where there are fewer devices: then the replay is refused."""
    file = tmp_path / "case.pygpu"
    two = on_host.having(PYGPU_HOST_DEVICES="2")
    two(on_two_devices, str(file))
    found = replayed(two, file)
    assert found["equal"] and found["compared"] == 2
    assert "uses device 1, and there are 1 devices" in refused(file)


def test_progress_is_said_after_two_seconds(monkeypatch, capsys):
    """And then once a second: a line each where stderr is no terminal."""
    times = iter([0.0, 1.9, 2.1, 2.2, 3.2])
    monkeypatch.setattr(report.time, "monotonic", lambda: next(times))
    progress = report.Progress()
    for done in range(1, 5):
        progress(1000 * done, 9000)
    expected = "replayed 2,000 of 9,000 steps\nreplayed 4,000 of 9,000 steps\n"
    assert capsys.readouterr().err == expected


def test_the_table_fits_a_terminal():
    """At most 80 columns, however many and however long the differences are."""
    one = {"call": 1234567, "name": "cudaMemcpyAsync", "place": "/long" * 20 + "/train.py:1 in f"}
    found = {
        "calls": 1,
        "threads": 2,
        "backend": "host",
        "seconds": 1.5,
        "whole": False,
        "compared": 1,
        "bytes_compared": 1,
        "host_functions": 1,
        "left_out": {"nvrtc": 2},
        "functions": {f"cudaFunction{at}": at for at in range(30)},
        "equal": False,
        "differences": [{**one, "what": "word 1 is 0x00, recorded 0x01; " * 9}] * 30,
    }
    lines = report.text(found).splitlines()
    assert max(map(len, lines)) <= 80 and "and 20 more" in lines[-1]
    assert lines[0] == "1 call of 2 threads replayed on host in 1.50 s"
    assert lines[1] == "1 download compared, 1 byte"
    assert any(line.endswith("cudaMemcpyAsync  train.py:1 in f") for line in lines)
