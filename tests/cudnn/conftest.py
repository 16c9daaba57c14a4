"""cuDNN: the real library, if its package is installed, and a stand-in that notes what it gets."""

from __future__ import annotations

from pathlib import Path

import pytest

import PyGPU
from PyGPU import _libraries
from tests.own_interpreter import Interpreter


@pytest.fixture(scope="session")
def cudnn():
    """PyGPU.cudnn with the library loaded. The package is large, so tests run without it, too."""
    if not any(one.chosen for one in _libraries.survey("cudnn")):
        pytest.skip("no libcudnn (pip install nvidia-cudnn-cu13)")
    return PyGPU.cudnn


@pytest.fixture
def on_standin(on_host: Interpreter, compile_library) -> Interpreter:
    """The stand-in, beside the host runtime."""
    text = (Path(__file__).parent / "standin.cpp").read_text()
    return on_host.having(PYGPU_CUDNN_LIBRARY=compile_library("libcudnn.so.9", text))
