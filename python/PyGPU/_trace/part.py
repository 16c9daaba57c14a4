"""The file FILE.part, which has a trace's calls until it has ended. Processes don't share one."""

from __future__ import annotations

import fcntl
import os


def own(path: str) -> tuple[int, str]:
    """Open `path`.part; returns it and the path.

    While another process writes to it, the name gets this one's number.
    """
    while True:
        file = os.open(path + ".part", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(file)
            path = numbered(path)
            continue
        return file, path


def numbered(path: str) -> str:
    """The path with the number of this process."""
    stem, suffix = os.path.splitext(path)
    return f"{stem}.{os.getpid()}{suffix}"


def check_writable(path: str) -> None:
    """OSError now, not at the end of a long program, if the file can't be written."""
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.exists(path) or not os.access(folder, os.W_OK | os.X_OK):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o666))
