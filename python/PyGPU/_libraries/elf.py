"""Reads ELF files: what machine a shared object is for, whether it is whole, and its SONAME.

No file is opened as a library. Any path and any content give an answer, at worst an error with a
sentence: only regular files are opened, and only small pieces inside them are read. Source of the
layouts: elf(5).
"""

from __future__ import annotations

import os
import stat
import struct
from dataclasses import dataclass

from PyGPU import _core

_MACHINES = {
    3: "x86",
    20: "PowerPC",
    21: "ppc64",
    22: "s390",
    40: "arm",
    62: "x86-64",
    183: "aarch64",
    243: "riscv",
    258: "loongarch",
}
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_PT_LOAD, _PT_DYNAMIC = 1, 2
_DT_NULL, _DT_STRTAB, _DT_SONAME = 0, 5, 14
_ET_DYN = 3
_MOST_TAGS = 1 << 16  # the most bytes to read of a dynamic section; real ones have some hundred
_LONGEST_NAME = 256


class NotLoadableError(Exception):
    """The file can't be loaded. The text says why; it continues after the file's name."""


@dataclass(frozen=True, slots=True)
class Header:
    """What the first bytes say: 32 or 64 bits, byte order ("<" or ">"), machine, kind of file."""

    bits: int
    order: str
    machine: int
    kind: int

    def __str__(self) -> str:
        name = _MACHINES.get(self.machine, f"machine {self.machine}")
        return f"{self.bits}-bit {name}"


@dataclass(frozen=True, slots=True)
class Library:
    """A shared object, by its headers; `soname` is "" where it has none."""

    header: Header
    soname: str


def read(path: str) -> Library:
    """The shared object at `path`. Raises NotLoadableError where no process could load it."""
    with _File(path) as file:
        top = _header(file)
        return Library(top, _soname(file, top))


def misfit(header: Header) -> str:
    """Why a library with this header is none for this process; "" when it is one."""
    mine = own()
    fits = not mine or (header.bits, header.order, header.machine) == (
        mine.bits,
        mine.order,
        mine.machine,
    )
    return "" if fits else f"is built for {header}, but this Python is {mine}"


def own() -> Header | None:
    """The header of PyGPU's own compiled part; None where that has no file."""
    try:
        with _File(_core.__file__) as file:
            return _header(file)
    except NotLoadableError:
        return None


class _File:
    """A regular file, open for reading: raises NotLoadableError for whatever can't be read."""

    def __init__(self, path: str) -> None:
        flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
        try:
            _require_regular(os.stat(path))  # some devices act when they are only opened
            self._descriptor = os.open(path, flags)
        except (OSError, ValueError) as error:  # ValueError: a NUL in the path, say
            raise _unreadable(error) from error

    def __enter__(self) -> _File:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)

    @property
    def size(self) -> int:
        """The size now: the file may be cut while it is read."""
        status = os.fstat(self._descriptor)
        _require_regular(status)
        return status.st_size

    def piece(self, offset: int, size: int) -> bytes:
        """`size` bytes from `offset` on, all of which must lie inside the file."""
        if offset + size > self.size:
            raise NotLoadableError("is a damaged ELF file: it names a place behind its end")
        try:
            data = os.pread(self._descriptor, size, offset)
        except OSError as error:
            raise _unreadable(error) from error
        if len(data) < size:
            raise NotLoadableError("was cut while it was read")
        return data


@dataclass(frozen=True, slots=True)
class _Segment:
    """What a program header says of a part of the file, and where in memory it belongs."""

    kind: int
    offset: int
    address: int
    size: int


def _unreadable(error: OSError | ValueError) -> NotLoadableError:
    return NotLoadableError(f"cannot be read: {getattr(error, 'strerror', None) or error}")


def _require_regular(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "no regular file")
        raise NotLoadableError(f"is {kind}, not a shared object")


def _header(file: _File) -> Header:
    data = file.piece(0, min(20, file.size))
    if not data:
        raise NotLoadableError("is empty")
    if data[:4] != b"\x7fELF":
        text = all(9 <= byte < 127 for byte in data)
        raise NotLoadableError(
            "is a text file, not a shared object" if text else "is not an ELF file"
        )
    if len(data) < 20 or data[4] not in (1, 2) or data[5] not in (1, 2):
        raise NotLoadableError("is a damaged ELF file")
    order = "<" if data[5] == 1 else ">"
    kind, machine = struct.unpack_from(order + "HH", data, 16)
    return Header(32 * data[4], order, machine, kind)


def _soname(file: _File, top: Header) -> str:
    if top.kind != _ET_DYN:
        raise NotLoadableError("is not a shared object")
    segments = _segments(file, top)
    mapped = [one for one in segments if one.kind == _PT_LOAD and one.size]
    # A page that is mapped behind the file's end raises SIGBUS when it is touched, in the loader
    # already.
    needed, size = max((one.offset + one.size for one in mapped), default=0), file.size
    if needed > size:
        raise NotLoadableError(f"is cut short: it has {size} bytes of {needed} or more")
    dynamic = next((one for one in segments if one.kind == _PT_DYNAMIC), None)
    if not dynamic:
        raise NotLoadableError("is a damaged ELF file: it has no dynamic section")
    if not _home(mapped, dynamic.address):  # the loader would read it all the same, and crash
        raise NotLoadableError("is a damaged ELF file: its dynamic section is in no loaded segment")
    tags = _tags(top, file.piece(dynamic.offset, min(dynamic.size, _MOST_TAGS)))
    # Strings are given by their table's address in memory: find the segment that maps it.
    table = tags.get(_DT_STRTAB, -1)
    home = _home(mapped, table)
    if not home:
        raise NotLoadableError("is a damaged ELF file: it has no table of strings")
    if _DT_SONAME not in tags:
        return ""
    start = home.offset + table - home.address + tags[_DT_SONAME]
    name, end, _ = file.piece(start, max(0, min(_LONGEST_NAME, size - start))).partition(b"\0")
    if not end:
        raise NotLoadableError("is a damaged ELF file: its SONAME has no end")
    return name.decode(errors="replace")


def _home(mapped: list[_Segment], address: int) -> _Segment | None:
    """The segment that brings an address's content into memory."""
    return next((one for one in mapped if one.address <= address < one.address + one.size), None)


def _segments(file: _File, top: Header) -> list[_Segment]:
    """Its program headers."""
    if top.bits == 64:
        where, layout = "32xQ14xHH", "I4xQQ8xQ16x"
    else:
        where, layout = "28xI10xHH", "IIIxxxxI12x"
    where, layout = top.order + where, top.order + layout
    offset, size, count = struct.unpack(where, file.piece(0, struct.calcsize(where)))
    if size != struct.calcsize(layout):
        raise NotLoadableError("is a damaged ELF file: its program headers have another size")
    table = file.piece(offset, size * count)
    return [_Segment(*numbers) for numbers in struct.iter_unpack(layout, table)]


def _tags(top: Header, data: bytes) -> dict[int, int]:
    """The dynamic section: the first value of every tag."""
    layout = top.order + ("qQ" if top.bits == 64 else "iI")
    usable = len(data) - len(data) % struct.calcsize(layout)
    tags: dict[int, int] = {}
    for tag, value in struct.iter_unpack(layout, data[:usable]):
        if tag == _DT_NULL:
            break
        tags.setdefault(tag, value)
    return tags
