"""SAXPY is compiled, launched and compared with numpy: on a GPU, and on the host runtime."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys

import pytest

SAXPY = pathlib.Path(__file__).resolve().parents[2] / "examples" / "saxpy.py"


@pytest.mark.parametrize("backend", ["host", "cuda"])
def test_saxpy(backend, has_device):
    if backend == "cuda" and not has_device:
        pytest.skip("no device on this machine")
    done = subprocess.run(
        [sys.executable, SAXPY],
        env=os.environ | {"PYGPU_BACKEND": backend},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    assert re.search(r"compiled saxpy for \w+: [1-9][\d,]* bytes", done.stdout)
    assert done.stdout.endswith("equal numpy's\n")
    assert ("PyGPU host device" in done.stdout) == (backend == "host")
