"""zlib through its bindings: int statuses, several success codes, sizes that another call tells."""

from __future__ import annotations

import ctypes.util
import zlib as python

import pytest

from PyGPU import GPUError, zlib

TEXT = b"All work and no play makes Jack a dull boy.\n" * 100


def test_text_goes_there_and_back() -> None:
    packed, err = zlib.compress(TEXT, len(TEXT))
    assert not err
    # No spare bytes behind it, though the buffer was larger.
    assert python.decompress(packed) == TEXT
    assert zlib.uncompress(packed, len(packed)) == (TEXT, zlib.Z_OK)
    assert zlib.checked.compress2(TEXT, len(TEXT), 9) == python.compress(TEXT, 9)


def test_an_error_has_its_name() -> None:
    packed = zlib.checked.compress(TEXT, len(TEXT))
    got, err = zlib.uncompress(packed, len(packed), destLen=10)
    assert (got, err) == (None, zlib.Z_BUF_ERROR)
    assert (err.name, int(err), err.message) == ("Z_BUF_ERROR", -5, "buffer error")
    got, err = zlib.uncompress(b"no such thing", 13)
    assert (got, err.name, bool(err)) == (None, "Z_DATA_ERROR", True)
    with pytest.raises(GPUError, match=r"uncompress: Z_DATA_ERROR: data error \(code -3\)"):
        zlib.checked.uncompress(b"no such thing", 13)
    assert zlib.inflate(zlib.z_stream(), zlib.Z_FINISH) == zlib.Z_STREAM_ERROR
    assert zlib.zError(zlib.Z_MEM_ERROR.code) == "insufficient memory"


def test_a_short_buffer_is_refused() -> None:
    with pytest.raises(ValueError, match=r"source.*10"):
        zlib.compress(b"nine chars"[:9], 10)
    with pytest.raises(ValueError, match="buf"):
        zlib.crc32(0, b"abc", 4)


def test_values_come_bare() -> None:
    assert zlib.crc32(0, TEXT, len(TEXT)) == python.crc32(TEXT)
    assert zlib.adler32(1, TEXT, len(TEXT)) == python.adler32(TEXT)
    assert zlib.zlibVersion() == python.ZLIB_RUNTIME_VERSION
    assert zlib.compressBound(1000) > 1000


def deflated(data: bytes, piece: int) -> bytes:
    """What a stream makes of data that arrives in pieces; its callbacks stay NULL."""
    stream = zlib.z_stream()
    assert not zlib.deflateInit_(stream, 6, zlib.zlibVersion(), zlib.z_stream.sizeof)
    room, out = bytearray(64), b""
    err = zlib.Z_OK
    for start in range(0, len(data), piece):
        stream.next_in = part = data[start : start + piece]
        stream.avail_in = len(part)
        flush = zlib.Z_FINISH if start + piece >= len(data) else zlib.Z_NO_FLUSH
        while True:
            stream.next_out, stream.avail_out = room, len(room)
            err = zlib.checked.deflate(stream, flush)
            out += room[: len(room) - stream.avail_out]
            if stream.avail_out:
                break
    # Also a success, with another code.
    assert (err, err.name, bool(err)) == (1, "Z_STREAM_END", False)
    assert stream.total_in == len(data)
    assert not zlib.deflateEnd(stream)
    return out


@pytest.mark.parametrize("piece", [7, 1000, 10**6])
def test_streams(piece: int) -> None:
    packed = deflated(TEXT, piece)
    assert python.decompress(packed) == TEXT
    stream = zlib.z_stream()
    assert not zlib.inflateInit_(stream, zlib.zlibVersion(), zlib.z_stream.sizeof)
    room = bytearray(len(TEXT) + 1)
    stream.next_out, stream.avail_out = room, len(room)
    ends = []
    for start in range(0, len(packed), piece):
        stream.next_in = part = packed[start : start + piece]
        stream.avail_in = len(part)
        ends.append(zlib.checked.inflate(stream, zlib.Z_NO_FLUSH))
    assert ends == [*[zlib.Z_OK] * (len(ends) - 1), zlib.Z_STREAM_END]
    assert bytes(room[: stream.total_out]) == TEXT
    assert not zlib.inflateEnd(stream)
    with pytest.raises(GPUError, match="Z_STREAM_ERROR"):
        zlib.checked.inflate(stream, zlib.Z_NO_FLUSH)


def test_the_library_and_its_release() -> None:
    from PyGPU import _libraries

    zlib.zlibVersion()
    found = _libraries.installed("zlib")
    assert found is not None
    assert found["soname"] == ctypes.util.find_library("z")
    assert found["release"] == ".".join(zlib.zlibVersion().split(".")[:2])
