"""Reads the file that calls are recorded in: src/handwritten/trace/ writes it.

It consists of pieces, each of one thread. A piece begins with its head and holds records; where a
record's size is 0, nothing follows. Definitions of functions and lines stand before their uses.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from .calls import Call, DeviceWork, Event
from .device_records import WORK_SIZE, DeviceRecords
from .values import Function, names_of_status

PIECE = 64 * 1024
MAGIC = 0x52544750
_PIECE = struct.Struct("<II")  # magic, thread
_HEAD = struct.Struct("<IHH")  # size, kind
_BEGIN = struct.Struct("<QIII")  # time, number, function, place
_END = struct.Struct("<QIi")  # time, number, status
_KERNEL = struct.Struct("<QQQii")  # begin, end, stream, device
_DEFINITION = struct.Struct("<II")  # number, line
_BEGIN_SIZE = 32
_ITEMS = {kind: struct.Struct(f"<{code}") for kind, code in zip("iupdc", "qQQdQ", strict=True)}
_SIZE = struct.Struct("<H")


def is_spool(head: bytes) -> bool:
    """Whether a file that begins so is one of recorded calls."""
    return len(head) >= 8 and _PIECE.unpack_from(head)[0] == MAGIC


def read(data: bytes) -> list[Event]:
    """All calls and kernels of a file, in the order of their starts."""
    reader = _Reader()
    for at in range(0, len(data) - PIECE + 1, PIECE):
        reader.read_piece(data[at : at + PIECE])
    reader.events += reader.device.events()
    return sorted(reader.events, key=lambda event: event.start)


class _Reader:
    def __init__(self) -> None:
        self.events: list[Event] = []
        self.functions: dict[int, Function] = {}
        self.places: dict[int, tuple[str, int, str]] = {0: ("", 0, "")}
        self.open: dict[tuple[int, int], tuple[Call, Function]] = {}
        self.device = DeviceRecords()

    def read_piece(self, piece: bytes) -> None:
        magic, thread = _PIECE.unpack_from(piece)
        if magic != MAGIC:
            return
        at = _PIECE.size
        while at + _HEAD.size <= PIECE:
            size, kind, _ = _HEAD.unpack_from(piece, at)
            if size < _HEAD.size or at + size > PIECE:
                return
            self.read_record(kind, piece[at + _HEAD.size : at + size], thread)
            at += size

    def read_record(self, kind: int, record: bytes, thread: int) -> None:
        if kind in (1, 2):
            number, line = _DEFINITION.unpack_from(record)
            texts = record[_DEFINITION.size :].decode("utf-8", "surrogateescape").split("\0")
            if kind == 1:
                self.functions[number] = Function.read(texts)
            else:
                self.places[number] = (texts[0], line, texts[1])
        elif kind == 3:
            self._begin(record, thread)
        elif kind == 4:
            self._end(record, thread)
        elif kind == 5:
            begin, end, stream, device, _ = _KERNEL.unpack_from(record)
            ((_, name),) = items_of(record, _KERNEL.size)
            self.events.append(
                DeviceWork(name.decode("utf-8", "replace"), begin, end - begin, device, stream)
            )

        elif kind == 6:
            names = [name for _, name in items_of(record, WORK_SIZE) if name]
            self.device.add_work(record, names[0] if names else b"")
        elif kind == 7:
            number = self.device.number_of_call(record)
            if begun := self.open.get((thread, number)):
                self.device.add_call(record, begun[0])
        elif kind == 8:
            self.device.add_clocks(record)

    def _begin(self, record: bytes, thread: int) -> None:
        time, number, function, place = _BEGIN.unpack_from(record)
        called = self.functions[function]
        arguments = called.arguments(items_of(record, _BEGIN_SIZE - _HEAD.size))
        file, line, name = self.places.get(place, ("", 0, ""))
        call = Call(called.api, called.name, arguments, time, thread, file, line, name, called.own)
        call.stream = called.stream_in(arguments)
        self.events.append(call)
        self.open[thread, number] = (call, called)

    def _end(self, record: bytes, thread: int) -> None:
        time, number, status = _END.unpack_from(record)
        if not (begun := self.open.pop((thread, number), None)):
            return
        call, called = begun
        call.duration = time - call.start
        call.status = status
        call.error = names_of_status(called.api, status)
        call.results = called.results(items_of(record, _END.size))


def items_of(record: bytes, at: int = 0) -> Iterator[tuple[str, Any]]:
    """The kinds and values of a record's items. Up to 7 zeros fill the record."""
    while at < len(record) and record[at]:
        kind = chr(record[at])
        at += 1
        if kind in _ITEMS:
            yield kind, _ITEMS[kind].unpack_from(record, at)[0]
            at += 8
        elif kind in "ts":
            (size,) = _SIZE.unpack_from(record, at)
            at += _SIZE.size
            yield kind, record[at : at + size]
            at += size
        else:
            yield kind, None
