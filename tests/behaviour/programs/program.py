"""What every program of this folder is held to, and what the host runtime can't run yet."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest

import PyGPU

# The codes that mean "not in this implementation" and "not in this release".
LACKING = (
    "cudaErrorNotSupported",
    "cudaErrorSharedObjectSymbolNotFound",
    "CUDA_ERROR_NOT_SUPPORTED",
    "CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND",
)
Program = Callable[[], None]


def program(function: Program) -> Program:
    """A program that leaves no error behind, also in the work that it queued."""

    @functools.wraps(function)
    def test() -> None:
        function()
        assert [PyGPU.cudaDeviceSynchronize(), PyGPU.cudaGetLastError()] == [0, 0]

    return test


def program_of_cards(function: Program) -> Program:
    """A program with a function that the host runtime lacks; it fails once it has all."""

    @functools.wraps(function)
    def test() -> None:
        if PyGPU.backend != "host":
            return program(function)()
        with pytest.raises(PyGPU.GPUError) as refused:
            function()
        assert refused.value.error.name in LACKING
        return pytest.skip(str(refused.value))

    return test


def refuses(what: str, error: Any, name: str) -> None:
    """Fail unless a call returned the named error, and clear the runtime's last error."""
    PyGPU.cudaGetLastError()
    if PyGPU.backend == "host" and error.name in LACKING:
        PyGPU.check(error)
    assert error.name == name, what
