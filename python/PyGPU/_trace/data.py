"""The data of traces: the files that record it, and which traces have one."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from typing import IO, Any

from PyGPU import _core

from .calls import Event
from .formats import as_json_lines
from .replay.limits import bound_of

FORMAT = "pygpu"  # the suffix of their files
_open: list[Any] = []  # the recorders that calls are handed to


class Keeper:
    """The recording of one trace's data, in a file of its own until it has ended."""

    def __init__(self, bound: int) -> None:
        self._bound = bound
        self._path: str | None = None
        self._file: IO[bytes] | None = None
        self._recorder: Any = None
        self._is_finished = False

    def start(self, path: str | None, warn: Callable[[str], None]) -> None:
        """Begin. The file is where the trace's will be, so that it is there after a crash."""
        from .replay.recording.record import Recorder

        self._path = path
        self._is_finished = False
        self._recorder = Recorder(self._opened, self._bound, warn)
        _open.append(self._recorder)
        _hand_over()

    def _opened(self) -> IO[bytes]:
        path = self._path
        self._file = tempfile.TemporaryFile() if path is None else open(path, "w+b")  # noqa: SIM115
        return self._file

    def stop(self) -> None:
        """End it: later calls aren't in the file."""
        if self._recorder in _open:
            _open.remove(self._recorder)
            _hand_over()

    def write(self, path: str | os.PathLike[str], events: Sequence[Event]) -> None:
        """Complete the file with the texts of all calls, and copy it unless it is there already."""
        if not self._is_finished:
            texts = "\n".join(as_json_lines(events))
            self._recorder.finish(texts.encode("utf-8", "surrogateescape"))
            self._is_finished = True
        if self._path is not None and os.path.abspath(path) == os.path.abspath(self._path):
            return
        assert self._file is not None  # finish() has written to it
        self._file.seek(0)
        with open(path, "wb") as file:
            shutil.copyfileobj(self._file, file)
        self._file.seek(0, os.SEEK_END)


def keeper(path: str | None, form: str, data: bool | int | str | None) -> Keeper | None:
    """What keeps the data of a trace; None for one without. ValueError for settings that clash."""
    bound = bound_of(data, "PYGPU_TRACE_DATA" if isinstance(data, str) else "PyGPU.trace(): data")
    if form == FORMAT and data is None:
        bound = bound_of(True, "")
    if bound is not None and path is not None and form != FORMAT:
        raise ValueError(
            f"PyGPU.trace(): {path}: a trace with data is a .{FORMAT} file: "
            f"{os.path.splitext(path)[0]}.{FORMAT}"
        )
    if bound is None and form == FORMAT:
        raise ValueError(f"PyGPU.trace(): {path}: a .{FORMAT} file has data, and data is off")
    return Keeper(bound) if bound is not None else None


class _All:
    """Hands each call to every recorder: traces may be nested."""

    def __init__(self, recorders: Sequence[Any]) -> None:
        self._recorders = tuple(recorders)

    def begin(self, *call: Any) -> list[Any]:
        return [(one, one.begin(*call)) for one in self._recorders]

    def begin_own(self, *call: Any) -> list[Any]:
        return [(one, one.begin_own(*call)) for one in self._recorders]

    def end(self, tokens: list[Any], *answer: Any) -> None:
        for one, token in tokens:
            one.end(token, *answer)

    def end_own(self, tokens: list[Any], *answer: Any) -> None:
        for one, token in tokens:
            one.end_own(token, *answer)


def _hand_over() -> None:
    _core.keep_calls(_All(_open) if _open else None)


def leave() -> None:
    """In a child of a fork: its parent's traces are none of its own."""
    _open.clear()
    _core.keep_calls(None)
