"""What NVIDIA's driver says of an error in its own log, which drivers of CUDA 12.9 and later keep.

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

# Up to where the log has been read; None before that. Two threads that read at once get the same.
_read: int | None = None


def news(name: str) -> str:
    """What the log of the loaded driver library `name` gained since the last call, else "".

    The first call gives all that the log holds. The library is asked directly: so the runtime's
    last error stays as it is. Nothing is asked of a driver that isn't loaded or not initialised.
    """
    try:
        driver = ctypes.CDLL(name, mode=os.RTLD_NOLOAD)
        dump, newest = driver.cuLogsDumpToMemory, driver.cuLogsCurrent
        exchange_mode = driver.cuThreadExchangeStreamCaptureMode
    except (OSError, AttributeError):
        return ""
    mode = ctypes.c_int(RELAXED)  # so that no capture minds
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
    # Asked first, so that nothing is missed that comes between: it is told twice.
    if before is None and newest(ctypes.byref(place), 0):
        return ""
    begin = None if before is None else ctypes.byref(place)
    text = ctypes.create_string_buffer(CAPACITY + 1)
    size = ctypes.c_size_t(len(text))
    if dump(begin, text, ctypes.byref(size), 0):
        return ""
    if _read == before:  # no other thread has read on meanwhile
        _read = place.value
    return text.raw[: min(size.value, CAPACITY)].decode("utf-8", "replace")
