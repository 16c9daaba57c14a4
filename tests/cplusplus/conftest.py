"""C++ modules for tests, built once a run with each binding library and both compilers."""

from __future__ import annotations

import importlib.util
import pathlib
import shutil
import subprocess
import sysconfig
from collections.abc import Callable

import pytest

import PyGPU
from tests.conftest import ROOT, unavailable

HERE = pathlib.Path(__file__).parent
OLD_PYBIND11 = ROOT / "build" / "pybind11-2.11.1"
FLAGS = ["-Wall", "-Wextra", "-Werror", "-O1", "-fPIC", "-fvisibility=hidden"]


def package(name: str) -> pathlib.Path:
    """The folder of an installed binding library."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        unavailable(f"{name} is not installed")
    return pathlib.Path(spec.origin).parent


def old_pybind11() -> pathlib.Path:
    if not (OLD_PYBIND11 / "pybind11").exists():
        unavailable("pybind11 2.11.1 is not here; `make test` fetches it")
    return OLD_PYBIND11 / "pybind11"


def compile_with(compiler: str, *arguments: object) -> None:
    """Any warning in PyGPU's headers is an error.

    If there is only one compiler, it compiles everything.
    """
    found = shutil.which(compiler) or shutil.which("c++")
    if found is None:
        unavailable("no C++ compiler")
    python = f"-isystem{sysconfig.get_paths()['include']}"
    command = [found, *FLAGS, python, f"-I{PyGPU.get_include()}", *map(str, arguments)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def by_pybind11(
    compiler: str, standard: str, library: pathlib.Path, source: pathlib.Path, module: pathlib.Path
) -> None:
    include = f"-isystem{library / 'include'}"
    compile_with(compiler, f"-std={standard}", "-shared", include, source, "-o", module)


def by_nanobind(into: pathlib.Path) -> None:
    library = package("nanobind")
    own = [f"-isystem{library / 'include'}", f"-isystem{library / 'ext/robin_map/include'}"]
    own += ["-std=c++17", "-DNDEBUG", "-DNB_COMPACT_ASSERTIONS", "-fno-strict-aliasing"]
    part = into / "nanobind.o"
    compile_with("g++", *own, "-w", "-c", library / "src" / "nb_combined.cpp", "-o", part)
    source = HERE / "by_nanobind.cpp"
    compile_with("g++", *own, "-shared", source, part, "-o", into / "bound.so")


BUILDS: dict[str, Callable[[pathlib.Path], None]] = {
    "pybind11-g++": lambda into: by_pybind11(
        "g++", "c++20", package("pybind11"), HERE / "by_pybind11.cpp", into / "bound.so"
    ),
    "pybind11-2.11-clang++": lambda into: by_pybind11(
        "clang++", "c++17", old_pybind11(), HERE / "by_pybind11.cpp", into / "bound.so"
    ),
    "nanobind": by_nanobind,
}


@pytest.fixture(params=BUILDS)
def module_folder(request, once) -> str:
    """The folder of the module `bound`, made with one of the binding libraries."""
    return str(once(f"bound-{request.param}", BUILDS[request.param]))


@pytest.fixture
def by_hand(once) -> str:
    """The folder of the module `bound` that is written with Python's C API."""

    def build(into: pathlib.Path) -> None:
        source = HERE / "by_hand.cpp"
        compile_with("g++", "-std=c++17", "-shared", source, "-o", into / "bound.so")

    return str(once("bound-by-hand", build))


@pytest.fixture
def on_host(python, host_library):
    """Two devices of the host runtime; misuse is printed."""
    return python.having(PYGPU_BACKEND="host", PYGPU_HOST_DEVICES="2", PYGPU_HOST_STRICT="1")
