"""The file of a trace with data: records with checksums, one after the other.

A file begins with MAGIC. A record is its head and its payload, which zlib has compressed. A file
that ends without the record END is of a program that ended early. Nothing of a file is run; sizes
and checksums are checked before a record is believed.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Any

VERSION = 1
MAGIC = b"PyGPU trace with data\n"
_VERSION = struct.Struct("<I")
_HEAD = struct.Struct("<4sIII")  # kind, stored size, size, checksum of all that and the payload
CALL, DATA, EVENTS, END = b"CALL", b"DATA", b"EVTS", b"END."
_KINDS = (CALL, DATA, EVENTS, END)
_MOST = 1100  # zlib makes at most 1032 bytes of one
_LEVEL = 1


class DamagedError(ValueError):
    """A file that is no trace with data, or not whole."""


@dataclass(frozen=True)
class Record:
    """A record whose checksum is right; `at` is where it begins in the file."""

    kind: bytes
    at: int
    stored: bytes
    size: int
    path: str

    def payload(self) -> bytes:
        """What it holds. DamagedError if that isn't what its head says."""
        try:
            opened = zlib.decompressobj()
            whole = opened.decompress(self.stored, self.size + 1)
        except zlib.error as error:
            raise self.error(f"can't be unpacked: {error}") from None
        if len(whole) != self.size or not opened.eof:
            raise self.error("hasn't the size that it says")
        return whole

    def object(self) -> dict[str, Any]:
        """The JSON object that it holds."""
        try:
            value = json.loads(self.payload())
        except (ValueError, RecursionError) as error:
            raise self.error(f"is no JSON: {error}") from None
        if not isinstance(value, dict):
            raise self.error("is no JSON object")
        return value

    def error(self, text: str) -> DamagedError:
        """An error that names the file and this record."""
        return DamagedError(f"{self.path}: the record at byte {self.at} {text}")


class Writer:
    """Writes records to a file, which `opening` opens for writing in binary with the first one."""

    def __init__(self, opening: Callable[[], IO[bytes]]) -> None:
        self._opening = opening
        self._file: IO[bytes] | None = None

    def add(self, kind: bytes, payload: bytes) -> None:
        """Write one record. OSError if there is no room."""
        if self._file is None:
            self._file = self._opening()
            self._file.write(MAGIC + _VERSION.pack(VERSION))
        stored = zlib.compress(payload, _LEVEL)
        sizes = _HEAD.pack(kind, len(stored), len(payload), 0)
        checksum = zlib.crc32(stored, zlib.crc32(sizes))
        self._file.write(_HEAD.pack(kind, len(stored), len(payload), checksum) + stored)
        self._file.flush()


def text_of(value: dict[str, Any]) -> bytes:
    """A JSON object as the payload of a CALL record."""
    return json.dumps(value, separators=(",", ":")).encode()


def is_trace(head: bytes) -> bool:
    """Whether a file that begins so is a trace with data."""
    return head.startswith(MAGIC)


def read(path: str, data: bytes) -> Iterator[Record]:
    """The records of a file. DamagedError, with the place, where it isn't one."""
    at = len(MAGIC) + _VERSION.size
    if not is_trace(data) or len(data) < at:
        raise DamagedError(f"{path} is no trace with data: record one with PYGPU_TRACE_DATA=1")
    (version,) = _VERSION.unpack_from(data, len(MAGIC))
    if version != VERSION:
        raise DamagedError(f"{path} has version {version}, and this PyGPU reads version {VERSION}")
    view = memoryview(data)
    while at < len(data):
        if at + _HEAD.size > len(data):
            raise DamagedError(f"{path} is cut off at byte {len(data)}, in the head of a record")
        kind, stored, size, checksum = _HEAD.unpack_from(data, at)
        end = at + _HEAD.size + stored
        if kind not in _KINDS or size > _MOST * (stored + 1):
            raise DamagedError(f"{path}: at byte {at} there is no record of a trace: it is damaged")
        if end > len(data):
            raise DamagedError(f"{path} is cut off: the record at byte {at} ends at byte {end}")
        payload = bytes(view[at + _HEAD.size : end])
        if checksum != zlib.crc32(payload, zlib.crc32(_HEAD.pack(kind, stored, size, 0))):
            raise DamagedError(f"{path}: the record at byte {at} is damaged: its checksum is wrong")
        yield Record(kind, at, payload, size, path)
        if kind == END:
            if end != len(data):
                raise DamagedError(f"{path}: more is behind the end of the trace, at byte {end}")
            return
        at = end
