"""hipBLASLt through a stand-in that computes: the real library needs a card's driver."""

from __future__ import annotations

from pathlib import Path

import pytest

from PyGPU import _backend
from tests.own_interpreter import Interpreter

HERE = Path(__file__).parent


@pytest.fixture
def on_standin(on_host: Interpreter, compile_library) -> Interpreter:
    """The stand-in, beside the host runtime."""
    text = (HERE / "standin.cpp").read_text()
    return on_host.having(PYGPU_HIPBLASLT_LIBRARY=compile_library("libhipblaslt.so.1", text))


@pytest.fixture
def on_amd(on_standin: Interpreter) -> Interpreter:
    """The same with PyGPU's own names served by HIP."""
    return on_standin.having(PYGPU_BACKEND="hip", PYGPU_HIP_LIBRARY=_backend.HOST_RUNTIME)


@pytest.fixture
def on_nvidia(on_host: Interpreter, compile_library) -> Interpreter:
    """The stand-in of cuBLASLt instead."""
    text = (HERE.parent / "cublaslt" / "standin.cpp").read_text()
    return on_host.having(PYGPU_CUBLASLT_LIBRARY=compile_library("libcublasLt.so.13", text))
