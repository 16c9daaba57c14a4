"""hipSOLVER through a stand-in that computes: the real library needs a card's driver."""

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
    return on_host.having(PYGPU_HIPSOLVER_LIBRARY=compile_library("libhipsolver.so.0", text))


@pytest.fixture
def on_amd(on_standin: Interpreter) -> Interpreter:
    """The same with PyGPU's own names served by HIP."""
    return on_standin.having(PYGPU_BACKEND="hip", PYGPU_HIP_LIBRARY=_backend.HOST_RUNTIME)


@pytest.fixture
def on_nvidia(on_host: Interpreter, compile_library) -> Interpreter:
    """The stand-in of cuSOLVER instead."""
    text = (HERE.parent / "cusolver" / "standin.cpp").read_text()
    return on_host.having(PYGPU_CUSOLVER_LIBRARY=compile_library("libcusolver.so.12", text))


@pytest.fixture
def on_nothing(on_host: Interpreter, compile_library) -> Interpreter:
    """A library with one function: calls of the others reach nothing."""
    text = 'extern "C" int hipsolverCreate(void **) { return 1; }'
    return on_host.having(PYGPU_HIPSOLVER_LIBRARY=compile_library("libhipsolver.so.0", text))
