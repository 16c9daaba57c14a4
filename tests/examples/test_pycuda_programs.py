"""PyCUDA's two published programs with the driver API: on the host runtime, and on a GPU."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
SAID = {
    "multiply_them": ["400 elements on {}: as numpy's", "20 x 10 elements on {}: as numpy's"],
    "double_them": ["4 x 4 elements on {}, doubled and doubled again: as numpy's"],
}


def run(program: str, backend: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, EXAMPLES / f"{program}.py"],
        env=os.environ | {"PYGPU_BACKEND": backend, "PYGPU_HOST_STRICT": "1"},
        capture_output=True,
        text=True,
        timeout=240,
    )


@pytest.mark.parametrize("backend", ["host", "cuda"])
@pytest.mark.parametrize("program", SAID)
def test_it_agrees_with_numpy(program, backend, has_device):
    if backend == "cuda" and not has_device:
        pytest.skip("no device on this machine")
    done = run(program, backend)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    (name,) = {line.partition(" on ")[2].partition(": as")[0] for line in done.stdout.splitlines()}
    name = name.partition(", doubled")[0]
    assert done.stdout.splitlines() == [line.format(name) for line in SAID[program]]
    assert (name == "PyGPU host device 0") == (backend == "host")


@pytest.mark.parametrize("program", SAID)
def test_a_wrong_kernel_is_told(program, tmp_path):
    """Shows that the comparison can fail: the same program with another kernel."""
    text = (EXAMPLES / f"{program}.py").read_text()
    wrong = text.replace("a[i] * b[i];", "a[i] + b[i];").replace("*= 2;", "*= 3;")
    assert wrong != text
    (tmp_path / "wrong.py").write_text(wrong)
    done = subprocess.run(
        [sys.executable, tmp_path / "wrong.py"],
        env=os.environ | {"PYGPU_BACKEND": "host"},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 1 and "differs from numpy's" in done.stderr
