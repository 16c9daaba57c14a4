"""cuFFT: the real library, if its package is installed, and a stand-in that makes plans."""

from __future__ import annotations

from pathlib import Path

import pytest

import PyGPU
from PyGPU import _libraries
from tests.own_interpreter import Interpreter


@pytest.fixture(scope="session")
def cufft():
    """PyGPU.cufft with the library loaded. The package is large, so tests run without it, too."""
    if not any(one.chosen for one in _libraries.survey("cufft")):
        pytest.skip("no libcufft (pip install nvidia-cufft)")
    return PyGPU.cufft


@pytest.fixture
def on_standin(on_host: Interpreter, compile_library) -> Interpreter:
    """The stand-in, beside the host runtime."""
    text = (Path(__file__).parent / "standin.cpp").read_text()
    return on_host.having(PYGPU_CUFFT_LIBRARY=compile_library("libcufft.so.12", text))
