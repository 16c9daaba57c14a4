"""Reads ELF headers: what machine a shared object is for, and its SONAME; opens no library."""

from __future__ import annotations

import struct
from dataclasses import dataclass

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
_PT_LOAD, _PT_DYNAMIC = 1, 2
_DT_NULL, _DT_STRTAB, _DT_SONAME = 0, 5, 14
_ET_DYN = 3


class NotElfError(ValueError):
    """The file is no ELF file, or one that breaks off; the text says which."""


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


def header(path: str) -> Header:
    """The ELF header of the file at `path`. Raises NotElfError, OSError when it can't be read."""
    with open(path, "rb") as file:
        return _header(file.read(20))


def running() -> Header | None:
    """The header of the running program, to compare libraries with; None without /proc."""
    try:
        return header("/proc/self/exe")
    except (OSError, NotElfError):
        return None


def misfit(path: str) -> str:
    """Why this process can't load the file at `path`, by its header alone; "" when it can."""
    try:
        found = header(path)
    except NotElfError as error:
        return str(error)
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    own = running()
    if own and (found.bits, found.order, found.machine) != (own.bits, own.order, own.machine):
        return f"is built for {found}, but this Python is {own}"
    if found.kind != _ET_DYN:
        return "is not a shared object"
    return ""


def soname(path: str) -> str:
    """The SONAME of the shared object at `path`; "" without one.

    Raises NotElfError, and OSError when the file can't be read.
    """
    with open(path, "rb") as file:
        data = file.read(64)
        top = _header(data)
        wide = top.bits == 64
        try:
            if wide:
                phoff, phentsize, phnum = struct.unpack_from(top.order + "32xQ14xHH", data)
            else:
                phoff, phentsize, phnum = struct.unpack_from(top.order + "28xI10xHH", data)
            file.seek(phoff)
            table = file.read(phentsize * phnum)
            segments = [_segment(top, table, i * phentsize) for i in range(phnum)]
            for kind, offset, _, size in segments:
                if kind == _PT_DYNAMIC:
                    file.seek(offset)
                    tags = _tags(top, file.read(size))
                    break
            else:
                return ""
            if _DT_SONAME not in tags or _DT_STRTAB not in tags:
                return ""
            # The string table is given by its address in memory: find the segment that maps it.
            for kind, offset, address, size in segments:
                if kind == _PT_LOAD and address <= tags[_DT_STRTAB] < address + size:
                    file.seek(offset + tags[_DT_STRTAB] - address + tags[_DT_SONAME])
                    return file.read(256).split(b"\0", 1)[0].decode(errors="replace")
        except (struct.error, ValueError, OverflowError) as error:
            raise NotElfError("is a damaged ELF file") from error
    return ""


def _header(data: bytes) -> Header:
    if data[:4] != b"\x7fELF":
        text = bool(data) and all(9 <= byte < 127 for byte in data)
        raise NotElfError("is a text file, not a shared object" if text else "is not an ELF file")
    if len(data) < 20 or data[4] not in (1, 2) or data[5] not in (1, 2):
        raise NotElfError("is a damaged ELF file")
    order = "<" if data[5] == 1 else ">"
    kind, machine = struct.unpack_from(order + "HH", data, 16)
    return Header(32 * data[4], order, machine, kind)


def _segment(top: Header, table: bytes, at: int) -> tuple[int, int, int, int]:
    """One program header as (type, offset in the file, address, size in the file)."""
    if top.bits == 64:
        kind, offset, address, size = struct.unpack_from(top.order + "I4xQQ8xQ", table, at)
    else:
        kind, offset, address, _, size = struct.unpack_from(top.order + "IIIII", table, at)
    return kind, offset, address, size


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
