"""cuSPARSE: the real library, if its package is installed, and a stand-in that computes."""

from __future__ import annotations

from pathlib import Path

import pytest

import PyGPU
from PyGPU import _libraries
from tests.own_interpreter import Interpreter


@pytest.fixture(scope="session")
def cusparse():
    """PyGPU.cusparse with the library loaded. The package is large: tests run without it, too."""
    if not any(one.chosen for one in _libraries.survey("cusparse")):
        pytest.skip("no libcusparse (pip install nvidia-cusparse)")
    return PyGPU.cusparse


@pytest.fixture
def on_standin(on_host: Interpreter, compile_library) -> Interpreter:
    """The stand-in, beside the host runtime."""
    text = (Path(__file__).parent / "standin.cpp").read_text()
    return on_host.having(PYGPU_CUSPARSE_LIBRARY=compile_library("libcusparse.so.12", text))
