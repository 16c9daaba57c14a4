"""CUPTI, while a trace is open on NVIDIA's GPUs: it tells when kernels and copies ran.

Its functions are called by their addresses, so that the trace doesn't record them. The callbacks
are C (src/handwritten/trace/device.hpp): none may wait for the GIL.
"""

from __future__ import annotations

import ctypes
import importlib
import time
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from PyGPU import _core, _libraries
from PyGPU._apis import APIS

_API = "cupti"
_KINDS = ("CONCURRENT_KERNEL", "MEMCPY", "MEMCPY2", "MEMSET")
# Only these functions queue what the records of these kinds are about.
_QUEUEING = ("Launch", "Memcpy", "Memset")
_FORCED = 1  # CUPTI_ACTIVITY_FLAG_FLUSH_FORCED
_ROUNDS = 20  # of reading both clocks; the quickest counts

_address, _number, _word = ctypes.c_void_p, ctypes.c_int, ctypes.c_uint
_FUNCTIONS = {
    "cuptiSubscribe": (_address, _address, _address),
    "cuptiUnsubscribe": (_address,),
    "cuptiEnableCallback": (_word, _address, _number, _word),
    "cuptiActivityRegisterCallbacks": (_address, _address),
    "cuptiActivityEnable": (_number,),
    "cuptiActivityDisable": (_number,),
    "cuptiActivityFlushAll": (_word,),
    "cuptiGetTimestamp": (_address,),
}


class UnavailableError(Exception):
    """Why there are no times of the device. `is_news` is false where CUPTI isn't installed."""

    def __init__(self, why: str, is_news: bool = True) -> None:
        super().__init__(why)
        self.is_news = is_news


class _Nothing:
    """Callbacks that give no buffer and take none; PyGPU.cupti keeps them until it has others."""

    def __call__(self, *given: object) -> None:
        return None


_former: Callable[[], _Nothing | None] | None = None  # what stands in CUPTI after a trace


class Session:
    """CUPTI at work. UnavailableError if it isn't installed, or another tool has it."""

    def __init__(self) -> None:
        self._cupti = _module()
        self._functions = {name: self._function(name, *of) for name, of in _FUNCTIONS.items()}
        self._enabled: list[int] = []
        self._subscriber = ctypes.c_void_p()
        self._subscribe()
        try:
            self._check_buffers()
            _core.read_records_by(self._cupti.address("cuptiActivityGetNextRecord"))
            self._call("cuptiActivityRegisterCallbacks", _core.give_buffer, _core.take_buffer)
            for domain, function in self._queueing():  # an older release has fewer
                self._status("cuptiEnableCallback", 1, self._subscriber, domain, function)
            for kind in _KINDS:
                number = int(getattr(self._cupti, f"CUPTI_ACTIVITY_KIND_{kind}"))
                self._call("cuptiActivityEnable", number)
                self._enabled.append(number)
            self._note_clocks()
        except BaseException:
            self._leave()
            raise

    def flush(self) -> None:
        """Let the trace have the records of all that has ended."""
        self._note_clocks()
        self._status("cuptiActivityFlushAll", 0)

    def end(self) -> None:
        """Take what is there, and give CUPTI back; before the recording stops."""
        self.flush()
        self._status("cuptiActivityFlushAll", _FORCED)
        self._leave()

    def leave_callbacks(self) -> None:
        """Put callbacks in place of the trace's that tell later whether others have come.

        The recording has stopped: PyGPU.cupti's own function, which keeps them, would be in it.
        """
        global _former
        nothing = _Nothing()
        if not self._cupti.cuptiActivityRegisterCallbacks(nothing, nothing):
            _former = weakref.ref(nothing)

    def _subscribe(self) -> None:
        """CUPTI has one subscriber: so every tool sees that another is at work."""
        status = self._status("cuptiSubscribe", ctypes.byref(self._subscriber), _core.entered, None)
        if status == self._cupti.CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
            raise UnavailableError("another tool uses CUPTI in this process")
        self._raise_for(status, "cuptiSubscribe")

    def _check_buffers(self) -> None:
        """UnavailableError if the program has callbacks for buffers: CUPTI has one pair of them."""
        status = self._status("cuptiActivityFlushAll", 0)
        if status == self._cupti.CUPTI_ERROR_INVALID_OPERATION:
            return  # nobody has registered any
        self._raise_for(status, "cuptiActivityFlushAll")
        if _former is None or _former() is None:
            raise UnavailableError("the program has registered buffers of its own with CUPTI")

    def _queueing(self) -> Iterator[tuple[int, int]]:
        """The domains and numbers of functions that queue kernels, copies and sets."""
        for api in ("runtime", "driver"):
            domain = int(getattr(self._cupti, f"CUPTI_CB_DOMAIN_{api.upper()}_API"))
            for one in getattr(self._cupti, f"CUpti_{api}_api_trace_cbid_enum"):
                if any(word in one.name for word in _QUEUEING):
                    yield domain, int(one)

    def _note_clocks(self) -> None:
        """Read the trace's clock and CUPTI's as nearly at once as this process gets the time."""
        stamp = ctypes.c_uint64()
        rounds = []
        for _ in range(_ROUNDS):
            before = time.monotonic_ns()
            self._call("cuptiGetTimestamp", ctypes.byref(stamp))
            after = time.monotonic_ns()
            rounds.append((after - before, (before + after) // 2, stamp.value))
        _core.note_clocks(*min(rounds)[1:])

    def _leave(self) -> None:
        for number in self._enabled:
            self._status("cuptiActivityDisable", number)
        self._enabled.clear()
        self._status("cuptiUnsubscribe", self._subscriber)

    def _function(self, name: str, *arguments: Any) -> Callable[..., int]:
        try:
            address = self._cupti.address(name)
        except OSError as error:
            raise UnavailableError(str(error)) from None
        return ctypes.CFUNCTYPE(ctypes.c_int, *arguments)(address)

    def _status(self, name: str, *arguments: Any) -> int:
        return self._functions[name](*arguments)

    def _call(self, name: str, *arguments: Any) -> None:
        self._raise_for(self._status(name, *arguments), name)

    def _raise_for(self, status: int, name: str) -> None:
        if not status:
            return
        try:
            code = self._cupti.CUptiResult(status).name
        except ValueError:
            code = str(status)
        raise UnavailableError(f"{name}: {code}")


def _module() -> Any:
    """PyGPU.cupti with its library. UnavailableError where either is missing."""
    if not APIS[_API].is_installed or not _libraries.load(_API):
        raise UnavailableError("CUPTI isn't installed", is_news=False)
    return importlib.import_module(f"PyGPU.{_API}")
