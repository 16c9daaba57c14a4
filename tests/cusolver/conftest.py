"""cuSOLVER: the real library, if it is installed, and a stand-in that computes."""

from __future__ import annotations

from pathlib import Path

import pytest

import PyGPU
from PyGPU import _libraries
from tests.own_interpreter import Interpreter


@pytest.fixture(scope="session")
def cusolver():
    """PyGPU.cusolver with the library loaded. The package is large: tests run without it, too."""
    if not any(one.chosen for one in _libraries.survey("cusolver")):
        pytest.skip("no libcusolver (pip install nvidia-cusolver)")
    return PyGPU.cusolver


@pytest.fixture
def on_standin(on_host: Interpreter, compile_library) -> Interpreter:
    """The stand-in, beside the host runtime. It serves both interfaces, as one file."""
    text = (Path(__file__).parent / "standin.cpp").read_text()
    library = compile_library("libcusolver.so.12", text)
    return on_host.having(PYGPU_CUSOLVER_LIBRARY=library, PYGPU_CUSOLVERMG_LIBRARY=library)
