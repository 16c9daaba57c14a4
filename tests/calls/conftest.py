"""A runtime of a test module's own, in C++ beside it, and Python code that runs on it."""

from __future__ import annotations

import pathlib
import textwrap
from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture(scope="module")
def stand_in(request, compile_library):
    """The library that the module's `STAND_IN` names, compiled."""
    return compile_library("libcudart.so.13", pathlib.Path(request.module.STAND_IN).read_text())


@pytest.fixture
def run(request, python, stand_in) -> Callable[..., Any]:
    """Runs code behind the module's `START` on the stand-in, in an interpreter of its own.

    Gives what it printed; what it wrote to stderr fails the test. With `check=False` nothing is
    asked of stderr, and the whole result comes back. Names are variables of the environment.
    """

    def run_one(code: str, check: bool = True, **environment: str):
        environment |= {"PYGPU_CUDA_LIBRARY": stand_in, "PYGPU_HIP_LIBRARY": stand_in}
        result = python(request.module.START + textwrap.dedent(code), **environment)
        assert not check or result.stderr == "", result.stderr
        return result.stdout if check else result

    return run_one
