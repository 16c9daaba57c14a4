"""The SAXPY program of the driver API runs on the host runtime, and unchanged on a GPU."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

SAXPY = pathlib.Path(__file__).resolve().parents[2] / "examples" / "saxpy_driver.py"


@pytest.mark.parametrize("backend", ["host", "cuda"])
def test_saxpy(backend, has_device):
    if backend == "cuda" and not has_device:
        pytest.skip("no device on this machine")
    done = subprocess.run(
        [sys.executable, SAXPY],
        env=os.environ | {"PYGPU_BACKEND": backend, "PYGPU_HOST_STRICT": "1"},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    assert done.stdout.startswith("saxpy of 1048576 elements on ")
    assert done.stdout.endswith("equals numpy's\n")
