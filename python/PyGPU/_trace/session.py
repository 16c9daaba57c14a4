"""PyGPU.trace: recording the calls of a block or of a program.

All traces that are open share one file, the spool: src/handwritten/trace/ writes to it, and each
trace takes the calls of its own time from it. A trace with data has a file beside that
(replay/recording/record.py).
"""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import time
from _thread import RLock
from collections.abc import Sequence
from typing import Any

from PyGPU import _backend, _core, _libraries

from . import data as kept
from . import device as card
from . import part, spool
from .calls import Call as Call
from .calls import DeviceWork as DeviceWork
from .calls import Event
from .formats import FORMATS, write
from .summary import render, summary

_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_VARIABLE = "PYGPU_TRACE"
_DATA_VARIABLE = "PYGPU_TRACE_DATA"
_DEVICE_VARIABLE = "PYGPU_TRACE_DEVICE"
# Guards what follows. A finaliser of the same thread may begin or end a trace meanwhile.
_lock = RLock()
_open: list[Trace] = []
_spool: int | None = None  # the file of all open traces


class Trace:
    """Records every call of PyGPU between start() and stop(), or in a with-block.

    With a path, stop() writes the calls to this file. Its suffix is the format: .txt for people,
    .jsonl for programs, .json for Perfetto (ui.perfetto.dev); `format` names another. Until then
    they are in the file `path`.part, from which `pygpu trace show` reads them if the process ends
    early. `calls` has the calls as objects. Traces may be nested, and may overlap.

    A file .pygpu has the data of the calls, too, and `pygpu trace replay` makes the calls again.
    `data` is how much it keeps, at most: bytes, a text such as "1 GiB", or True for 256 MiB.

    On NVIDIA's GPUs the times of kernels and copies come from CUPTI, if it is installed. With
    `device=False` it isn't used: calls then cost less, and the program may use CUPTI itself.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        format: str | None = None,
        data: bool | int | str | None = None,
        device: bool = True,
    ):
        self._setting = "PyGPU.trace()"
        self.path = None if path is None else os.fspath(path)
        suffix = os.path.splitext(self.path)[1][1:] if self.path is not None else "txt"
        self.format = format or suffix
        if self.format not in (*FORMATS, kept.FORMAT):
            known = ", ".join(f".{one}" for one in (*FORMATS, kept.FORMAT))
            raise ValueError(f"PyGPU.trace(): {path}: the name must end with one of {known}")
        self._keeper = kept.keeper(self.path, self.format, data)
        self._device = device
        self._begin = self._end = 0
        self._events: list[Event] = []
        self._complete = True

    def start(self) -> Trace:
        """Begin to record."""
        with _lock:
            self._start()
        return self

    def _start(self) -> None:
        if self in _open:
            raise RuntimeError("PyGPU.trace(): this trace has started already")
        try:
            if self.path is not None:
                part.check_writable(self.path)
            if not _open:
                _start_spool(self)
        except OSError as error:
            text = f"{self._setting}: {error.strerror}"
            raise type(error)(error.errno, text, self.path) from None
        if self._keeper:
            self._keeper.start(self.path, self._warn)
        _open.append(self)
        self._events = []
        self._begin = time.monotonic_ns()
        self._end = 0
        if self._device:
            card.start(self._warn)

    def stop(self) -> None:
        """End it, and write the file. Does nothing for a trace that is not under way."""
        with _lock:
            self._stop()

    def _stop(self) -> None:
        if self not in _open:
            return
        self._end = time.monotonic_ns()
        _open.remove(self)
        if self._keeper:
            self._keeper.stop()
        if not _open:
            session = card.stop()
            _watch_kernels(None)
            self._complete = _core.stop_trace()
            if session and not isinstance(self, _OfProgram):  # no other trace follows its
                session.leave_callbacks()
        self._events = self._read()
        if not self._complete:
            self._warn("there was no room on the disk: the last calls are missing")
        written = False
        try:
            if self.path is not None:
                self.write(self.path, self.format)
            written = True
        finally:
            if not _open:
                _end_spool(keep=not written)

    def __enter__(self) -> Trace:
        return self.start()

    def __exit__(self, *error: object) -> None:
        self.stop()

    @property
    def calls(self) -> Sequence[Call]:
        """The calls so far, in the order of their starts."""
        return [one for one in self.events() if isinstance(one, Call)]

    @property
    def work(self) -> Sequence[DeviceWork]:
        """The kernels, copies and sets that devices have run so far, where that is known."""
        return [one for one in self.events() if isinstance(one, DeviceWork)]

    @property
    def kernels(self) -> Sequence[DeviceWork]:
        """The kernels of `work`."""
        return [one for one in self.work if one.kind == "kernel"]

    def events(self) -> Sequence[Event]:
        """The calls and the work of devices so far, in the order of their starts."""
        with _lock:
            return self._read() if self in _open else self._events

    def _read(self) -> list[Event]:
        assert _spool is not None
        card.flush()
        data = os.pread(_spool, os.fstat(_spool).st_size, 0)
        end = self._end or time.monotonic_ns()
        return [one for one in spool.read(data) if self._begin <= one.start <= end]

    def summary(self) -> str:
        """Calls, bytes moved, waits, gaps and the slowest calls, in 80 columns."""
        return render(summary(self.events()))

    def write(self, path: str | os.PathLike[str], format: str | None = None) -> None:
        """Write the calls so far to a file, as the constructor describes it."""
        form = format or os.path.splitext(os.fspath(path))[1][1:]
        if form == kept.FORMAT and self._keeper:
            if self in _open:
                raise RuntimeError(f"PyGPU.trace(): stop the trace before it writes a .{form} file")
            self._keeper.write(path, self.events())
            return
        if form == kept.FORMAT:
            raise ValueError(f"PyGPU.trace(): {os.fspath(path)}: the trace has no data")
        if form not in FORMATS:
            raise ValueError(f"PyGPU.trace(): {os.fspath(path)}: there is no format {form!r}")
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
            write(file, form, self.events())

    def _warn(self, text: str) -> None:
        print(f"PyGPU: {self._setting}: {text}", file=sys.stderr)


def trace(
    path: str | os.PathLike[str] | None = None,
    format: str | None = None,
    data: bool | int | str | None = None,
    device: bool = True,
) -> Trace:
    """Record the calls of a with-block: see help() of what it returns.

    with PyGPU.trace("calls.json") as trace:
        ...
    print(trace.summary())
    """
    return Trace(path, format, data, device)


def _start_spool(trace: Trace) -> None:
    global _spool
    if trace.path is None:
        _spool = os.memfd_create("pygpu-trace")
    else:
        _spool, trace.path = part.own(trace.path)
    os.ftruncate(_spool, 0)
    _core.start_trace(os.dup(_spool), _FOLDER)
    _watch_kernels(_core.kernel_ran)
    if _library_loaded not in _libraries.after_load:
        _libraries.after_load.append(_library_loaded)


def _library_loaded(api: str) -> None:
    with _lock:
        card.library_loaded(api)


def _watch_kernels(watcher: int | None) -> None:
    """Let the host runtime tell when kernels run, where there is one."""
    if os.path.exists(_backend.HOST_RUNTIME):
        from PyGPU._host import library

        library.set_kernel_watcher(watcher)


def _end_spool(keep: bool) -> None:
    global _spool
    if _spool is None:
        return
    with contextlib.suppress(OSError):
        name = os.readlink(f"/proc/self/fd/{_spool}")
        if name.endswith(".part") and not keep:
            os.unlink(name)
    os.close(_spool)
    _spool = None


class _OfProgram(Trace):
    """The trace that PYGPU_TRACE asks for."""

    def __init__(self, path: str) -> None:
        try:
            device = os.environ.get(_DEVICE_VARIABLE, "1") != "0"
            super().__init__(path, data=os.environ.get(_DATA_VARIABLE), device=device)
        except ValueError as error:
            raise ValueError(str(error).replace("PyGPU.trace()", _VARIABLE)) from None
        self._setting = _VARIABLE

    def finish(self) -> None:
        try:
            self.stop()
        except OSError as error:
            self._warn(f"{error}; `pygpu trace show {self.path}.part` has the calls")

    def write(self, path: Any, format: str | None = None) -> None:
        if self.calls:  # a program that makes no calls leaves the file of an earlier one
            super().write(path, format)


def start_by_variable() -> None:
    """Trace the whole program, as PYGPU_TRACE asks."""
    trace = _OfProgram(os.environ[_VARIABLE])
    trace.start()
    atexit.register(trace.finish)


def _after_fork() -> None:
    """A child of a fork leaves its parent's traces, and has its own where PYGPU_TRACE is set."""
    global _spool, _lock
    _lock = RLock()  # the thread that held it is not here
    of_program = [one for one in _open if isinstance(one, _OfProgram)]
    kept.leave()
    card.leave()
    _open.clear()
    if _spool is not None:
        os.close(_spool)
        _spool = None
    for one in of_program:
        assert one.path is not None
        one.path = part.numbered(one.path)
        with contextlib.suppress(OSError):
            one.start()


os.register_at_fork(after_in_child=_after_fork)
