"""The checks, how they are run, and their outcomes."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import PyGPU

# The codes that mean "not in this implementation" and "not in this release".
LACKING = (
    "cudaErrorNotSupported",
    "cudaErrorSharedObjectSymbolNotFound",
    "CUDA_ERROR_NOT_SUPPORTED",
    "CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND",
)


@dataclass(frozen=True)
class Outcome:
    """The outcome of a check: `result` is "ok", "failed" or "not supported here"."""

    family: str
    what: str
    result: str
    detail: str


@dataclass(frozen=True)
class Check:
    """A function that raises if something is wrong, and may return a remark."""

    family: str
    what: str
    function: Callable[[], str | None]

    def run(self) -> Outcome:
        """Run it; fail if it leaves an error behind, and wait for the work that it queued.

        Only the host runtime may lack something. Elsewhere that is a failure.
        """
        result, detail = "ok", ""
        try:
            detail = self.function() or ""
        except PyGPU.GPUError as error:
            lacking = PyGPU.backend == "host" and error.error.name in LACKING
            result, detail = ("not supported here" if lacking else "failed"), _short(error)
        except Exception as error:
            result, detail = "failed", _short(error)
        for left in (PyGPU.cudaDeviceSynchronize(), PyGPU.cudaGetLastError()):
            if left and result == "ok":
                result, detail = "failed", f"left behind: {left}"
        return Outcome(self.family, self.what, result, detail)


CHECKS: list[Check] = []


def check(what: str) -> Callable[[Callable[[], str | None]], Callable[[], str | None]]:
    """Add a function to the checks of its module, which is a family."""

    def enter(function: Callable[[], str | None]) -> Callable[[], str | None]:
        CHECKS.append(Check(function.__module__, what, function))
        return function

    return enter


def same(what: str, got: object, wanted: object) -> None:
    """Fail unless two values are equal."""
    if got != wanted:
        raise AssertionError(f"{what}: got {got!r}, expected {wanted!r}")


def holds(what: str, condition: object) -> None:
    """Fail unless a condition is true."""
    if not condition:
        raise AssertionError(f"not so: {what}")


def refuses(what: str, error: Any, name: str) -> None:
    """Fail unless a call gave the named error, and clear the runtime's last error."""
    PyGPU.cudaGetLastError()
    if PyGPU.backend == "host" and error.name in LACKING:
        PyGPU.check(error)
    same(what, error.name, name)


def _short(error: BaseException) -> str:
    place = traceback.extract_tb(error.__traceback__)
    where = next((one for one in reversed(place) if _is_a_check(one.filename)), None)
    line = f" (line {where.lineno}: {where.line})" if where else ""
    return f"{type(error).__name__}: {error}{line}"


def _is_a_check(path: str) -> bool:
    return os.path.dirname(path) == os.path.dirname(__file__) and path != __file__
