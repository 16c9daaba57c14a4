"""A user's kernels: compiled by nvcc, compiled at run time, and in a pybind11 module."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

from tests.conftest import required

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples" / "kernels"
# How many times a program reports agreement with numpy on a GPU; on the host runtime once.
AGREE = {"by_nvcc": 1, "by_compile": 1, "by_pybind11": 2}


def run(program: pathlib.Path, backend: str, **variables: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, program],
        env=os.environ | {"PYGPU_BACKEND": backend, "PYGPU_HOST_STRICT": "1"} | variables,
        capture_output=True,
        text=True,
        timeout=240,
    )


def test_each_program_is_tried():
    assert {one.stem for one in FOLDER.glob("by_*.py")} == set(AGREE)


@pytest.mark.parametrize("backend", ["host", "cuda"])
@pytest.mark.parametrize("program", AGREE)
def test_it_agrees_with_numpy(program, backend, has_device, request, tmp_path):
    if backend == "cuda" and not has_device:
        pytest.skip("no device on this machine")
    if program == "by_pybind11":
        required("pybind11")
    variables = {"PYGPU_CACHE_DIR": str(tmp_path)}
    if program != "by_compile":
        variables["CUDA_HOME"] = str(pathlib.Path(request.getfixturevalue("nvcc")).parents[1])
    done = run(FOLDER / f"{program}.py", backend, **variables)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    count = 1 if backend == "host" else AGREE[program]
    assert done.stdout.count(": as numpy's\n") == count
    assert ("PyGPU host device" in done.stdout) == (backend == "host")


def test_a_missing_nvcc_is_told(tmp_path):
    homes = {"CUDA_HOME": str(tmp_path), "CUDA_PATH": str(tmp_path)}
    if shutil.which("/usr/local/cuda/bin/nvcc"):
        text = (FOLDER / "parts.py").read_text().replace('"/usr/local/cuda"', f'"{tmp_path}"')
    else:
        text = (FOLDER / "parts.py").read_text()
    folder = shutil.copytree(FOLDER, tmp_path / "kernels")
    (folder / "parts.py").write_text(text)
    done = run(folder / "by_nvcc.py", "host", PATH=str(tmp_path), **homes)
    assert done.returncode == 1 and done.stderr.startswith("there is no nvcc here: install")


def test_a_wrong_kernel_is_told(tmp_path):
    """Shows that the comparison can fail."""
    folder = shutil.copytree(FOLDER, tmp_path / "kernels")
    text = (folder / "smooth.cu").read_text()
    assert text.count("in[at + 1]") == 1
    (folder / "smooth.cu").write_text(text.replace("in[at + 1]", "in[at]"))
    done = run(folder / "by_compile.py", "host")
    assert done.returncode == 1 and "differs from numpy's" in done.stderr
