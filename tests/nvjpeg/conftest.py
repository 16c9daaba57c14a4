"""nvJPEG: the real library, if its package is installed, and a stand-in that notes what it gets."""

from __future__ import annotations

from pathlib import Path

import pytest

import PyGPU
from PyGPU import _libraries
from tests.conftest import unavailable
from tests.own_interpreter import Interpreter


@pytest.fixture(scope="session")
def nvjpeg():
    """PyGPU.nvjpeg with the library loaded."""
    if not any(one.chosen for one in _libraries.survey("nvjpeg")):
        unavailable("no libnvjpeg (pip install nvidia-nvjpeg)")
    return PyGPU.nvjpeg


@pytest.fixture
def on_standin(on_host: Interpreter, compile_library) -> Interpreter:
    """The stand-in, beside the host runtime."""
    text = (Path(__file__).parent / "standin.cpp").read_text()
    return on_host.having(PYGPU_NVJPEG_LIBRARY=compile_library("libnvjpeg.so.13", text))
