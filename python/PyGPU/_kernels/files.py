"""Reads files that others may have planted: regular ones only, and never more than a limit."""

from __future__ import annotations

import errno
import os
import stat

# A FIFO would let open() wait, a terminal would become the process's own.
_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY


class NotAFileError(OSError):
    """There is something, but no file that can be read to its end."""


def opened(path: str, flags: int = 0, folder: int | None = None) -> tuple[int, os.stat_result]:
    """A descriptor of a regular file, and its status.

    `folder` is a descriptor of the folder that a relative path starts from. Raises NotAFileError
    for a device, a FIFO or a socket, OSError for what can't be opened.
    """
    # A device is never opened, since that alone may do something. The check is made again on the
    # opened file, because the path may have been replaced meanwhile.
    _check(path, os.stat(path, dir_fd=folder, follow_symlinks=not flags & os.O_NOFOLLOW))
    file = os.open(path, _FLAGS | flags, dir_fd=folder)
    try:
        status = os.fstat(file)
        _check(path, status)
    except BaseException:
        os.close(file)
        raise
    return file, status


def content(file: int, path: str, most: int) -> bytes:
    """All bytes of an opened file, which is closed. Raises NotAFileError beyond `most` bytes."""
    with open(file, "rb") as reader:
        size = os.fstat(file).st_size
        data = reader.read(size) if size <= most else b""
        # Files of /proc have size 0, whatever they hold, and some never end.
        while size <= most and (more := reader.read(1 << 16)):
            data += more
            size = len(data)
    if size > most:
        raise _refused(path, f"it has more than {most} bytes")
    return data


def read(path: str, most: int) -> bytes:
    """The bytes of a regular file. Raises NotAFileError for anything else, or OSError."""
    return content(opened(path)[0], path, most)


def _check(path: str, status: os.stat_result) -> None:
    kinds = {stat.S_IFIFO: "a FIFO", stat.S_IFSOCK: "a socket", stat.S_IFLNK: "a link"}
    kinds |= {stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}
    kind = kinds.get(stat.S_IFMT(status.st_mode))
    if kind:
        raise _refused(path, f"it is {kind}, not a file")
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder, not a file", path)


def _refused(path: str, why: str) -> NotAFileError:
    return NotAFileError(errno.EINVAL, why, path)
