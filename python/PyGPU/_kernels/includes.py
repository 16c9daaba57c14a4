"""Which files a source may include: read as the preprocessor would, with every branch taken."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from PyGPU._kernels import files
from PyGPU._kernels._vendors import COMPILERS

_LARGEST = 64 << 20  # of a header, in bytes

# A blank or a comment, which matches in one way only: else a search could take exponential time.
_BLANKS = rb"(?:[ \t]|/\*(?:[^*\n]|\*(?!/))*\*/)*"
# It may match in a comment, too: then a file is looked at that nobody includes.
_INCLUDE = re.compile(
    rb"(?:#|%:|\?\?=)"
    + _BLANKS
    + rb"(?:include(?:_next)?|import)\b"
    + _BLANKS
    + rb"(?P<name><[^>\n]+>|\"[^\"\n]+\")?"
    rb"|__has_include(?:_next)?[ \t]*\([ \t]*(?P<asked><[^>\n]+>|\"[^\"\n]+\")"
)
_CLOCK = re.compile(rb"__(?:DATE|TIME|TIMESTAMP)__")


# Files that differ between the releases of the vendors' packages.
VERSIONED = tuple(
    dict.fromkeys(name for one in COMPILERS.values() for name in one.headers.versioned)
)


class Reached(NamedTuple):
    """What a source may read beside itself. `known` is False where that can't be told."""

    digest: str
    known: bool
    files: int


class _File(NamedTuple):
    digest: bytes
    names: tuple[tuple[bytes, bool], ...]  # and whether it stands in quotes
    computed: bool  # whether a macro names a file
    clock: bool


# By path: the file's time, size and inode, and what was in it. An entry is only replaced whole.
_files: dict[str, tuple[tuple[int, int, int], _File]] = {}


def has_any(source: bytes, headers: Mapping[str, bytes]) -> bool:
    """Whether anything is included. Mostly nothing is: then the search for headers is spared."""
    return any(_INCLUDE.search(_spliced(one)) for one in (source, *headers.values()))


def reached(
    source: bytes,
    beside: str,
    headers: Mapping[str, bytes],
    folders: Sequence[str],
    vendors: Sequence[str] = (),
    first: Iterable[str] = (),
) -> Reached:
    """A digest of all files that a source may include, directly or not.

    They are looked for in `headers`, `beside` the source or the file that names them in quotes, in
    `folders`, then in `vendors`; `first` are included by options. The vendors' headers are not
    read: a package's files change together, so the size and time of a few stand for all. `known` is
    False if a macro names a file or tells the time.

    Raises files.NotAFileError for a header that the compiler might read without an end.
    """
    read: dict[str, bytes] = {}
    known = True
    start = _scanned(source)
    forced = tuple((os.fsencode(name), True) for name in first)
    todo = [(start._replace(names=start.names + forced), beside)]
    while todo:
        file, own = todo.pop()
        known = known and not (file.computed or file.clock)
        for raw, quoted in file.names:
            name = os.fsdecode(raw)
            if name in headers and f"<{name}>" not in read:
                header = _scanned(headers[name])
                read[f"<{name}>"] = header.digest
                todo.append((header, ""))
            for folder in ([own] if quoted or os.path.isabs(name) else []) + [*folders]:
                path = _canonical(os.path.join(folder, name))
                if path in read:
                    break
                if there := _file(path):
                    read[path] = there.digest
                    todo.append((there, os.path.dirname(path)))
                    break
    listed = hashlib.sha256(repr([_identity(one) for one in vendors]).encode())
    for name in sorted(read):
        listed.update(os.fsencode(name) + b"\0" + read[name])
    return Reached(listed.hexdigest(), known, len(read))


def _identity(folder: str) -> list[object]:
    """What tells one release of a package of headers from another."""
    facts: list[object] = [folder]
    for name in VERSIONED:
        try:
            status = os.stat(os.path.join(folder, name))
        except OSError:
            continue
        facts.append((name, status.st_size, status.st_mtime_ns))
    return facts


def _canonical(path: str) -> str:
    """The same path for all ways to write a folder: a/../a/x.h could grow without end.

    A file that is a link keeps its name: what it includes lies beside the link.
    """
    folder, name = os.path.split(path)
    try:
        return os.path.join(os.path.realpath(folder), name)
    except ValueError:  # a NUL
        return path


def _file(path: str) -> _File | None:
    """A file, read again when it has changed; None where there is none."""
    try:
        status = os.stat(path)
        stamp = status.st_mtime_ns, status.st_size, status.st_ino
        known = _files.get(path)
        if known and known[0] == stamp:
            return known[1]
        scanned = _scanned(files.read(path, _LARGEST))
    except files.NotAFileError:
        raise
    except (OSError, ValueError):
        return None
    _files[path] = stamp, scanned
    return scanned


def _scanned(text: bytes) -> _File:
    names = []
    computed = False
    for match in _INCLUDE.finditer(_spliced(text)):
        name = match["name"] or match["asked"]
        if name:
            names.append((name[1:-1], name[:1] == b'"'))
        else:
            computed = True
    clock = b"__TIME" in text or b"__DATE__" in text
    return _File(
        hashlib.sha256(text).digest(),
        tuple(names),
        computed,
        clock and _CLOCK.search(text) is not None,
    )


def _spliced(text: bytes) -> bytes:
    """The text with its continued lines joined."""
    return re.sub(rb"\\[ \t]*\r?\n", b"", text) if b"\\" in text else text
