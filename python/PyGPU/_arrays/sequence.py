"""What PyGPU's Python code accepts as a sequence (it must have an end), and as an int."""

from __future__ import annotations

import operator

from PyGPU import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def listed(values: Any, what: str) -> list[Any]:
    """The items of an iterable. A ctypes pointer has items, too, but no end: TypeError."""
    if not hasattr(values, "__iter__"):
        raise TypeError(f"{what} must be a sequence, not {type(values).__name__}")
    return list(values)


def number(value: Any, what: str) -> int:
    """An int: anything with `__index__` but bools, and arrays of one element without axes."""
    if type(value) is int:
        return value
    # numpy before 2.3 takes its own bools for an index.
    is_bool = isinstance(value, bool) or getattr(getattr(value, "dtype", None), "kind", "") == "b"
    if hasattr(value, "__index__") and not is_bool:
        try:
            return operator.index(value)
        except TypeError:
            pass
    kind = type(value).__name__
    if _core.is_error(value):
        kind += ": calls return (value, err), not (err, value)"
    raise TypeError(f"{what} must be an int, not {kind}")


def numbers(values: Any, what: str) -> tuple[int, ...]:
    """A shape or the like: an int, or a sequence of ints."""
    if type(values) is tuple and all(type(value) is int for value in values):
        return values
    if hasattr(values, "__index__") and not (hasattr(values, "shape") and values.shape):
        return (number(values, what),)
    return tuple(number(value, what) for value in listed(values, what))
