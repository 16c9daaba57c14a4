"""A user's own header becomes an API by adding one folder.

docs/adding-an-api.md walks through it.
"""

from __future__ import annotations

import os
import shutil
from importlib.metadata import distribution
from pathlib import Path

import pytest

import PyGPU
from generator.parse.clang import FREESTANDING
from tests.apis import adding
from tests.conftest import unavailable

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def library(once) -> Path:
    """The library, linked with the host runtime as a user's own is linked with the vendor's."""
    package = Path(PyGPU._core.__file__).parent
    compiler = os.environ.get("CXX") or shutil.which("g++") or unavailable("no C++ compiler")
    runtime = distribution("nvidia-cuda-runtime").locate_file("nvidia/cu13/include")

    def make(folder: Path) -> None:
        adding.run(
            *(*str(compiler).split(), "-std=c++17", "-O1", "-shared", "-fPIC"),
            *(f"-I{HERE / 'include'}", f"-I{runtime}", "-idirafter", str(FREESTANDING)),
            *(str(HERE / "mykernels.cpp"), "-o", str(folder / "libmykernels.so")),
            *(f"-L{package}", "-lpygpu_host", f"-Wl,-rpath,{package}"),
        )

    return once("mykernels", make) / "libmykernels.so"


def test_calls(check, library) -> None:
    check(HERE / "calls.py", PYGPU_MYKERNELS_LIBRARY=str(library), PYGPU_BACKEND="host")
