"""Small programs of examples/, on the host runtime and on a GPU: the results agree with numpy's."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys

import pytest

from tests.conftest import unavailable
from tests.examples.test_readme import ROWS

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
SHOWN = {name.removesuffix(".py"): excerpt for name, _, _, excerpt in ROWS}
# Arguments for a short run; a fault to put into the source; the program's message about it.
PROGRAMS = {
    "c_library/by_ctypes": ([], ("*= values[at]", "+= values[at]"), "differs from numpy's"),
    "source_and_cubin": ([], ("a * x[at] +", "a + x[at] +"), "differs from numpy's"),
    "streams_overlap": (["65536"], ("0.5f * value", "0.4f * value"), "differs from numpy's"),
    "double_buffering": (["7"], ("sums[at] +=", "sums[at] -="), "differ from numpy's"),
    "graph": ([], ("] += 1;", "] += 2;"), "the elements aren't 200"),
    "graph_updates": ([], ("] += by;", "] += 2 * by;"), "the elements aren't 370"),
    "virtual_memory_grows": ([], ("= step\n", "= step + 1\n"), "aren't as they were written"),
    "traced_program": ([], ("in range(3)", "in range(2)"), "other copies than the program made"),
    "replayed_case": ([], ("< 4 * COUNT", "< 40 * COUNT"), "has received other bytes"),
    "cuda_core/vector_add": ([], ("a[at] + b[at]", "a[at] - b[at]"), "differ from numpy's"),
    "cuda_core/graphs": ([], ('("add", "+")', '("add", "-")'), "differ from numpy's"),
    "cuda_core/memory_ops": ([], ("+= 3;", "+= 4;"), "differ from numpy's"),
    "cuda_core/thread_block_cluster": ([], ("size + rank", "size"), "in other clusters"),
    "cuda_core/link_time_optimisation": ([], ("return {formula}", "return 2"), "differs from"),
    "cuda_core/multi_gpu": ([], ("= value;", "= 0;"), "of device 0 are wrong"),
    "cuda_core/show_device_properties": ([], ("!= by_runtime", "== by_runtime"), "don't agree"),
    "pinned_pageable": (["x.png", "1"], ('("down", 0)', '("up", 0)'), "not what was sent"),
    "mpi_ring": ([], ("1000.0 * rank", "1001.0 * rank + 1"), "differ from numpy's"),
}
PACKAGES = {  # where a package is missing, the program says so and ends
    "with_cupy": ("cupy", "there is no CuPy here: pip install cupy-cuda13x"),
    "with_torch": ("torch", "there is no torch here: pip install torch"),
    "mpi_ring": ("mpi4py", "there is no mpi4py here: pip install mpi4py mpich"),
}


def run(
    command: list[object], folder: pathlib.Path, backend: str = "host"
) -> subprocess.CompletedProcess[str]:
    strict = {"PYGPU_BACKEND": backend, "PYGPU_HOST_STRICT": "1", "PYGPU_CACHE_DIR": str(folder)}
    if "cluster" in str(command[0]):
        strict["PYGPU_HOST_CAPABILITY"] = "9.0"
    return subprocess.run(
        [sys.executable, *map(str, command)],
        cwd=folder,
        env=os.environ | strict,
        capture_output=True,
        text=True,
        timeout=240,
    )


def mpi_launcher() -> str:
    """The mpiexec of the test requirements, which have it on x86-64."""
    launcher = shutil.which("mpiexec", path=str(pathlib.Path(sys.executable).parent))
    if launcher is None or importlib.util.find_spec("mpi4py") is None:
        is_pinned = platform.machine() == "x86_64"
        (unavailable if is_pinned else pytest.skip)("no MPI here: pip install mpi4py mpich")
    return launcher


def plain(text: str) -> str:
    """The text with all numbers replaced by `#`."""
    return re.sub(r"\d[\d,]*(\.\d+)?", "#", text)


@pytest.mark.parametrize("backend", ["host", "cuda"])
@pytest.mark.parametrize("program", [one for one in PROGRAMS if one not in PACKAGES])
def test_it_runs(program, backend, has_device, tmp_path):
    """On the host runtime it prints what README.md shows."""
    if backend == "cuda" and not has_device:
        pytest.skip("no device on this machine")
    done = run([EXAMPLES / f"{program}.py", *PROGRAMS[program][0]], tmp_path, backend)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    assert ("PyGPU host device" in done.stdout) == (backend == "host")
    if backend == "host":
        assert plain(SHOWN[program]) in plain(done.stdout).splitlines()


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_fault_is_told(program, tmp_path):
    """Shows that the comparison can fail."""
    if program == "mpi_ring":
        mpi_launcher()
    arguments, (right, wrong), told = PROGRAMS[program]
    copy = shutil.copytree(EXAMPLES, tmp_path / "examples") / f"{program}.py"
    text = copy.read_text()
    assert text.count(right) == 1
    copy.write_text(text.replace(right, wrong))
    done = run([copy, *arguments], tmp_path)
    assert done.returncode == 1 and told in done.stderr


def test_the_host_runtime_takes_ptx_for_a_cubin(tmp_path):
    done = run([EXAMPLES / "source_and_cubin.py"], tmp_path)
    assert "the host runtime runs no cubin: the file has PTX\nsaxpy.ptx: " in done.stdout
    assert done.stdout.count(": as numpy's\n") == 2


def test_the_overlap_is_measured(tmp_path):
    done = run([EXAMPLES / "streams_overlap.py", "65536"], tmp_path)
    one, several, ratio = re.search(
        r"^1 stream: (\S+) ms, .*^4 streams: (\S+) ms, .*^ratio: (\S+)$", done.stdout, re.M | re.S
    ).groups()
    assert float(ratio) == pytest.approx(float(one) / float(several), rel=0.1)


@pytest.mark.parametrize("package", ["missing", "as it is"])
def test_the_picture_is_drawn_by_matplotlib(package, tmp_path):
    """Without matplotlib the program prints only the table."""
    program = EXAMPLES / "pinned_pageable.py"
    if package == "missing":
        done = run(["-c", hidden("matplotlib", program), "x.png", "1"], tmp_path)
    else:
        done = run([program, "x.png", "1"], tmp_path)
    *_, biggest, last = done.stdout.splitlines()
    assert re.fullmatch(r" +1,024( +\d+\.\d\d){4}", biggest)
    if (tmp_path / "x.png").exists():
        assert last == "drawn: x.png" and package == "as it is"
        assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")
    else:
        assert last == "no picture: there is no matplotlib here"


def hidden(package: str, program: pathlib.Path) -> str:
    """Code that runs another program without a package."""
    return (
        f"import runpy, sys; sys.modules[{package!r}] = None; "
        f"runpy.run_path({str(program)!r}, run_name='__main__')"
    )


@pytest.mark.parametrize("program", PACKAGES)
def test_a_missing_package_is_told(program, tmp_path):
    package, told = PACKAGES[program]
    done = run(["-c", hidden(package, EXAMPLES / f"{program}.py")], tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{told}\n", "")


@pytest.mark.parametrize("backend", ["host", "cuda"])
@pytest.mark.parametrize("program", ["with_cupy", "with_torch"])
def test_a_package_shares_memory(program, backend, has_device, tmp_path):
    """It prints the result or one line about what is missing."""
    if backend == "cuda" and not has_device:
        pytest.skip("no device on this machine")
    done = run([EXAMPLES / f"{program}.py"], tmp_path, backend)
    assert done.returncode == 0, done.stdout + done.stderr
    (line,) = done.stdout.splitlines()
    missing = [PACKAGES[program][1], "CuPy needs a GPU: the host runtime has none"]
    missing += ["this torch can't use the GPU: install one that is built for it"]
    result = r"(CuPy|torch) \S+ and PyGPU worked on the same memory: as numpy's"
    assert line in missing or re.fullmatch(result, line)


def test_a_ring_of_ranks(tmp_path):
    ranks = [mpi_launcher(), "-launcher", "fork", "-n", "3", sys.executable]
    environment = os.environ | {"PYGPU_BACKEND": "host", "PYGPU_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [*ranks, str(EXAMPLES / "mpi_ring.py")],
        env=environment, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == SHOWN["mpi_ring"] + "\n"


@pytest.mark.parametrize(
    ("fault", "failed"),
    [
        (("", ""), []),
        ((" / 3 :", " / 2 :"), ["a_ramp"]),
        (("except MemoryError", "except ValueError"), ["the_cpu"]),
    ],
)
def test_code_is_tested_without_a_gpu(fault, failed, tmp_path):
    """The example's own tests pass, and find faults."""
    folder = shutil.copytree(EXAMPLES / "without_a_gpu", tmp_path / "without_a_gpu")
    text = (folder / "smoothing.py").read_text()
    assert fault[0] in text
    (folder / "smoothing.py").write_text(text.replace(*fault))
    done = run(["-m", "pytest", "-q", "-p", "no:cacheprovider"], folder)
    assert done.returncode == bool(failed), done.stdout
    names = set(re.findall(r"^FAILED \S+::test_(\w+)", done.stdout, re.M))
    assert len(names) == len(failed)
    assert all(any(name.startswith(one) for name in names) for one in failed)
    if not failed:
        assert plain(SHOWN["without_a_gpu/test_smoothing"]) in plain(done.stdout)
        shown = run([folder / "smoothing.py"], tmp_path)
        assert shown.stdout == SHOWN["without_a_gpu/smoothing"] + "\n"
