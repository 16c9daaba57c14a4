"""cuBLAS: the real library, if its package is installed, and a stand-in that computes."""

from __future__ import annotations

from pathlib import Path

import pytest

import PyGPU
from PyGPU import _libraries
from tests.own_interpreter import Interpreter


@pytest.fixture(scope="session")
def cublas():
    """PyGPU.cublas with the library loaded. The package is large, so tests run without it, too."""
    if not any(one.chosen for one in _libraries.survey("cublas")):
        pytest.skip("no libcublas (pip install nvidia-cublas)")
    return PyGPU.cublas


@pytest.fixture
def on_standin(on_host: Interpreter, compile_library) -> Interpreter:
    """The stand-in, beside the host runtime."""
    text = (Path(__file__).parent / "standin.cpp").read_text()
    return on_host.having(PYGPU_CUBLAS_LIBRARY=compile_library("libcublas.so.13", text))


@pytest.fixture
def on_nothing(on_host: Interpreter, compile_library) -> Interpreter:
    """A library with one function: calls of the others reach nothing."""
    text = 'extern "C" unsigned long cublasGetCudartVersion() { return 13000; }'
    return on_host.having(PYGPU_CUBLAS_LIBRARY=compile_library("libcublas.so.13", text))
