"""Status codes of calls, as numbers."""

from __future__ import annotations


def code(result: object) -> int:
    """The code of a call's result: its last value, or all of it."""
    return int(result[-1] if isinstance(result, tuple) else result)
