"""zlib's bindings on a machine without the library."""

from __future__ import annotations

import pytest

from PyGPU import GPUError, zlib

pytestmark = pytest.mark.filterwarnings("ignore:PyGPU. PYGPU_ZLIB_LIBRARY names a library")


def test_statuses_say_so() -> None:
    got, err = zlib.compress(b"abc", 3)
    assert (got, err.name) == (None, "PYGPU_ERROR_LIBRARY_NOT_FOUND")


def test_what_gives_no_status_raises() -> None:
    with pytest.raises(GPUError, match=r"PYGPU_ERROR_LIBRARY_NOT_FOUND.*PYGPU_ZLIB_LIBRARY"):
        zlib.crc32(0, b"abc", 3)
    assert zlib.zError(-5) == "buf error"  # from a table in PyGPU
