"""Warnings at the user's line: the innermost one outside this package."""

from __future__ import annotations

import os
import sys
import warnings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def _line(frame: FrameType | None) -> FrameType | None:
    """The first of a frame and its callers that is neither this package's nor an import's."""
    while frame is not None:
        name = frame.f_globals.get("__name__")
        if not frame.f_code.co_filename.startswith(_PACKAGE) and not (
            isinstance(name, str) and name.partition(".")[0] == "importlib"
        ):
            break
        frame = frame.f_back
    return frame


def warn(text: str, category: type[Warning]) -> None:
    """Show a warning at the user's line.

    warnings.warn counts frames, and passes over those of imports without counting them.
    """
    frame = _line(sys._getframe(1))
    if frame is None:  # called by a thread that runs no Python of the user's
        warnings.warn(text, category, stacklevel=2)
        return
    names = frame.f_globals
    warnings.warn_explicit(
        text,
        category,
        frame.f_code.co_filename,
        frame.f_lineno,
        names.get("__name__") or "<unknown>",
        names.setdefault("__warningregistry__", {}),
    )
