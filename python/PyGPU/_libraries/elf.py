"""Reads ELF files: what machine a shared object is for, whether it is whole, and its SONAME.

No file is opened as a library. Any path and any content give an answer, at worst an error with a
sentence: only regular files are opened, and only small pieces inside them are read. What the pieces
hold is read in C++ (runtime/library_file.hpp).
"""

from __future__ import annotations

import os
import stat
from typing import NamedTuple

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


class NotLoadableError(Exception):
    """The file can't be loaded. The text says why; it continues after the file's name."""


class Header(NamedTuple):
    """What the first bytes say: 32 or 64 bits, byte order ("<" or ">"), machine."""

    bits: int
    order: str
    machine: int

    def __str__(self) -> str:
        name = _MACHINES.get(self.machine, f"machine {self.machine}")
        return f"{self.bits}-bit {name}"


class Library(NamedTuple):
    """A shared object, by its headers.

    `soname` is "" where it has none, and where the library is for another word or byte order.
    """

    header: Header
    soname: str


def read(path: str) -> Library:
    """The shared object at `path`. Raises NotLoadableError where no process could load it."""
    with _File(path) as file:
        bits, order, machine, soname, problem = _core.library_file(file)
    if problem:
        raise NotLoadableError(problem)
    return Library(Header(bits, order, machine), soname)


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
        return read(_core.__file__).header
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


def _unreadable(error: OSError | ValueError) -> NotLoadableError:
    return NotLoadableError(f"cannot be read: {getattr(error, 'strerror', None) or error}")


def _require_regular(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "no regular file")
        raise NotLoadableError(f"is {kind}, not a shared object")
