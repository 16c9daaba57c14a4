"""Whether help() asks for the names of a module: it shows the docstring instead of thousands."""

from __future__ import annotations

import sys


def asks_for_names() -> bool:
    """Whether help() called dir(), whose function or C code calls this."""
    frame = sys._getframe().f_back
    for _ in range(4):  # __dir__() and inspect.getmembers() are between
        if frame is None or frame.f_globals.get("__name__") == "pydoc":
            return frame is not None
        frame = frame.f_back
    return False
