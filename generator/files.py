"""Reads one file, and writes several as one change: all, or none as far as possible."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import shutil
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from generator.errors import GeneratorError

_SPARE = re.compile(r"\..+\.(\d+)\.(?:new|old)")  # what _beside() gives
LARGEST = 1 << 26  # bytes; the model of CUDA's driver API has half a million


def read_file(path: Path) -> bytes:
    """The bytes of a regular file. OSError for anything else, as reading that might block."""
    place = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        mode = os.fstat(place).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "Not a regular file", str(path))
        with open(place, "rb", closefd=False) as file:
            content = file.read(LARGEST + 1)
    finally:
        os.close(place)
    if len(content) > LARGEST:
        raise OSError(errno.EFBIG, f"Larger than {LARGEST >> 20} MiB", str(path))
    return content


class WriteError(GeneratorError):
    """A file can't be written; the files before it are as they were."""


@dataclass(slots=True)
class _Change:
    """One file, and beside it its new content and a copy of the old; None stands for no file."""

    target: Path
    new: Path | None
    old: Path | None = None
    begun: bool = False


def write_files(files: Mapping[Path, str | None]) -> list[Path]:
    """Write each file's text; None removes it. Returns the paths whose content changed.

    The texts are written to temporary files beside the old ones. These are replaced once all texts
    are on the disk. WriteError if that fails; then everything is as it was. Temporary files of runs
    that were killed are removed.
    """
    _remove_left({path.parent for path in files})
    changes: list[_Change] = []
    folders: list[Path] = []
    touched = []
    try:
        try:
            for path, text in files.items():
                content = None if text is None else text.encode()
                if _differs(path, content):
                    touched.append(path)
                    _prepare(path, content, changes, folders)
            for change in changes:
                change.begun = True  # before: a signal may come right after the step itself
                _put(change)
        except BaseException:
            for change in reversed(changes):
                _undo(change)
            _clean(changes)
            for folder in reversed(folders):
                with contextlib.suppress(OSError):
                    folder.rmdir()
            raise
        for folder in {change.target.parent for change in changes}:
            _sync(folder)
    except OSError as error:
        raise WriteError(f"{error.filename or 'writing'}: {error.strerror}") from error
    finally:
        _clean(changes)
    return touched


@contextlib.contextmanager
def only_writer(tree: Path) -> Iterator[None]:
    """Keeps other runs from changing a tree meanwhile. WriteError if one does so already."""
    try:
        place = os.open(tree, os.O_RDONLY)
    except OSError as error:
        raise WriteError(f"{tree}: {error.strerror}") from error
    try:
        try:
            fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise WriteError(f"{tree}: another run is writing to this folder") from None
        except OSError:  # not every file system has locks
            pass
        yield
    finally:
        os.close(place)


def _clean(changes: list[_Change]) -> None:
    for change in changes:
        for spare in (change.new, change.old):
            if spare is not None:
                with contextlib.suppress(OSError):
                    spare.unlink(missing_ok=True)


def is_over(process: int) -> bool:
    """Whether no process has this number."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except OSError:  # another user's
        return False
    return False


def _remove_left(folders: Iterable[Path]) -> None:
    for folder in folders:
        for spare in folder.glob(".*.*.*"):
            if (left := _SPARE.fullmatch(spare.name)) and is_over(int(left[1])):
                with contextlib.suppress(OSError):
                    spare.unlink()


def _differs(path: Path, content: bytes | None) -> bool:
    if content is None:
        return os.path.lexists(path)
    return not path.exists() or read_file(path) != content


def _prepare(
    path: Path, content: bytes | None, changes: list[_Change], folders: list[Path]
) -> None:
    """Put the new content and a copy of the old one beside the file."""
    # A link is followed to write, and removed itself. A loop of links stays, and is replaced.
    target = path if content is None else Path(os.path.realpath(path))
    if any(one.target == target for one in changes):
        raise WriteError(f"{path}: leads to {target}, which is written under another path, too")
    folders += _make_folders(target.parent)
    new = None if content is None else _beside(target, "new")
    change = _Change(target, new)
    changes.append(change)
    if new is not None and content is not None:
        _write(new, content)
    if os.path.lexists(target):
        change.old = _beside(target, "old")
        try:
            os.link(target, change.old, follow_symlinks=False)
        except OSError:  # not every file system has links
            shutil.copy2(target, change.old, follow_symlinks=False)
        if new is not None and target.exists():
            shutil.copymode(target, new)


def _write(path: Path, content: bytes) -> None:
    try:
        with path.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:  # for a full disk it names no file
        raise OSError(error.errno, error.strerror, str(path)) from error


def _make_folders(folder: Path) -> Iterator[Path]:
    for one in reversed([folder, *folder.parents]):
        if not one.exists():
            one.mkdir()
            yield one


def _beside(target: Path, suffix: str) -> Path:
    return target.with_name(f".{target.name}.{os.getpid()}.{suffix}")


def _put(change: _Change) -> None:
    if change.new is None:
        change.target.unlink()
    else:
        change.new.replace(change.target)


def _undo(change: _Change) -> None:
    """Give a file its old content back; else that stays beside it as `.old` until the next run."""
    if not change.begun:
        return
    try:
        if change.old is None:
            change.target.unlink(missing_ok=True)
        else:
            change.old.replace(change.target)
    except OSError:
        change.old = None


def _sync(folder: Path) -> None:
    """Write a folder's new names to the disk, where the system can do that."""
    with contextlib.suppress(OSError):
        place = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(place)
        finally:
            os.close(place)
