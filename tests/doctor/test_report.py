"""The report's text, JSON and exit code, in this process and as users call it."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from PyGPU import _backend
from PyGPU._apis import APIS
from PyGPU.doctor import cli, render

KEYS = {
    "schema",
    "works",
    "pygpu",
    "python",
    "system",
    "backend",
    "environment",
    "libraries",
    "apis",
    "advice",
    "notes",
}
API_KEYS = {
    "works",
    "library",
    "candidates",
    "warnings",
    "driver",
    "device_count",
    "devices",
    "errors",
    "probe",
}
DEVICE = {
    "index": 0,
    "name": "Test Card",
    "memory_total": 80 * 2**30,
    "memory_free": 512 * 2**20,
    "compute_capability": "9.0",
    "gfx": None,
    "warp_size": 32,
    "errors": [],
}
CANDIDATE = {
    "path": "/site/libcudart.so.13",
    "origin": "pip package nvidia-cuda-runtime",
    "soname": "libcudart.so.13",
    "major": 13,
    "chosen": True,
    "verdict": "chosen",
}
LIBRARY = {
    "path": "/site/libcudart.so.13",
    "soname": "libcudart.so.13",
    "release": "13.0",
    "found": 310,
    "missing": ["cudaFoo"],
}
WORKING = {
    "library": LIBRARY,
    "candidates": [CANDIDATE],
    "driver_version": 13020,
    "device_count": 1,
    "devices": [DEVICE],
}


def test_the_keys_are_stable(diagnose):
    report = json.loads(json.dumps(diagnose(cuda=WORKING)))
    assert report["schema"] == 1
    assert set(report) == KEYS
    assert set(report["apis"]) == {"cuda", "hip"}
    assert set(report["libraries"]) == set(APIS) - {"cuda", "hip"}
    for api in report["apis"].values():
        assert set(api) == API_KEYS
        assert set(api["driver"]) == {"version", "library", "kernel", "nodes", "cards"}


def test_the_text_of_a_working_machine(diagnose):
    files = {"/dev/nvidia0": "", "/proc/driver/nvidia/version": "NVRM version: x  580.65.06  y"}
    environ = {"CUDA_VISIBLE_DEVICES": "0"}
    text = render(diagnose(files, environ=environ, cuda=WORKING))
    for part in (
        "Backend  cuda: the test says so",
        "CUDA_VISIBLE_DEVICES  0",
        "release 13.0, libcudart.so.13, 310 functions",
        "310 functions (without 1 of other releases)",
        "serves CUDA up to 13.2, kernel module 580.65.06, nodes /dev/nvidia0",
        "0: Test Card, compute capability 9.0, warp size 32, 80.0 GiB, 512 MiB free",
        "* /site/libcudart.so.13",
        "pip package nvidia-cuda-runtime, SONAME libcudart.so.13: chosen",
        "\nCUDA works.",
    ):
        assert part in text
    assert "What to do" not in text


def test_a_hip_version_is_split(diagnose):
    report = diagnose(backend="hip", hip={"driver_version": 60241134})
    assert report["apis"]["hip"]["driver"]["version"] == "6.2.41134"


def test_a_bad_backend_is_a_finding(diagnose):
    report = diagnose(backend="", environ={"PYGPU_BACKEND": "rocm"})
    assert report["backend"]["name"] is None
    text = render(report)
    assert text.count("PYGPU_BACKEND is 'rocm'; it must be one of auto, cuda, hip, host") == 2
    assert "No backend works on this machine." in text


@pytest.mark.parametrize(("facts", "code"), [(WORKING, 0), ({}, 1)])
@pytest.mark.parametrize("arguments", [[], ["--json"], ["doctor"], ["--json", "doctor"]])
def test_exit_code_and_form(diagnose, monkeypatch, capsys, facts, code, arguments):
    report = diagnose(cuda=facts)
    monkeypatch.setattr(cli, "collect", lambda timeout: report)
    assert cli.main(arguments) == code
    printed = capsys.readouterr().out
    if "--json" in arguments:
        assert json.loads(printed) == report
    else:
        assert printed == render(report) + "\n"


def test_no_escape_reaches_the_terminal(diagnose):
    """A path or a SONAME may come from anybody."""
    hostile = "\x1b]0;title\x07\n\u202eX\udce9ü"
    candidate = CANDIDATE | {"path": f"/site/{hostile}", "soname": hostile, "verdict": hostile}
    text = render(diagnose(cuda=WORKING | {"candidates": [candidate]}))
    assert "- /site/" in text or "* /site/" in text
    assert all(one.isprintable() or one == "\n" for one in text)
    assert "\\x1b]0;title\\x07\\n\\u202eX\\udce9ü" in text


def test_help_tells_the_exit_codes(capsys):
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    assert "Exits with 0 if a backend works" in " ".join(capsys.readouterr().out.split())


def run_bare(*arguments: str) -> subprocess.CompletedProcess[str]:
    """`python -m PyGPU` with an empty environment, except for the path of a build in the tree."""
    return subprocess.run(
        [sys.executable, "-m", "PyGPU", *arguments],
        env={name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_with_an_empty_environment(device_count):
    """The report agrees with the machine. Without a GPU the host runtime works."""
    result = run_bare("--json")
    assert result.stderr == ""
    report = json.loads(result.stdout)
    assert set(report) == KEYS
    assert result.returncode == (0 if report["works"] else 1)
    for api in report["apis"].values():
        assert api["probe"] == ""
        assert api["works"] == bool(api["device_count"])
        assert len(api["devices"]) == (api["device_count"] or 0)
    assert [one["chosen"] for one in report["libraries"]["nvrtc"]].count(True) <= 1
    backend = report["backend"]["name"]
    assert backend == _backend.choose({})[0]
    if backend == "host":  # the report says what a GPU needs
        assert report["works"]
        assert report["backend"]["stands_in"]
        assert all(api["device_count"] and not api["warnings"] for api in report["apis"].values())
        assert len(report["notes"]) == 2
    else:
        assert (report["apis"][backend]["device_count"] or 0) == device_count
        assert report["works"] or report["advice"]


def test_the_text_with_an_empty_environment():
    result = run_bare()
    assert result.stderr == ""
    assert result.stdout.startswith("PyGPU ")
    assert "\nBackend " in result.stdout


def test_a_bad_backend_ends_well():
    code = "import runpy; runpy.run_module('PyGPU', run_name='__main__')"
    result = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYGPU_BACKEND": "rocm"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "PYGPU_BACKEND is 'rocm'; it must be one of auto, cuda, hip, host" in result.stdout
    assert (result.returncode, result.stderr) == (1, "")
