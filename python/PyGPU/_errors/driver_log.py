"""Reads the log of a driver that keeps one, as NVIDIA's of CUDA 12.9 and later does."""

from __future__ import annotations

import ctypes
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from PyGPU._apis.api import Driver

# How far the log has been read; None before the first read. Two threads that read at the same
# time get the same lines.
_read: int | None = None


def news(known: Driver) -> str:
    """What the log of a driver, if its library is loaded, gained since the last call, else "".

    The first call gives all that the log holds. It asks the driver's library directly, so the
    runtime's last error stays as it is. It gives "" if the driver isn't loaded or initialised.
    """
    if known.log is None:
        return ""
    *names, relaxed, capacity = known.log
    try:
        driver = ctypes.CDLL(known.library, mode=os.RTLD_NOLOAD)
        newest, dump, exchange_mode = (getattr(driver, one) for one in names)
    except (OSError, AttributeError):
        return ""
    mode = ctypes.c_int(relaxed)  # so that the calls don't break a capture
    if exchange_mode(ctypes.byref(mode)):
        return ""
    try:
        return _read_on(dump, newest, capacity)
    finally:
        exchange_mode(ctypes.byref(mode))


def _read_on(dump: Any, newest: Any, capacity: int) -> str:
    global _read
    before = _read
    place = ctypes.c_uint(before or 0)
    # Asked before the dump: a message that comes in between is read twice, and not missed.
    if before is None and newest(ctypes.byref(place), 0):
        return ""
    start = None if before is None else ctypes.byref(place)
    text = ctypes.create_string_buffer(capacity + 1)
    size = ctypes.c_size_t(len(text))
    if dump(start, text, ctypes.byref(size), 0):
        return ""
    if _read == before:  # no other thread has read on meanwhile
        _read = place.value
    return text.raw[: min(size.value, capacity)].decode("utf-8", "replace")
