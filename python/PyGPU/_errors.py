"""GPUError, and check() for results in hand."""

from __future__ import annotations

OUT_OF_MEMORY = 2  # ErrorMemoryAllocation in both APIs
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class GPUError(RuntimeError):
    """A GPU call failed. `error` is the status, `values` what the call returned beside it.

    An error of exhausted memory is a MemoryError too.
    """

    def __init__(self, error: Any, values: tuple[Any, ...] = (), call: str = "") -> None:
        super().__init__(error, values, call)
        self.error = error
        self.values = values
        self.call = call

    def __str__(self) -> str:
        text = f"{self.error} (code {int(self.error)})"
        return f"{self.call}: {text}" if self.call else text


class GPUMemoryError(GPUError, MemoryError):
    """A GPU call failed for want of memory."""


# They are known by the names that users import.
GPUError.__module__ = GPUMemoryError.__module__ = "PyGPU"


def gpu_error(error: Any, values: tuple[Any, ...] = (), call: str = "") -> GPUError:
    """The exception for a failed status."""
    kind = GPUMemoryError if error == OUT_OF_MEMORY else GPUError
    return kind(error, values, call)


def check(result: Any) -> Any:
    """The values of `(value, …, error)` without the error: None, the only value, or a tuple.

    Raises GPUError when the error is not success, and TypeError for anything that is no result of
    PyGPU, `(error, value)` of other packages among them.
    """
    from PyGPU import _core

    parts = result if isinstance(result, tuple) else (result,)
    if not parts or not _core.is_error(parts[-1]):
        if parts and (_core.is_error(parts[0]) or type(parts[0]).__name__.endswith("Error_t")):
            raise TypeError(
                "check() takes (value, ..., error); this is (error, value): other order"
            )
        raise TypeError(
            f"check() takes what a PyGPU function returned, not {type(result).__name__}"
        )
    *values, error = parts
    if error:
        raise gpu_error(error, tuple(values))
    if not values:
        return None
    return values[0] if len(values) == 1 else tuple(values)
