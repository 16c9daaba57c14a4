"""`pygpu host run`: programs and packages of others find the host runtime as CUDA's libraries."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import of_wheels, required, unavailable
from tests.host.test_library import exported_by

HERE = Path(__file__).resolve().parent
PROGRAMS = HERE / "unmodified"
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(host_library) -> Run:
    """Runs a command on the host runtime, with options before it."""

    def run(*command: object, options: tuple[str, ...] = (), **environment: str):
        started = [sys.executable, "-m", "PyGPU", "host", "run", *options, "--", *map(str, command)]
        around = os.environ | environment
        return subprocess.run(started, capture_output=True, text=True, env=around, check=False)

    return run


def program(name: str) -> tuple[str, Path]:
    return sys.executable, PROGRAMS / name


@pytest.mark.parametrize("name", ["libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13"])
def test_a_program_of_the_shared_runtime(run, compiler, tmp_path, name):
    """Its symbols have a version of the library's name, which the loader looks for."""
    symbols = ["cudaGetDeviceCount", "cudaMalloc", "cudaMemcpy", "cudaMemset", "cudaFree"]
    (tmp_path / "map").write_text(f"{name} {{ {' '.join(f'{one};' for one in symbols)} }};")
    (tmp_path / "empty.c").write_text("".join(f"int {one}() {{ return 99; }}\n" for one in symbols))
    vendor = tmp_path / name
    flags = ["-shared", f"-Wl,-soname,{name}", "-Wl,--version-script=map"]
    subprocess.run([compiler, "empty.c", *flags, "-o", vendor], cwd=tmp_path, check=True)
    built = tmp_path / "counted"
    command = [compiler, PROGRAMS / "counted.cpp", vendor, "-o", built]
    # An RPATH to the vendor's library comes before LD_LIBRARY_PATH, as in PyTorch's wheels.
    command += [f"-Wl,-rpath,{tmp_path},--disable-new-dtags"]
    subprocess.run(command, check=True)
    assert subprocess.run([built], capture_output=True, text=True).stdout == "code 99\n"
    done = run(built, options=("--devices", "3"))
    assert (done.stdout, done.stderr, done.returncode) == ("3 xxx\n", "", 0)


def test_programs_of_cuda_11_have_a_form_of_their_own(run, compiler, tmp_path):
    """cudaGetDriverEntryPoint has three parameters there; a fourth would be garbage."""
    name = "libcudart.so.11.0"
    (tmp_path / "map").write_text(f"{name} {{ cudaGetDriverEntryPoint; }};")
    (tmp_path / "empty.c").write_text("int cudaGetDriverEntryPoint() { return 99; }\n")
    flags = ["-shared", f"-Wl,-soname,{name}", "-Wl,--version-script=map"]
    command = [compiler, "empty.c", *flags, "-o", tmp_path / name]
    subprocess.run(command, cwd=tmp_path, check=True)
    built = tmp_path / "entry_point"
    subprocess.run(
        [compiler, PROGRAMS / "entry_point.cpp", tmp_path / name, "-o", built], check=True
    )
    done = run(built)
    assert (done.stdout, done.stderr, done.returncode) == ("0 found, 500 none\n", "", 0)


def test_pytest_starts_again_on_the_host_runtime(host_library, tmp_path):
    (tmp_path / "test_suite.py").write_text((PROGRAMS / "suite.py").read_text())
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]

    def result(*words: str, **environment: str) -> str:
        started = [*command, *words]
        around = os.environ | environment
        done = subprocess.run(started, cwd=tmp_path, env=around, capture_output=True, text=True)
        return done.stdout + done.stderr

    assert "2 passed" in result("-p", "pygpu", PYGPU_HOST_DEVICES="2")
    assert "2 passed" in result("-p", "pygpu", "-n", "2", PYGPU_HOST_DEVICES="2")
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -p pygpu\n")
    assert "2 passed" in result(PYGPU_HOST_DEVICES="2")
    (tmp_path / "pytest.ini").unlink()
    (tmp_path / "conftest.py").write_text("pytest_plugins = ['pygpu']\n")
    assert "pygpu: name the plugin by `-p pygpu`" in result()
    (tmp_path / "conftest.py").unlink()
    command[1:3] = ["-c", "import sys, pytest; pytest.main(sys.argv[1:])"]
    assert "pygpu: pytest is no program of its own here" in result("-p", "pygpu")


def test_a_program_of_the_static_runtime_is_told_the_way_out(run, nvcc, tmp_path):
    built = tmp_path / "counted"
    command = [nvcc, PROGRAMS / "counted.cpp", "-o", built]
    subprocess.run(command, check=True, capture_output=True)
    done = run(built)
    assert (done.stdout, done.returncode) == ("code 801\n", 1)
    assert done.stderr == (
        f"PyGPU host runtime: {built} asks for the driver's private tables, as NVIDIA's static "
        "runtime does. They aren't here: use a build with the shared runtime (nvcc -cudart "
        "shared)\n"
    )


@pytest.mark.parametrize("name", ["with_numba.py", "with_cuda_core.py", "grid_sync.py"])
def test_packages_from_pypi(run, name):
    required("numba_cuda")
    required("cuda.core")
    done = run(*program(name))
    assert (done.stdout, done.returncode) == ("right\n", 0), done.stderr


def test_the_program_that_a_page_compares_with(run, tmp_path):
    """docs/coming-from/cuda-core.md has a program of cuda.core beside PyGPU's."""
    required("cuda.core")
    page = (HERE.parents[1] / "docs" / "coming-from" / "cuda-core.md").read_text()
    theirs, ours = re.findall(r"^```python\n(.*?)^```", page, re.M | re.S)
    (source,) = re.findall(r'^source = """.*?^"""\n', ours, re.M | re.S)
    whole = tmp_path / "theirs.py"
    whole.write_text(f"{source}n = 1000\n{theirs}exec(cuda_core)\nprint(buffer.size)\n")
    done = run(sys.executable, whole)
    assert (done.stdout, done.returncode) == ("4000\n", 0), done.stderr


@pytest.mark.parametrize("package", ["torch", "triton", "tinygrad"])
def test_large_packages_from_pypi(run, package):
    """The first take gigabytes, so `make unmodified` runs them, in a scheduled job."""
    pytest.importorskip(package, reason="not installed: requirements/peers.txt")
    done = run(*program(f"with_{package}.py"), DEV="CUDA")
    assert (done.stdout, done.returncode) == ("right\n", 0), done.stderr


def test_compilers_give_ptx_for_machine_code(run):
    done = run(*program("compilers.py"))
    said = (
        "ERROR: part is defined twice: in part and in part\n"
        "ERROR: part: part is declared and used, but no part defines it\n"
    )
    assert (done.stdout, done.stderr, done.returncode) == (said, "", 0)


@pytest.mark.parametrize("name", ["libnvrtc.so.13", "libnvJitLink.so.13"])
def test_compilers_have_the_vendors_functions(host_library, name):
    vendor = next((path for one in of_wheels() if (path := one / "lib" / name).exists()), None)
    if vendor is None:
        unavailable(f"no {name} here: pip install -r requirements/test.txt")
    prefixes = "nvrtc", "nvJitLink", "__nvJitLink"
    private = {"__nvJitLinkAPI"}
    listed = {one.partition("@")[0] for one in exported_by(vendor)} - private
    public = {one for one in listed if one.startswith(prefixes)}
    assert len(public) > 20
    assert public <= exported_by(host_library.parent / "host_libraries" / "compilers" / name)


def test_settings_and_the_callers_environment(run):
    code = "import os; print(*(os.environ.get(n) for n in ({}, 'LD_LIBRARY_PATH', 'LD_PRELOAD')))"
    names = "PYGPU_HOST_MEMORY", "PYGPU_HOST_CHECK", "PYGPU_HOST_STRICT", "PYGPU_BACKEND"
    code = code.replace("{}", ", ".join(map(repr, names)))
    done = run(
        *(sys.executable, "-c", code),
        options=("--memory", "1GiB", "--check"),
        LD_LIBRARY_PATH="/own/folder",
        PYGPU_HOST_STRICT="0",
    )
    words = done.stdout.split()
    assert words[:4] == ["1GiB", "1", "0", "host"]
    assert words[4].endswith("host_libraries:/own/folder")
    names = [os.path.basename(word) for word in words[5:]]
    assert {"libcuda.so.1", "libcudart.so.12", "libnvrtc.so.13"} <= set(names)
    assert "libnvrtc.so.12" not in names, "there is none whose place it could take"


def test_the_compilers_of_the_commands_own_python_come_first(run, tmp_path):
    wheels = next(iter(of_wheels()), None)
    if wheels is None:
        unavailable("no NVRTC here: pip install -r requirements/test.txt")
    venv.create(tmp_path / "own")
    (site,) = (tmp_path / "own" / "lib").glob("python*/site-packages")
    (site / "nvidia").symlink_to(wheels.parent)
    code = "import os; print(os.environ['PYGPU_HOST_COMPILERS'])"
    done = run(tmp_path / "own" / "bin" / "python", "-c", code)
    paths = done.stdout.strip().split(":")
    assert any(path.startswith(f"{site}/nvidia/") for path in paths), done.stderr


def test_a_broken_pipe_ends_the_program(run):
    done = run("sh", "-c", "(yes; echo $? >&2) | head -1")
    assert (done.stdout, done.stderr) == ("y\n", "141\n")


def test_ptxas_keeps_the_text(host_library, tmp_path):
    tool = host_library.parent / "host_libraries" / "ptxas"
    source, output = tmp_path / "a.ptx", tmp_path / "a.cubin"
    source.write_text(".version 8.0")
    command = [tool, "--gpu-name=sm_80", "--fmad", "false", source, "-o", output]
    subprocess.run(command, check=True)
    assert output.read_text() == ".version 8.0"
    done = subprocess.run([tool, source, "-o"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "ptxas: expected FILE.ptx -o FILE\n")


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (["--", "no-such-program"], 127, "no-such-program: No such file or directory"),
        (["--", os.path.dirname(__file__)], 126, "Permission denied"),
        (["--devices", "2"], 2, "name the command after --"),
        (["ls"], 2, "unrecognized arguments: ls"),
        (["--", shutil.which("sh") or "sh", "-c", "exit 7"], 7, ""),
    ],
)
def test_what_it_returns(words, code, text, host_library):
    command = [sys.executable, "-m", "PyGPU", "host", "run", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert text in done.stderr
