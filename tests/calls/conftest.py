"""Each test module has a runtime of its own in C++, and an interpreter that uses it."""

from __future__ import annotations

import pathlib
from dataclasses import replace

import pytest

from tests.own_interpreter import Interpreter


@pytest.fixture(scope="module")
def stand_in(request, compile_library) -> str:
    """The compiled library that the module's `STAND_IN` names."""
    return compile_library("libcudart.so.13", pathlib.Path(request.module.STAND_IN).read_text())


@pytest.fixture
def run(python, stand_in) -> Interpreter:
    """An interpreter on the stand-in; any output on stderr fails the test."""
    here = python.having(PYGPU_CUDA_LIBRARY=stand_in, PYGPU_HIP_LIBRARY=stand_in)
    return replace(here, clean=True)
