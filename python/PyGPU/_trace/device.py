"""When the open traces have a card's own times: from the first use of CUDA until the last stop.

session.py calls all functions with its lock.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress

from PyGPU import _backend, _libraries

from .cupti import Session, UnavailableError

_APIS = ("cuda", "cu")
_session: Session | None = None
_warn: Callable[[str], None] | None = None  # set while a trace wants the times
_has_begun = _is_child = False  # CUPTI doesn't work in a forked child of a process that used it


def start(warn: Callable[[str], None]) -> None:
    """Let CUPTI begin if CUDA is in use, or else once its library is loaded.

    So a trace of a program that doesn't use CUDA starts no driver, and leaves a fork safe. `warn`
    gets a line if CUPTI is there and can't be used.
    """
    global _warn
    _warn = warn
    for api in _APIS:  # the driver's module is heavy: it isn't imported to be asked
        if (api == "cuda" or "PyGPU._cu" in sys.modules) and _libraries.installed(api):
            library_loaded(api)


def library_loaded(api: str) -> None:
    """A library was loaded: if it is CUDA's, that is about to be used for the first time."""
    global _session, _has_begun
    if not _warn or _session or _is_child or api not in _APIS or _backend.current() != "cuda":
        return
    _has_begun = True
    try:
        _session = Session()
    except UnavailableError as why:
        if why.is_news:
            _warn(f"no times of the device: {why}")


def flush() -> None:
    """Let the file of the traces have all times that are known by now."""
    if _session:
        with suppress(
            UnavailableError
        ):  # it has worked before; what is missing shows in the summary
            _session.flush()


def stop() -> Session | None:
    """End it, before the recording stops. After that, call leave_callbacks() of what it returns."""
    global _session, _warn
    _warn = None
    ended, _session = _session, None
    if ended:
        with suppress(UnavailableError):
            ended.end()
    return ended


def leave() -> None:
    """In a child of a fork: CUPTI is the parent's."""
    global _session, _warn, _is_child
    _is_child = _has_begun
    _session = _warn = None
