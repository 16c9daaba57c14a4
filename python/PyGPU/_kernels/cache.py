"""Compiled code on disk, shared by processes: whole entries or none, and never too many.

An entry is a file named by a digest of all that decides its content. It is written under another
name and then renamed, so that nobody reads half of it. It starts with a checksum of its name and
content. Reading an entry marks it as used. Above the limit, the entries that were used longest ago
are removed.

Code from the cache runs in the user's name. So only a regular file of this user is read, which
nobody else may write, in a folder for which the same holds.
"""

from __future__ import annotations

import hashlib
import os
import stat
import threading
import time
from contextlib import suppress
from typing import NamedTuple

from PyGPU._base import caller
from PyGPU._kernels import files

FOLDER = "PYGPU_CACHE_DIR"
DISABLE = "PYGPU_CACHE_DISABLE"
SIZE = "PYGPU_CACHE_SIZE"
DEFAULT_SIZE = 256 << 20

_SUFFIX = ".pygpu"
_MAGIC = b"PyGPU code 2\n"
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_ABANDONED = 3600.0  # seconds, after which an unfinished file counts as abandoned

_warned: set[str] = set()


class CacheInfo(NamedTuple):
    """What is in the cache."""

    folder: str
    entries: int
    size: int
    limit: int


def is_disabled() -> bool:
    """Whether the environment forbids the cache."""
    return os.environ.get(DISABLE, "").strip().lower() not in ("", "0", "false", "no", "off")


def folder(chosen: str | None = None) -> str | None:
    """Where the cache lies; None where there is no place for it."""
    named = chosen or os.environ.get(FOLDER, "")
    if named:
        return os.path.abspath(os.path.expanduser(named))
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):  # XDG says to ignore a relative path
        base = os.path.expanduser("~/.cache")
    return os.path.join(base, "PyGPU") if os.path.isabs(base) else None


def limit() -> int:
    """How many bytes the cache may have."""
    text = os.environ.get(SIZE, "").strip().upper().removesuffix("B").removesuffix("I")
    number, unit = (text[:-1], text[-1]) if text[-1:] in ("K", "M", "G") else (text, "")
    if number.isascii() and number.isdigit():
        return int(number) * _UNITS[unit]
    if text:
        _warn_once(f"PyGPU: {SIZE} is {os.environ[SIZE]!r}; it takes bytes, or 64M, or 1G")
    return DEFAULT_SIZE


def load(place: str, key: str) -> bytes | None:
    """The content of an entry, which is marked as used; None if it is absent, broken, or not ours.

    What is broken stays until store() replaces it, or until it is the oldest.
    """
    folder = _opened(place)
    if folder is None:
        return None
    try:
        name = key + _SUFFIX
        file, status = files.opened(name, os.O_NOFOLLOW, folder)
        if not _is_ours(status):
            os.close(file)
            return None
        data = files.content(file, name, limit())
        start = len(_MAGIC) + hashlib.sha256().digest_size
        content = data[start:]
        if data[:start] != _head(key, content):
            return None
        with suppress(OSError):
            os.utime(name, dir_fd=folder, follow_symlinks=False)
        return content
    except OSError:
        return None
    finally:
        os.close(folder)


def store(place: str, key: str, content: bytes) -> bool:
    """Keep an entry, within the limit. False where that isn't possible, which is no error."""
    data = _head(key, content) + content
    most = limit()
    if len(data) > most:
        return False
    folder = None
    try:
        os.makedirs(place, mode=0o700, exist_ok=True)
        folder = _opened(place)
        if folder is None:
            return False
        _write(folder, key, data)
        _trim(place, most, key)
    except OSError:  # a read-only home, a full disk
        return False
    finally:
        if folder is not None:
            os.close(folder)
    return True


def clear(place: str) -> int:
    """Remove all entries, and return how many there were."""
    count = 0
    for entry in _entries(place):
        with suppress(OSError):
            os.unlink(entry.path)
            count += entry.name.endswith(_SUFFIX)
    return count


def info(place: str) -> CacheInfo:
    """What is in the cache now."""
    sizes = []
    for entry in _entries(place):
        with suppress(OSError):
            if entry.name.endswith(_SUFFIX):
                sizes.append(entry.stat(follow_symlinks=False).st_size)
    return CacheInfo(place, len(sizes), sum(sizes), limit())


def _head(key: str, content: bytes) -> bytes:
    """What an entry starts with. The key is in it: an entry under another's name is broken."""
    return _MAGIC + hashlib.sha256(key.encode() + content).digest()


def _write(folder: int, key: str, data: bytes) -> None:
    beside = f"{key}.{os.getpid()}.{threading.get_ident()}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    try:
        with open(os.open(beside, flags, 0o600, dir_fd=folder), "wb") as opened:
            opened.write(data)
        os.replace(beside, key + _SUFFIX, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        with suppress(OSError):
            os.unlink(beside, dir_fd=folder)
        raise


def _trim(place: str, most: int, written: str) -> None:
    """Remove the oldest entries, down to nine tenths of the limit, and abandoned files.

    The entry `written` stays, whatever its time: clocks are coarse, and may be set back.
    """
    listed = []
    for entry in _entries(place):
        with suppress(OSError):  # another process may be trimming, too
            status = entry.stat(follow_symlinks=False)
            if entry.name.endswith(_SUFFIX):
                listed.append((status.st_mtime_ns, status.st_size, entry.path))
            elif status.st_mtime < time.time() - _ABANDONED:
                os.unlink(entry.path)
    total = sum(size for _, size, _ in listed)
    if total <= most:
        return
    keep = os.path.join(place, written + _SUFFIX)
    for _, size, path in sorted(one for one in listed if one[2] != keep):
        with suppress(OSError):
            os.unlink(path)
        total -= size
        if total <= most * 9 // 10:
            break


def _entries(place: str) -> list[os.DirEntry[str]]:
    """PyGPU's own files, finished or not. A folder that the user named may have others, too."""
    try:
        with os.scandir(place) as entries:
            return [one for one in entries if one.name.endswith((_SUFFIX, ".tmp")) and _own(one)]
    except OSError:
        return []


def _own(entry: os.DirEntry[str]) -> bool:
    digest = entry.name.partition(".")[0]
    return len(digest) == 64 and not digest.strip("0123456789abcdef")


def _opened(place: str) -> int | None:
    """A descriptor of the folder. None without one, and with a warning if others may write to it.

    All files are opened by this descriptor, so nobody can put another folder in its place.
    """
    try:
        folder = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return None
    whose = place if not _is_ours(os.fstat(folder)) else _replaceable(place)
    if not whose:
        return folder
    os.close(folder)
    _warn_once(
        f"PyGPU: compiled code is not cached: other users may write to {whose}; "
        f"chmod go-w it, or let {FOLDER} name another folder"
    )
    return None


def _is_ours(status: os.stat_result) -> bool:
    """Whether it is this user's and nobody else may write to it."""
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _replaceable(place: str) -> str:
    """The part of a path by which others can choose what folder it leads to; "" without one.

    That is a link of theirs, or a folder where everybody may rename everything: /tmp is sticky.
    """
    path = os.path.abspath(place)
    while path != (parent := os.path.dirname(path)):
        status = os.lstat(path)
        if stat.S_ISLNK(status.st_mode):
            if status.st_uid not in (0, os.geteuid()):
                return path
        elif status.st_mode & stat.S_IWOTH and not status.st_mode & stat.S_ISVTX:
            return path
        path = parent
    return ""


def _warn_once(text: str) -> None:
    if text not in _warned:
        _warned.add(text)
        caller.warn(text, RuntimeWarning)
