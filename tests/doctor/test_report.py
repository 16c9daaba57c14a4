"""The report's text, JSON and exit code, in this process and as users call it."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import threading

import pytest

import PyGPU
from PyGPU import _backend
from PyGPU._apis import APIS
from PyGPU._base import terminal
from PyGPU.doctor import brief, cli, render

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
    text = render(diagnose(files, environ=environ, cuda=WORKING), 200)
    assert text.startswith("CUDA works.\n")
    for part in (
        "Backend  cuda: the test says so",
        "CUDA_VISIBLE_DEVICES  0",
        "release 13.0, libcudart.so.13, 310 functions",
        "310 functions (without 1 of other releases)",
        "serves CUDA up to 13.2, kernel module 580.65.06, nodes /dev/nvidia0",
        "0: Test Card, compute capability 9.0, warp size 32, 80.0 GiB, 512 MiB free",
        "* /site/libcudart.so.13",
        "pip package nvidia-cuda-runtime, SONAME libcudart.so.13: chosen",
    ):
        assert part in text
    assert "What to do" not in text


def test_a_hip_version_is_split(diagnose):
    report = diagnose(backend="hip", hip={"driver_version": 60241134})
    assert report["apis"]["hip"]["driver"]["version"] == "6.2.41134"


def test_a_bad_backend_is_a_finding(diagnose):
    report = diagnose(backend="", environ={"PYGPU_BACKEND": "rocm"})
    assert report["backend"]["name"] is None
    for text in (render(report), brief.render(report)):
        assert text.count("PYGPU_BACKEND is 'rocm'; it must be one of auto, cuda, hip, host") == 2
        assert text.startswith("No backend works on this machine.\n")


def test_the_short_text_of_a_working_machine(diagnose):
    devices = [DEVICE, DEVICE | {"index": 1}, DEVICE | {"index": 2, "name": "Other Card"}]
    report = diagnose(cuda=WORKING | {"devices": devices, "device_count": 3})
    lines = brief.render(report, width=120).splitlines()
    assert lines[0] == "CUDA works."
    assert (
        "CUDA         13.0, pip package nvidia-cuda-runtime; 3 devices: 2 x Test Card, 80.0 GiB; "
        "Other Card, 80.0 GiB" in lines
    )
    assert "HIP          no library found" in lines
    assert "/site/" not in "\n".join(lines)


@pytest.mark.parametrize("backend", ["cuda", "host"])
def test_the_short_text_fits_a_screen(diagnose, monkeypatch, backend):
    """With the command and the prompt, 80 x 24 has all; a higher window has all notes."""
    monkeypatch.setattr(_backend, "_asked_for", backend != "host")
    environ = {"LD_LIBRARY_PATH": "/a/long/path" * 9, **{f"PYGPU_WRONG_{n}": "1" for n in range(4)}}
    facts = {"cuda": WORKING} if backend == "host" else {}
    report = diagnose({"/.dockerenv": ""}, backend=backend, environ=environ, **facts)
    small = brief.render(report).splitlines()
    assert len(small) <= 22
    assert max(map(len, small)) <= 80
    assert re.fullmatch(r"\d+ more notes?, paths, candidates, .*: -v\..*", small[-1])
    large = " ".join(brief.render(report, height=80).split())
    assert all(" ".join(note.split()) in large for note in report["notes"])


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "environ", "coloured"),
    [
        (Terminal, {}, True),
        (Terminal, {"NO_COLOR": "1"}, False),
        (Terminal, {"TERM": "dumb"}, False),
        (io.StringIO, {}, False),
    ],
)
def test_colours_are_for_terminals(diagnose, monkeypatch, stream, environ, coloured):
    report = diagnose(cuda=WORKING)
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in ({"TERM": "xterm"} | environ).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stdout", stream())
    for text in (render(report), brief.render(report)):
        assert text.startswith("\x1b[32mCUDA works.\x1b[0m\n" if coloured else "CUDA works.\n")
        assert text.count("\x1b") == 2 * coloured


@pytest.mark.parametrize("stream", [Terminal, io.StringIO])
def test_waiting_is_told_on_a_terminal_alone(monkeypatch, stream):
    """The line appears once time has passed, and nothing of it is left."""
    monkeypatch.setenv("TERM", "xterm")
    shown, seen = stream(), threading.Event()
    written = shown.write
    monkeypatch.setattr(shown, "write", lambda text: (written(text), seen.set()))
    monkeypatch.setattr(sys, "stderr", shown)
    with terminal.Waiting("Asking", after=0.001):
        assert seen.wait(60 if stream is Terminal else 0) == (stream is Terminal)
    text = shown.getvalue()
    if stream is Terminal:
        assert "Asking (" in text
        assert text.endswith("\r\x1b[K")
    else:
        assert text == ""


@pytest.mark.parametrize(("facts", "code"), [(WORKING, 0), ({}, 1)])
@pytest.mark.parametrize(
    "arguments", [[], ["-v"], ["--json"], ["doctor"], ["doctor", "-v"], ["--json", "doctor"]]
)
def test_exit_code_and_form(diagnose, monkeypatch, capsys, facts, code, arguments):
    report = diagnose(cuda=facts)
    monkeypatch.setattr(cli, "collect", lambda timeout: report)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("LINES", "50")
    assert cli.main(arguments) == code
    printed = capsys.readouterr().out
    if "--json" in arguments:
        assert json.loads(printed) == report
    elif "-v" in arguments:
        assert printed == render(report, 100) + "\n"
    else:
        assert printed == brief.render(report, 100, 50) + "\n"


def test_no_escape_reaches_the_terminal(diagnose):
    """A path or a SONAME may come from anybody."""
    hostile = "\x1b]0;title\x07\n\u202eX\udce9ü"
    candidate = CANDIDATE | {"path": f"/site/{hostile}", "soname": hostile, "verdict": hostile}
    report = diagnose(cuda=WORKING | {"candidates": [candidate | {"origin": hostile}]})
    text = render(report)
    assert "- /site/" in text or "* /site/" in text
    for shown in (text, brief.render(report)):
        assert all(one.isprintable() or one == "\n" for one in shown)
        assert "\\x1b]0;title\\x07\\n\\u202eX\\udce9ü" in shown


def test_help_tells_the_exit_codes(capsys):
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    assert "Exits with 0 if a backend works" in " ".join(capsys.readouterr().out.split())


def test_the_version(capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"PyGPU {PyGPU.__version__}\n"


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
    assert "\nPyGPU " in result.stdout
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
