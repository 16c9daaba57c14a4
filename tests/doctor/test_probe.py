"""The doctor asks the library in a child: errors become findings, crashes and hangs stay there."""

from __future__ import annotations

import os
import pathlib
import sys
from types import SimpleNamespace

import pytest

from PyGPU import _libraries
from PyGPU.doctor import probe


class Status(int):
    name = "cudaErrorWhatever"
    message = "as told"


OK, BAD = Status(0), Status(999)


class Api:
    """An API with two devices, the second of which can't be made current."""

    cudaDevAttrComputeCapabilityMajor = 75  # noqa: N815
    cudaDevAttrComputeCapabilityMinor = 76  # noqa: N815
    cudaDevAttrWarpSize = 10  # noqa: N815

    def __init__(self) -> None:
        self.current = 1
        self.set: list[int] = []

    def cudaDriverGetVersion(self):  # noqa: N802
        return 13020, OK

    def cudaGetDeviceCount(self):  # noqa: N802
        return 2, OK

    def cudaGetDevice(self):  # noqa: N802
        return self.current, OK

    def cudaSetDevice(self, device: int):  # noqa: N802
        self.set.append(device)
        return BAD if device == 1 else OK

    def cudaMemGetInfo(self):  # noqa: N802
        return 3 * 2**30, 4 * 2**30, OK

    def cudaDeviceGetAttribute(self, attribute: int, device: int):  # noqa: N802
        return {75: 9, 76: 0, 10: 32}[attribute], OK

    def cudaGetDeviceProperties(self, device: int):  # noqa: N802
        return SimpleNamespace(name="Card", totalGlobalMem=4 * 2**30), OK


@pytest.fixture
def installed(monkeypatch):
    monkeypatch.setattr(_libraries, "load", lambda api, function="", portable=False: True)
    monkeypatch.setattr(_libraries, "installed", lambda api: {"path": "x"})
    monkeypatch.setattr(_libraries, "survey", lambda api: [])
    monkeypatch.setattr(_libraries, "driver_version", lambda api: None)


def merged(api: object) -> dict[str, object]:
    facts: dict[str, object] = {}
    for answer in probe.probe("cuda", api):
        facts.update(answer)
    return facts


@pytest.mark.usefixtures("installed")
def test_devices():
    api = Api()
    facts = merged(api)
    assert facts["driver_version"] == 13020
    assert facts["device_count"] == 2
    first, second = facts["devices"]
    assert first == {
        "index": 0,
        "name": "Card",
        "memory_total": 4 * 2**30,
        "memory_free": 3 * 2**30,
        "compute_capability": "9.0",
        "gfx": None,
        "warp_size": 32,
        "errors": [],
    }
    assert second["memory_free"] is None
    assert second["memory_total"] == 4 * 2**30
    assert second["errors"] == [
        {
            "function": "cudaSetDevice",
            "name": "cudaErrorWhatever",
            "code": 999,
            "message": "as told",
        }
    ]
    assert api.set == [0, 1, 1]  # finally what was current before


@pytest.mark.usefixtures("installed")
def test_a_struct_that_is_only_bytes():
    api = Api()
    api.cudaGetDeviceProperties = lambda device: (b"Raw Card\0" + bytes(300), OK)
    assert merged(api)["devices"][0]["name"] == "Raw Card"


@pytest.mark.usefixtures("installed")
def test_no_count():
    api = Api()
    api.cudaGetDeviceCount = lambda: (None, BAD)
    facts = merged(api)
    assert facts["device_count"] is None
    assert facts["errors"][0]["code"] == 999


@pytest.mark.usefixtures("installed")
def test_an_exception_is_a_finding():
    api = Api()
    api.cudaGetDeviceProperties = None
    (problem,) = merged(api)["devices"][0]["errors"]
    assert (problem["name"], problem["code"]) == ("TypeError", None)


def impostor(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """A program that replaces Python as the doctor's child."""
    program = tmp_path / "python"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))


def test_a_hang_keeps_what_was_said(tmp_path, monkeypatch):
    impostor(tmp_path, monkeypatch, "echo '{\"device_count\": 1}'; exec tail -f /dev/null")
    facts, failure = probe.run("cuda", 0.5)
    assert facts == [{"device_count": 1}]
    assert failure == "gave no answer within 0.5 seconds"


@pytest.mark.parametrize("program", ["/nowhere/python", "/dev/null", "/tmp"])
def test_no_child_at_all(monkeypatch, program):
    monkeypatch.setattr(sys, "executable", program)
    facts, failure = probe.run("cuda", 60)
    assert facts == []
    assert failure.startswith("was not possible: no other process could be started ([Errno ")


def test_entries_of_the_path_that_are_no_text(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "path", [tmp_path, None, b"x", *sys.path])
    monkeypatch.setitem(os.environ, "PYGPU_CUDA_LIBRARY", "/nowhere/libcudart.so")
    facts, failure = probe.run("cuda", 60)
    assert failure == ""
    assert facts


def test_a_crash_keeps_what_was_said(tmp_path, monkeypatch):
    script = "echo 'driver: hello'; echo '{\"device_count\": 1}'; echo oops >&2; kill -SEGV $$"
    impostor(tmp_path, monkeypatch, script)
    facts, failure = probe.run("cuda", 60)
    assert facts == [{"device_count": 1}]
    assert failure == f"ended with signal {int(__import__('signal').SIGSEGV)}: oops"


def test_the_real_child(monkeypatch):
    """With the real core: a missing library gives a warning, and no failure."""
    monkeypatch.setitem(os.environ, "PYGPU_CUDA_LIBRARY", "/nowhere/libcudart.so")
    facts, failure = probe.run("cuda", 60)
    assert failure == ""
    answer = {key: value for fact in facts for key, value in fact.items()}
    assert answer["library"] is None
    assert "/nowhere/libcudart.so" in answer["warnings"][0]
    assert answer["candidates"][0]["origin"] == "PYGPU_CUDA_LIBRARY"
