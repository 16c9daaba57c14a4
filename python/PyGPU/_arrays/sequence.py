"""What Python code of PyGPU takes for a sequence: what has an end."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def listed(values: Any, what: str) -> list[Any]:
    """The items of an iterable. A ctypes pointer has items, too, but no end: TypeError."""
    if not hasattr(values, "__iter__"):
        raise TypeError(f"{what} must be a sequence, not {type(values).__name__}")
    return list(values)
