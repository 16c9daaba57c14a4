"""Compiled code on disk, shared by processes: whole entries or none, and never too many.

An entry is a file named by a digest of all that decides its content. It is written under another
name and then renamed, so that nobody reads half of it. It begins with its own checksum. Reading an
entry marks it as used. Above the limit, the entries that were used longest ago are removed.
"""

from __future__ import annotations

import hashlib
import os
import stat
import threading
import time
import warnings
from contextlib import suppress
from typing import NamedTuple

FOLDER = "PYGPU_CACHE_DIR"
DISABLE = "PYGPU_CACHE_DISABLE"
SIZE = "PYGPU_CACHE_SIZE"
DEFAULT_SIZE = 256 << 20

_SUFFIX = ".pygpu"
_MAGIC = b"PyGPU code 1\n"
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


def folder(given: str | None = None) -> str | None:
    """Where the cache lies; None where there is no place for it."""
    named = given or os.environ.get(FOLDER, "")
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
    """The content of an entry, which is marked as used; None if absent. Removes a broken entry."""
    if _distrusted(place):
        return None
    path = os.path.join(place, key + _SUFFIX)
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return None
    begin = len(_MAGIC) + hashlib.sha256().digest_size
    content = data[begin:]
    if data[:begin] != _MAGIC + hashlib.sha256(content).digest():
        with suppress(OSError):
            os.unlink(path)
        return None
    with suppress(OSError):
        os.utime(path)
    return content


def store(place: str, key: str, content: bytes) -> bool:
    """Keep an entry, within the limit. False where that isn't possible, which is no error."""
    data = _MAGIC + hashlib.sha256(content).digest() + content
    most = limit()
    if len(data) > most:
        return False
    try:
        os.makedirs(place, mode=0o700, exist_ok=True)
        if _distrusted(place):
            return False
        _write(place, key, data)
        _trim(place, most, key)
    except OSError:  # a read-only home, a full disk
        return False
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
                sizes.append(entry.stat().st_size)
    return CacheInfo(place, len(sizes), sum(sizes), limit())


def _write(place: str, key: str, data: bytes) -> None:
    beside = os.path.join(place, f"{key}.{os.getpid()}.{threading.get_ident()}.tmp")
    try:
        file = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with open(file, "wb") as opened:
            opened.write(data)
        os.replace(beside, os.path.join(place, key + _SUFFIX))
    except OSError:
        with suppress(OSError):
            os.unlink(beside)
        raise


def _trim(place: str, most: int, written: str) -> None:
    """Remove the oldest entries, down to nine tenths of the limit, and abandoned files.

    The entry `written` stays, whatever its time: clocks are coarse, and may be set back.
    """
    found = []
    for entry in _entries(place):
        with suppress(OSError):  # another process may be trimming, too
            status = entry.stat(follow_symlinks=False)
            if entry.name.endswith(_SUFFIX):
                found.append((status.st_mtime_ns, status.st_size, entry.path))
            elif status.st_mtime < time.time() - _ABANDONED:
                os.unlink(entry.path)
    total = sum(size for _, size, _ in found)
    if total <= most:
        return
    keep = os.path.join(place, written + _SUFFIX)
    for _, size, path in sorted(one for one in found if one[2] != keep):
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


def _distrusted(place: str) -> bool:
    """Whether somebody else may write there: code from it would run in this user's name."""
    try:
        status = os.stat(place)
    except OSError:
        return False
    if status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return False
    _warn_once(
        f"PyGPU: compiled code is not cached: others than this user may write to {place}; "
        f"chmod go-w it, or let {FOLDER} name another folder"
    )
    return True


def _warn_once(text: str) -> None:
    if text not in _warned:
        _warned.add(text)
        warnings.warn(text, RuntimeWarning, stacklevel=4)
