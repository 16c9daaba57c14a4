"""Programs of nvcc and hipcc on the host runtime: kernels run from PTX, or fail with a message."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess

import pytest

from tests.conftest import unavailable

HERE = pathlib.Path(__file__).resolve().parent
REFUSED = (
    "kernels can't be run on the CPU, and PyGPU.host.kernel() has registered no function for this"
    " one; the launch returned ErrorNotSupported (801)"
)


@pytest.fixture(scope="module")
def program(once, host_library) -> pathlib.Path:
    """compiled.cpp, linked to the host runtime."""
    compiler = os.environ.get("CXX") or shutil.which("g++") or shutil.which("c++")
    if not compiler:
        unavailable("no C++ compiler here")

    def build(folder: pathlib.Path) -> None:
        command = [
            *compiler.split(),
            "-std=c++20",
            "-Wall",
            HERE / "compiled.cpp",
            "-o",
            "compiled",
        ]
        command += ["-L", host_library.parent, "-lpygpu_host", f"-Wl,-rpath,{host_library.parent}"]
        subprocess.run(command, cwd=folder, check=True)

    return once("compiled", build) / "compiled"


@pytest.mark.parametrize("output", range(5), ids=["11.8", "13", "13-ptsz", "hip", "hip-by-ptr"])
def test_a_launch_fails_and_says_so_once(program, output):
    environment = os.environ | {"PYGPU_HOST_LEAKS": "1"}
    done = subprocess.run([program, str(output)], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    launches = [line for line in lines if line.startswith("launch")]
    assert launches == ["launch 801"] * 3
    configurations = [line for line in lines if line.startswith("2 3 1")]
    assert configurations == ["2 3 1, 32 1 1, 64, 1"] * (0 if output == 4 else 3)
    assert {line for line in lines if line.startswith("kernel")} <= {"kernel 0"}
    # HIP's start-up code passes a variable's value. With CUDA only the device code has it.
    assert lines[-3:] == [f"managed {7 if output > 2 else 0}", "free 1, device 0", "stranger 98"]
    said = done.stderr.splitlines()
    assert f"PyGPU host runtime: scale(float*, int): {REFUSED}" in said[0]
    about_zero = [line for line in said if "counted: a managed variable begins as zero" in line]
    assert len(about_zero) == (output < 3)
    assert len(said) == 1 + len(about_zero), "neither said twice nor listed as a leak"


def made_and_run(name, nvcc, host_library, folder, *flags) -> subprocess.CompletedProcess[str]:
    """A program compiled by nvcc, run on the host runtime."""
    command = [nvcc, "-cudart", "shared", *flags, HERE / f"{name}.cu", "-o", name]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    libraries = pathlib.Path(nvcc).resolve().parent.parent / "lib64"
    environment = {"LD_PRELOAD": str(host_library), "LD_LIBRARY_PATH": str(libraries)}
    return subprocess.run(
        [folder / name], capture_output=True, text=True, env=os.environ | environment, check=False
    )


def test_a_program_of_nvcc(host_library, nvcc, tmp_path):
    for flags in ([], ["-rdc=true"], ["-default-stream", "per-thread"]):
        done = made_and_run("launches", nvcc, host_library, tmp_path, *flags)
        first, added = 5 * 3 + 7, 7 + 2 * 3 * 4
        results = [str(one) for one in (added, 5 * 3 + added, first)]
        assert done.stdout.split() == ["0"] * 5 + results, done.stderr
        assert not done.stderr


def test_kernels_of_two_files_launch_kernels_copy_and_set(host_library, nvcc, tmp_path):
    """nvcc -rdc=true links machine code alone. The PTX of each file is linked here."""
    flags = "-rdc=true", HERE / "children_add.cu"
    done = made_and_run("children", nvcc, host_library, tmp_path, *flags)
    *threads, sums, instances, fault = done.stdout.splitlines()
    assert threads == ["9 9 0 no error"] * 2, done.stderr
    # Each grid adds 2 * 3 * 2. The inner one ends with its tail launch before the outer one copies.
    assert sums == f"0 0 {24 * 100} {24 * 10} 2020202", done.stderr
    assert instances == f"0 {sum(range(21))} 1", done.stderr
    assert fault == "700" and "a kernel's copy or set" in done.stderr


def test_symbols_attributes_and_occupancy_of_a_program(host_library, nvcc, tmp_path):
    """Copies to __constant__ and __device__ variables reach its kernels, and come back."""
    # CUDA 13's nvcc knows no lower target and has this default; older ones have another default.
    done = made_and_run("symbols", nvcc, host_library, tmp_path, "-arch=sm_75")
    table, counts = [1, 2, 4, 8], [1, 5, 3]
    out = [table[(31 - i) % 4] + counts[i % 3] for i in range(32)]
    assert done.stdout.splitlines() == [
        "to 0 0",
        "ran 0",
        f"out {out[0]} {out[1]} {out[2]} {out[31]}",
        "from 0 1 5 13",
        "address 0 0",
        "size 0 16",
        "wrong 13 1 21 13",
        "attributes 0 256 128 1 75",
        "blocks 0 1 0 0 1 0",
        "best 0 256 1",
        "large 1 0 0 0",
        f"last 0 {out[0]}",
    ], done.stderr


def test_cubs_algorithms_in_a_program(host_library, nvcc, tmp_path):
    """CUB's sums, scans and sorts agree with the C++ library's.

    CUB asks for the occupancy first.
    """
    flags = "-gencode", "arch=compute_80,code=compute_80"
    done = made_and_run("cub", nvcc, host_library, tmp_path, *flags)
    expected = [f"{name} 0 0" for name in ("sum", "scan", "sort", "block")]
    assert done.stdout.splitlines() == expected, done.stderr
