"""zlib.h from Debian: an API unrelated to GPUs is added by one folder alone."""

from __future__ import annotations

import ctypes.util
from pathlib import Path

from tests.conftest import unavailable

HERE = Path(__file__).parent


def test_calls(check) -> None:
    if not ctypes.util.find_library("z"):
        unavailable("no libz.so.1")
    check(HERE / "calls.py")


def test_without_a_library(check) -> None:
    check(HERE / "absent.py", PYGPU_ZLIB_LIBRARY="/nowhere/libz.so.1")
