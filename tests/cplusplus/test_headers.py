"""The headers alone with each compiler, and where an installation has them."""

from __future__ import annotations

import pathlib
import shutil
import subprocess
import sys

import pytest

import PyGPU
from tests.conftest import ROOT, unavailable
from tests.cplusplus.conftest import compile_with, package

HERE = pathlib.Path(__file__).parent
HEADERS = sorted(
    str(path.relative_to(ROOT / "include")) for path in (ROOT / "include").rglob("*.h")
)


def test_there_are_headers():
    assert {"ptr_wrapper.h", "PyGPU/ptr_wrapper.h", "PyGPU/device_span.h"} <= set(HEADERS)


@pytest.mark.parametrize("header", HEADERS)
def test_a_header_includes_what_it_uses(header, tmp_path):
    """It is compiled alone, with all of C++17's warnings."""
    only = tmp_path / "only.cpp"
    only.write_text(f"#include <{header}>\n#include <{header}>\n")
    others = [f"-isystem{package(name) / 'include'}" for name in ("pybind11", "nanobind")]
    compile_with("clang++", "-std=c++17", "-Wpedantic", "-fsyntax-only", *others, only)


def test_the_structures_are_dlpacks():
    third_party = ROOT / "third_party"
    compile_with("g++", "-std=c++17", "-fsyntax-only", f"-I{third_party}", HERE / "abi.cpp")


def test_nvcc_takes_a_span_as_a_kernels_parameter(nvcc, tmp_path):
    include = f"-I{PyGPU.get_include()}"
    command = [nvcc, "-std=c++17", include, "-c", str(HERE / "kernel.cu"), "-o", "kernel.o"]
    done = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_command_line_tells_the_folders(python):
    both = ["--include-dir", "--cmake-dir"]
    for options, paths in (
        (both[:1], [PyGPU.get_include()]),
        (both[1:], [PyGPU.get_cmake_dir()]),
        (both, [PyGPU.get_include(), PyGPU.get_cmake_dir()]),
    ):
        done = python("from PyGPU.doctor.cli import main; main()", *options)
        assert done.stdout.split() == paths


def test_cmake_finds_the_package(tmp_path):
    """CMake finds it as any package, by PyGPU_DIR."""
    cmake = shutil.which("cmake", path=str(pathlib.Path(sys.executable).parent)) or "cmake"
    if shutil.which(cmake) is None:
        unavailable("no cmake")
    (tmp_path / "CMakeLists.txt").write_text((HERE / "consumer.cmake").read_text())
    (tmp_path / "main.cpp").write_text((HERE / "consumer.cpp").read_text())
    folder = f"-DPyGPU_DIR={PyGPU.get_cmake_dir()}"
    for command in (
        [cmake, "-S", ".", "-B", "build", "-G", "Ninja", folder],
        [cmake, "--build", "build"],
        ["build/main"],
    ):
        done = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == "6\n"
