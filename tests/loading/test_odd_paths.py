"""Paths that aren't UTF-8: no library's name in the process may break the first call."""

from __future__ import annotations

import ctypes
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import PyGPU
from tests.own_interpreter import own_interpreter

pytestmark = pytest.mark.cuda_library


@pytest.fixture
def odd(tmp_path: pathlib.Path, cuda_library: str) -> str:
    """A copy of the library in a folder whose name isn't UTF-8."""
    folder = os.path.join(os.fsencode(tmp_path), b"caf\xe9")
    try:
        os.mkdir(folder)
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    return os.fsdecode(shutil.copy(os.fsencode(cuda_library), folder + b"/libcudart.so.13"))


def is_used():
    assert PyGPU.cuda.cudaRuntimeGetVersion() == (13000, 0)
    path = PyGPU._core.installed("cuda")["path"]
    assert os.path.exists(path)
    assert ascii(os.path.basename(os.path.dirname(path))) == r"'caf\udce9'"
    assert PyGPU.cuda.address("cudaMalloc") > 0


@own_interpreter(PYGPU_BACKEND="cuda")
def test_a_library_of_that_kind_is_in_the_process(odd) -> None:
    ctypes.CDLL(odd)
    is_used()


def test_the_variable_names_one(python, odd: str) -> None:
    python(is_used, PYGPU_CUDA_LIBRARY=odd)


def test_one_that_is_not_there_is_said(python, odd: str) -> None:
    os.unlink(odd)
    result = python("import PyGPU; print(PyGPU.cuda.cudaGetDevice())", PYGPU_CUDA_LIBRARY=odd)
    assert result.stdout == "(None, <cudaError: code=303>)\n"
    assert "libcudart.so.13" in result.stderr


@pytest.mark.parametrize("version", [b"\xc2\xb2", b"\xff", b"1.\xff.2", b"12\xc2\xb2", b"x"])
def test_a_version_that_is_no_number(python, tmp_path, compile_library, version: bytes) -> None:
    """A digit such as "²" and bytes that aren't UTF-8 are no numbers; the library serves."""
    text = 'extern "C" int cudaGetDevice(int *device) { *device = 0; return 0; }'
    plain = compile_library("libodd.so", text)
    odd = os.fsdecode(shutil.copy(plain, os.fsencode(tmp_path) + b"/libcudart.so." + version))
    result = python("import PyGPU; print(PyGPU.cuda.cudaGetDevice()[0])", PYGPU_CUDA_LIBRARY=odd)
    assert result.stdout == "0\n" and "Traceback" not in result.stderr


def test_the_doctor_prints_it(odd: str) -> None:
    strict = {"PYTHONUTF8": "0", "PYTHONIOENCODING": "utf-8:strict"}  # as in most users' locales
    environment = {**os.environ, **strict, "PYGPU_CUDA_LIBRARY": odd}
    for form in (["-v"], ["--json"]):
        command = [sys.executable, "-m", "PyGPU", *form]
        done = subprocess.run(
            command, env=environment, capture_output=True, timeout=120, check=False
        )
        assert b"Traceback" not in done.stderr, done.stderr.decode(errors="replace")
        assert b"libcudart.so.13" in done.stdout
