"""In real interpreters: no library in the current directory runs, and no damaged one is opened."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

# It prints when any process loads it.
LIBRARY = """
#include <cstdlib>
#include <fstream>
struct Loaded { Loaded() { std::ofstream(std::getenv("MARK"), std::ios::app) << "loaded\\n"; } };
static Loaded loaded;
extern "C" int cudaGetDevice(int *device) { *device = 42; return 0; }
"""

CALL = "import PyGPU; print(PyGPU.cuda.cudaGetDevice())"


@pytest.fixture
def bait(tmp_path: pathlib.Path, compile_library) -> pathlib.Path:
    """Somebody else's folder that looks like site-packages, torch and CUDA."""
    library = compile_library("libcudart.so.13", LIBRARY)
    folder = tmp_path / "bait"
    for place in ("nvidia/cu13/lib", "torch/lib", "lib64", "."):
        (folder / place).mkdir(parents=True, exist_ok=True)
        shutil.copy(library, folder / place / "libcudart.so.13")
        shutil.copy(library, folder / place / "libcudart.so")
    return folder


def run(folder: pathlib.Path, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """The interpreter in a folder, with the tested package."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYGPU_")}
    entries = [os.path.abspath(one) for one in environ_path()]
    environment |= {"PYTHONPATH": os.pathsep.join(entries), "MARK": str(folder.parent / "mark")}
    return subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=environment | variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def environ_path() -> list[str]:
    return [one for one in os.environ.get("PYTHONPATH", "").split(os.pathsep) if one]


@pytest.mark.parametrize(
    "variables",
    [
        {},
        {"LD_LIBRARY_PATH": ":"},
        {"LD_LIBRARY_PATH": "nvidia/cu13/lib"},
        {"CUDA_HOME": "."},
        {"PYTHONPATH": os.pathsep.join([".", *map(os.path.abspath, environ_path())])},
    ],
)
@pytest.mark.parametrize("command", [("-c", CALL), ("-m", "PyGPU", "--json"), ("call.py",)])
def test_the_current_directory_s_library_is_not_run(bait, tmp_path, command, variables):
    if command == ("call.py",):
        (tmp_path / "call.py").write_text(CALL)
        command = (str(tmp_path / "call.py"),)
    done = run(bait, *command, PYGPU_BACKEND="cuda", **variables)
    assert not (tmp_path / "mark").exists(), done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    if "--json" in command:
        candidates = json.loads(done.stdout)["apis"]["cuda"]["candidates"]
        untrusted = [c for c in candidates if "is not trusted" in c["verdict"]]
        assert untrusted
        assert not any(c["chosen"] for c in untrusted)


def test_the_bait_is_one(bait, tmp_path):
    """Where the user names the folder, its library does run."""
    done = run(bait, "-c", CALL, PYGPU_CUDA_LIBRARY="./nvidia/cu13/lib/libcudart.so.13")
    assert done.stdout == "(42, <cudaError: code=0>)\n"
    assert (tmp_path / "mark").exists()


def test_a_current_directory_that_is_gone(tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    code = f"import os; os.rmdir({str(gone)!r}); {CALL}"
    for variables in ({}, {"LD_LIBRARY_PATH": ":"}, {"PYGPU_CUDA_LIBRARY": "./x.so"}):
        gone.mkdir(exist_ok=True)
        done = run(gone, "-c", code, PYGPU_BACKEND="cuda", **variables)
        assert "Traceback" not in done.stderr, done.stderr
        assert "<cudaError: code=" in done.stdout


@pytest.mark.cuda_library
@pytest.mark.parametrize("kind", ["cut", "pipe", "folder", "device", "unreadable"])
def test_a_named_library_that_is_none(tmp_path, cuda_library, kind):
    """Even a path that the user gave doesn't make the process hang or die."""
    path = tmp_path / "libcudart.so.13"
    if kind == "cut":
        shutil.copy(cuda_library, path)
        os.truncate(path, os.path.getsize(path) // 2)
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        path.symlink_to(path)
    done = run(tmp_path, "-c", CALL, PYGPU_CUDA_LIBRARY=str(path))
    assert (done.returncode, done.stdout) == (0, "(None, <cudaError: code=303>)\n"), done.stderr
    assert f"PYGPU_CUDA_LIBRARY names a library that cannot be used: {path}: " in done.stderr
    assert run(tmp_path, "-m", "PyGPU", PYGPU_CUDA_LIBRARY=str(path)).stderr == ""
