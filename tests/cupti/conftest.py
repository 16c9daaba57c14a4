"""CUPTI: the real library, if it is installed, and a stand-in that makes records."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from PyGPU import _libraries
from tests.own_interpreter import Interpreter


@pytest.fixture
def real(python: Interpreter) -> Interpreter:
    """The real library."""
    if not any(one.chosen for one in _libraries.survey("cupti")):
        pytest.skip("no libcupti (pip install nvidia-cuda-cupti)")
    return python.having(PYGPU_CUPTI_LIBRARY=os.environ.get("PYGPU_CUPTI_LIBRARY"))


@pytest.fixture
def real_on_card(real: Interpreter, on_card) -> Interpreter:
    """The real library, beside a GPU."""
    return real


@pytest.fixture
def on_standin(on_host: Interpreter, compile_library) -> Interpreter:
    """The stand-in, beside the host runtime."""
    text = (Path(__file__).parent / "standin.cpp").read_text()
    library = compile_library("libcupti.so.13", text)
    return on_host.having(PYGPU_CUPTI_LIBRARY=library)
