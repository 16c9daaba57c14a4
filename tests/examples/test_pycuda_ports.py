"""PyCUDA's programs, ported by renaming imports: on the host runtime, and on a GPU."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples" / "pycuda"
# How many times each program reports agreement with numpy.
AGREE = {
    "hello_gpu": 1,
    "demo": 5,
    "streams_and_events": 5,
    "fill_gpu_with_nans": 1,
    "simple_speed_test": 2,
}
GIVEN = {"fill_gpu_with_nans": ["64000000"]}  # by default it takes all free memory


def run(program: pathlib.Path, backend: str, cache: pathlib.Path) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, program, *GIVEN.get(program.stem, ())],
        env=os.environ
        | {"PYGPU_BACKEND": backend, "PYGPU_HOST_STRICT": "1", "PYGPU_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        timeout=240,
    )


def test_each_program_is_tried():
    programs = {one.stem for one in FOLDER.glob("*.py")}
    assert programs == {*AGREE, "dump_properties", "compared"}


@pytest.mark.parametrize("backend", ["host", "cuda"])
@pytest.mark.parametrize("program", [*AGREE, "dump_properties"])
def test_it_agrees_with_numpy(program, backend, has_device, tmp_path):
    if backend == "cuda" and not has_device:
        pytest.skip("no device on this machine")
    done = run(FOLDER / f"{program}.py", backend, tmp_path)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    assert done.stdout.count(": as numpy's\n") == AGREE.get(program, 0)
    assert ("PyGPU host device" in done.stdout) == (backend == "host")
    if program == "dump_properties":
        assert "  WARP_SIZE: 32\n" in done.stdout


@pytest.mark.parametrize(
    ("program", "right", "wrong"),
    [
        ("hello_gpu", "= a[i] * b[i]", "= a[i] + b[i]"),
        ("demo", "a[i] *= 2", "a[i] *= 3"),
        ("streams_and_events", "threadIdx.x] += b", "threadIdx.x] -= b"),
        ("fill_gpu_with_nans", "ary.fill(np.nan)", "ary.fill(1)"),
        ("simple_speed_test", "value = sinf(value)", "value = cosf(value)"),
    ],
)
def test_a_wrong_kernel_is_told(program, right, wrong, tmp_path):
    """Shows that the comparison can fail."""
    folder = shutil.copytree(FOLDER, tmp_path / "examples")
    text = (folder / f"{program}.py").read_text()
    assert text.count(right) == 1
    (folder / f"{program}.py").write_text(text.replace(right, wrong))
    done = run(folder / f"{program}.py", "host", tmp_path)
    assert done.returncode == 1 and "differs from numpy's" in done.stderr
