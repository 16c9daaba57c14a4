"""Examples of the vendors' libraries: on a card by the real ones, without by C++ stand-ins."""

from __future__ import annotations

import os
import pathlib
import pty
import select
import signal
import subprocess
import sys

import pytest

import PyGPU
from PyGPU import _libraries
from PyGPU._apis import APIS
from tests.conftest import unavailable
from tests.examples.test_readme import ROWS

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "examples"
SHOWN = {name.removesuffix(".py"): excerpt for name, _, _, excerpt in ROWS}
FILES = {
    "cublas": "libcublas.so.13", "cusparse": "libcusparse.so.12", "cufft": "libcufft.so.12",
    "nccl": "libnccl.so.2", "rccl": "librccl.so.1", "nvml": "libnvidia-ml.so.1",
    "amdsmi": "libamd_smi.so.26", "hipblas": "libhipblas.so.2", "hipsparse": "libhipsparse.so.3",
    "hipfft": "libhipfft.so.0",
}  # fmt: skip
COUNTERPARTS = {"cublas": "hipblas", "cusparse": "hipsparse", "cufft": "hipfft", "nccl": "rccl"}
# The libraries of a program, its arguments without a GPU, and a fault with the message about it.
PROGRAMS = {
    "conjugate_gradient": (
        ("cublas", "cusparse"), ["16"], ("-alpha, q", "alpha, q"), "the residual is",
    ),
    "spectral_filter": (
        ("cufft",), ["512"], ("spectrum[kept:] = 0", "spectrum[kept:] = 1"), "differs from numpy's",
    ),
    "data_parallel_sum": (
        ("nccl",), [], ("to_gpu(part)", "to_gpu(-part)"), "differs from numpy's",
    ),
}  # fmt: skip


@pytest.fixture
def environment(compile_library, tmp_path):
    """The variables that name a stand-in for each library of a list."""

    def of(names):
        for name in names:
            if not APIS[name].is_installed:
                unavailable(f"PyGPU[{APIS[name].extra}] is not installed")
        return os.environ | {"PYGPU_BACKEND": "host", "PYGPU_CACHE_DIR": str(tmp_path)} | {
            APIS[name].library.variable: compile_library(FILES[name], standin(name))
            for name in names
        }  # fmt: skip

    return of


def standin(name):
    """The C++ of a stand-in. AMD's libraries have NVIDIA's functions by other names."""
    of_nvidia = {amd: nvidia for nvidia, amd in COUNTERPARTS.items()}.get(name, name)
    file = HERE / "standins" / f"{of_nvidia}.cpp"
    if of_nvidia == "cusparse":
        file = HERE.parent / "cusparse" / "standin.cpp"
    text = file.with_name("wait.hpp").read_text() if "wait_for" in file.read_text() else ""
    text += file.read_text()
    if name != of_nvidia and name != "rccl":
        text = text.replace(of_nvidia, name).replace("_v2", "")
        text = text.replace("using Plan = int", "using Plan = long")
    return text


def run(program, *arguments, **options):
    return subprocess.run(
        [sys.executable, program, *arguments],
        capture_output=True, text=True, timeout=120, check=False, **options,
    )  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_it_runs_without_a_gpu(program, environment):
    """It prints what README.md shows."""
    names, arguments, *_ = PROGRAMS[program]
    variables = environment(names) | {"PYGPU_HOST_DEVICES": "3"}
    done = run(EXAMPLES / f"{program}.py", *arguments, env=variables)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    assert SHOWN[program] in done.stdout


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_fault_is_told(program, environment, tmp_path):
    """Shows that the comparison can fail."""
    names, arguments, (right, wrong), told = PROGRAMS[program]
    text = (EXAMPLES / f"{program}.py").read_text()
    assert text.count(right) == 1
    copy = tmp_path / f"{program}.py"
    copy.write_text(text.replace(right, wrong))
    done = run(copy, *arguments, env=environment(names))
    assert done.returncode == 1
    assert told in done.stderr


def need(name):
    if not APIS[name].is_installed or not any(one.chosen for one in _libraries.survey(name)):
        pytest.skip(f"no library for PyGPU.{name}")


@pytest.mark.parametrize("program", PROGRAMS)
def test_it_runs_on_a_card(program, has_device):
    if not has_device:
        pytest.skip("no device on this machine")
    for name in PROGRAMS[program][0]:
        need(name)
    done = run(EXAMPLES / f"{program}.py")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr


@pytest.mark.parametrize("program", PROGRAMS)
def test_it_runs_with_amds_libraries(program, environment, host_library):
    """The same program, with PYGPU_BACKEND=hip."""
    names, arguments, *_ = PROGRAMS[program]
    variables = environment([COUNTERPARTS[name] for name in names]) | {
        "PYGPU_BACKEND": "hip", "PYGPU_HIP_LIBRARY": str(host_library), "PYGPU_HOST_DEVICES": "3",
    }  # fmt: skip
    done = run(EXAMPLES / f"{program}.py", *arguments, env=variables)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    assert SHOWN[program] in done.stdout


@pytest.mark.parametrize(("library", "backend"), [("nvml", "host"), ("amdsmi", "hip")])
def test_the_table_of_gpus(library, backend, environment, host_library):
    """The same program for both. It fits 80 columns; what a GPU has no sensor for is a dash."""
    variables = environment([library]) | {"PYGPU_BACKEND": backend, "COLUMNS": "80"}
    if backend == "hip":
        variables["PYGPU_HIP_LIBRARY"] = str(host_library)
    done = run(EXAMPLES / "gpu_top.py", "--once", env=variables)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    first, second = (line.replace("│", " ").split() for line in lines[3:5])
    if library == "nvml":
        memory = "A stand-in GPU 10 % 1,024 / 98,304 MiB 123 W 41 C"
        assert second[-3:] == ["-", "41", "C"]
    else:
        memory = "A stand-in GPU 77 % 1,024 / 65,536 MiB - -"
        assert second[-2:] == ["-", "-"]
    assert " ".join(first) == f"0 {memory}"


def test_the_table_follows_the_gpus_until_it_is_interrupted(environment):
    """On a terminal it is drawn again and again; Ctrl-C ends it."""
    terminal, end = pty.openpty()
    variables = environment(["nvml"]) | {"COLUMNS": "80", "LINES": "24", "TERM": "xterm"}
    command = [sys.executable, EXAMPLES / "gpu_top.py", "--seconds", "0.01"]
    with subprocess.Popen(command, env=variables, stdout=end, stderr=end, stdin=end) as process:
        os.close(end)
        shown = b""
        try:
            while shown.count(b"98,304 MiB") < 6 and select.select([terminal], [], [], 60)[0]:
                shown += os.read(terminal, 4096)
            process.send_signal(signal.SIGINT)
            assert process.wait(30) == 0, shown.decode()
        finally:
            process.kill()
            os.close(terminal)
    assert shown.count(b"98,304 MiB") >= 6, shown.decode()
    assert b"Traceback" not in shown


def test_the_table_shows_the_cards(device_count):
    """Of the real NVML, without the host runtime."""
    if not device_count or PyGPU.backend != "cuda":
        pytest.skip("no card of NVIDIA's")
    need("nvml")
    done = run(EXAMPLES / "gpu_top.py", "--once", env=os.environ | {"COLUMNS": "80"})
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert PyGPU.checked.cudaGetDeviceProperties(0).name in done.stdout
    assert len([line for line in lines if " MiB " in line]) >= device_count
