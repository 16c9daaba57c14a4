"""Reports of the host runtime, with their place in Python."""

from __future__ import annotations

import atexit
import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from PyGPU._base import caller
from PyGPU._host import library

_listener: Any = None  # ctypes has no name for the type of its functions


def strict(on: bool = True) -> bool:
    """Report misuse on stderr: the call, the pointer, where it came from. Returns what was set.

    The same as PYGPU_HOST_STRICT=1. In strict mode all queued work runs in its turn on the stream's
    own thread. All fresh and freed memory is filled with patterns, and writes to freed memory are
    found.
    """
    return bool(library.set_strict(int(on)))


@contextmanager
def reports(strict: bool = True) -> Iterator[list[str]]:
    """Collect reports in a list instead of writing them to stderr.

    These are the reports of strict mode, those of PYGPU_HOST_CHECK, and failures of kernels. Strict
    mode is on meanwhile; with `strict=False` it stays as it is. A report of queued work comes when
    that work runs: wait for it before the end of the with-block.
    """
    global _listener
    collected: list[str] = []
    before = _listener
    was_strict = library.set_strict(1) if strict else None
    _listener = library.LISTENER(lambda text: collected.append(text.decode(errors="replace")))
    library.set_listener(ctypes.cast(_listener, ctypes.c_void_p))
    try:
        yield collected
    finally:
        library.set_listener(ctypes.cast(before, ctypes.c_void_p) if before else None)
        _listener = before
        if was_strict is not None:
            library.set_strict(was_strict)


def _where(text: int, size: int) -> None:
    """Writes the file and line of the first frame outside this package."""
    try:
        frame = caller.line(sys._getframe(1))
    except (AttributeError, ValueError):  # a thread that runs no Python
        return
    if frame is None or size < 2:
        return
    place = f"{frame.f_code.co_filename}:{frame.f_lineno} in {frame.f_code.co_name}"
    encoded = place.encode(errors="replace")[: size - 1] + b"\0"
    ctypes.memmove(text, encoded, len(encoded))


_locator = library.LOCATOR(_where)
library.set_locator(ctypes.cast(_locator, ctypes.c_void_p))


@atexit.register
def _leave() -> None:
    """From now on the runtime calls no Python."""
    library.set_locator(None)
    library.set_listener(None)
