"""What every program of this folder is held to."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

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


def refuses(what: str, error: Any, name: str) -> None:
    """Fail unless a call returned the named error, and clear the runtime's last error."""
    PyGPU.cudaGetLastError()
    if PyGPU.backend == "host" and error.name in LACKING:
        PyGPU.check(error)
    assert error.name == name, what
