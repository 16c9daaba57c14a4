"""Reads what CUPTI has told of a card: src/handwritten/trace/device.cpp writes it to the spool.

CUPTI has a clock of its own. The trace notes both clocks at its begin, at its end, and when it is
read; between two notes the difference is taken to change evenly.
"""

from __future__ import annotations

import functools
import struct
from bisect import bisect
from collections.abc import Iterator

from PyGPU._kernels import base

from .calls import Call, DeviceWork

_WORK = struct.Struct("<QQQIIIIIIII")
_ENTERED = struct.Struct("<II")  # the call's number, CUPTI's number of it
_CLOCKS = struct.Struct("<QQ")  # the trace's, CUPTI's
_COPY, _SET, _KERNEL, _PEER_COPY = 1, 2, 10, 22
_SETS = "set"
# By CUpti_ActivityMemcpyKind.
_COPIES = {
    1: "copy, host to device",
    2: "copy, device to host",
    3: "copy, host to array",
    4: "copy, array to host",
    5: "copy, array to array",
    6: "copy, array to device",
    7: "copy, device to array",
    8: "copy within a device",
    9: "copy within the host",
    10: "copy between devices",
}
WORK_SIZE = _WORK.size


class DeviceRecords:
    """The records of a file, in any order."""

    def __init__(self) -> None:
        self._clocks: list[tuple[int, int]] = []
        self._calls: dict[int, Call] = {}
        self._work: list[tuple[tuple[int, ...], str]] = []

    def add_clocks(self, record: bytes) -> None:
        """What both clocks said at once."""
        own, other = _CLOCKS.unpack_from(record)
        self._clocks.append((other, own - other))

    def number_of_call(self, record: bytes) -> int:
        """Which of its thread's calls a record is about, for add_call()."""
        number: int = _ENTERED.unpack_from(record)[0]
        return number

    def add_call(self, record: bytes, call: Call) -> None:
        """CUPTI has given this call a number."""
        self._calls[_ENTERED.unpack_from(record)[1]] = call

    def add_work(self, record: bytes, name: bytes) -> None:
        """A kernel, copy or set; the name is a kernel's."""
        self._work.append((_WORK.unpack_from(record), name.decode("utf-8", "replace")))

    def events(self) -> Iterator[DeviceWork]:
        """All of it, in the trace's time. What CUPTI has no time of is left out."""
        clocks = sorted(self._clocks)
        for (begin, end, size, kind, way, device, context, stream, *numbers, _), name in self._work:
            if not begin or end < begin or not clocks:
                continue
            start = own_time(clocks, begin)
            work = DeviceWork(name, start, own_time(clocks, end) - start, device, stream)
            work.kind = {_KERNEL: "kernel", _SET: "set"}.get(kind, "copy")
            if work.kind == "kernel":
                work.name = _demangled(name)
            else:
                work.name = _SETS if kind == _SET else _COPIES.get(way, "copy")
            work.bytes, work.context = size, context
            for number in numbers:  # of the driver's call, and of the runtime's around it
                if call := self._calls.get(number):
                    work.thread, work.launched, work.caller = call.thread, call.start, call.place
            yield work


def own_time(clocks: list[tuple[int, int]], other: int) -> int:
    """A time of CUPTI's clock in the trace's. `clocks` are sorted: (CUPTI's, what to add)."""
    at = bisect(clocks, (other, 0))
    if at in (0, len(clocks)):
        return other + clocks[min(at, len(clocks) - 1)][1]
    (early, add_early), (late, add_late) = clocks[at - 1], clocks[at]
    return other + add_early + (add_late - add_early) * (other - early) // ((late - early) or 1)


@functools.lru_cache(maxsize=4096)
def _demangled(name: str) -> str:
    return base.demangled(name)
