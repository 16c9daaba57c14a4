"""The tour runs from end to end, and writes nothing to stderr."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

TOUR = pathlib.Path(__file__).resolve().parents[2] / "examples" / "tour.py"


@pytest.mark.parametrize("backend", ["host", "auto"])
def test_the_tour(backend):
    done = subprocess.run(
        [sys.executable, TOUR],
        env=os.environ | {"PYGPU_BACKEND": backend},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    if backend == "host":
        lines = [line.strip() for line in done.stdout.splitlines()]
        shown = dict(line.split("  ", 1) for line in lines if "  " in line)
        assert shown["cudaGetDeviceProperties(0): name"].strip() == "PyGPU host device 0"
        assert shown["back equals sent"].strip() == "True"
        assert float(shown["that is"].split()[0]) > 0
