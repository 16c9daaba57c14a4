"""Status codes of calls, as numbers."""

from __future__ import annotations


def code(result: object) -> int:
    """The code of a call's result: of its last value, or of the result itself."""
    return int(result[-1] if isinstance(result, tuple) else result)
