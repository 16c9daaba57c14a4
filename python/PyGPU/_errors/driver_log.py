"""Reads the log of NVIDIA's driver, which drivers of CUDA 12.9 and later keep.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__LOGS.html
"""

from __future__ import annotations

import ctypes
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CAPACITY = 25600  # the driver keeps no more
RELAXED = 2  # CU_STREAM_CAPTURE_MODE_RELAXED

# How far the log has been read; None before the first read. Two threads that read at the same
# time get the same lines.
_read: int | None = None


def news(name: str) -> str:
    """What the log of the loaded driver library `name` gained since the last call, else "".

    The first call gives all that the log holds. It asks the driver's library directly, so the
    runtime's last error stays as it is. It gives "" if the driver isn't loaded or initialised.
    """
    try:
        driver = ctypes.CDLL(name, mode=os.RTLD_NOLOAD)
        dump, newest = driver.cuLogsDumpToMemory, driver.cuLogsCurrent
        exchange_mode = driver.cuThreadExchangeStreamCaptureMode
    except (OSError, AttributeError):
        return ""
    mode = ctypes.c_int(RELAXED)  # so that the calls don't break a capture
    if exchange_mode(ctypes.byref(mode)):
        return ""
    try:
        return _read_on(dump, newest)
    finally:
        exchange_mode(ctypes.byref(mode))


def _read_on(dump: Any, newest: Any) -> str:
    global _read
    before = _read
    place = ctypes.c_uint(before or 0)
    # Asked before the dump: a message that comes in between is read twice, and not missed.
    if before is None and newest(ctypes.byref(place), 0):
        return ""
    start = None if before is None else ctypes.byref(place)
    text = ctypes.create_string_buffer(CAPACITY + 1)
    size = ctypes.c_size_t(len(text))
    if dump(start, text, ctypes.byref(size), 0):
        return ""
    if _read == before:  # no other thread has read on meanwhile
        _read = place.value
    return text.raw[: min(size.value, CAPACITY)].decode("utf-8", "replace")
