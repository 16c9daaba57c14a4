"""From the addresses and handles of a trace to those of its replay, and back."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Iterator
from typing import Any

from .. import memory
from ..intervals import Intervals

_WORD = 8
_SPECIAL = 2  # the default streams' handles


class UnknownError(LookupError):
    """A number that no call of the trace has returned."""


class Mapping:
    """What the replay has in place of the recorded memory and handles."""

    def __init__(self, make: Callable[[str], int | None]) -> None:
        self._make = make  # makes a stream or an event by its type
        self._pieces, self._back = Intervals(), Intervals()
        self._handles: dict[int, int] = {}
        self._buffers = Intervals()  # the host's, for graphs
        self._failed: dict[int, str] = {}  # what calls have not made here, and why
        self._not_made = Intervals()

    def add(self, base: int, size: int, new: int) -> None:
        """Memory that was at `base` is at `new`."""
        self._not_made.remove(base)
        self._pieces.add(base, size, new)
        self._back.add(new, size, base)

    def remove(self, base: int) -> None:
        """The memory was freed."""
        if piece := self._pieces.remove(base):
            self._back.remove(piece.value)

    def add_handle(self, old: int, new: int) -> None:
        """A call has returned this handle."""
        self._handles[old] = new
        self._failed.pop(old, None)

    def add_failure(self, old: int, size: int | None, why: str) -> None:
        """A call has not made this handle, or memory of this size."""
        if size is None:
            self._handles.pop(old, None)
            self._failed[old] = why
        else:
            self._not_made.add(old, size, why)

    def address(self, address: int) -> int:
        """The new address; UnknownError for one in no memory of the trace."""
        for pieces in (self._pieces, self._buffers):
            if piece := pieces.find(address):
                base: int = piece.value if pieces is self._pieces else ctypes.addressof(piece.value)
                return base + address - piece.base
        if piece := self._not_made.find(address):
            raise UnknownError(str(piece.value))
        raise UnknownError(f"{address:#x} is in no memory that the trace knows")

    def handle(self, handle: int, type_: str = "", what: str = "") -> int:
        """The new handle. Streams and events from before the trace are made."""
        if handle in self._handles:
            return self._handles[handle]
        if handle <= _SPECIAL:
            return handle
        if handle in self._failed:
            raise UnknownError(self._failed[handle])
        if made := self._make(type_):
            self._handles[handle] = made
            return made
        raise UnknownError(
            f"{what or type_ or 'the handle'} {handle:#x} was made before the trace began"
        )

    def word(self, number: int) -> int | None:
        """The new number for an address or a handle; None for any other number.

        UnknownError for what was made when the trace was recorded, but not here.
        """
        if number in self._handles:
            return self._handles[number]
        if piece := self._pieces.find(number):
            new: int = piece.value + number - piece.base
            return new
        if number in self._failed or self._not_made.find(number):
            return self.handle(number) if number in self._failed else self.address(number)
        return None

    def buffer(self, address: int, size: int) -> Any:
        """Memory of the host that stays, for the launches of a graph."""
        piece = self._buffers.find(address)
        if piece and address + size <= piece.end:
            return piece.value
        made = ctypes.create_string_buffer(size + 1)  # C may read up to a NUL
        self._buffers.add(address, size, made)
        return made

    def relocated(self, data: bytes) -> bytes:
        """Bytes whose words that are addresses in the trace's memory are the new ones."""
        return _changed(data, self._pieces)

    def recorded(self, data: bytes) -> bytes:
        """Bytes whose words that are addresses in the replay's memory are the recorded ones."""
        return _changed(data, self._back)


def _changed(data: bytes, pieces: Intervals) -> bytes:
    changed = None
    for at, number in _words(data, pieces):
        if piece := pieces.find(number):
            changed = changed or bytearray(data)
            new = piece.value + number - piece.base
            changed[at : at + _WORD] = new.to_bytes(_WORD, "little")
    return data if changed is None else bytes(changed)


def _words(data: bytes, pieces: Intervals) -> Iterator[tuple[int, int]]:
    """The aligned words that may be addresses in these pieces, with their places.

    The upper halves of all such addresses are few: a search for these is quick.
    """
    upper = {top for one in pieces for top in range(one.base >> 32, (one.end >> 32) + 1)}
    for top in upper:
        for found in re.finditer(b"(?=" + re.escape(top.to_bytes(4, "little")) + b")", data, re.S):
            at = found.start() - 4
            if at >= 0 and at % _WORD == 0:
                yield at, int.from_bytes(data[at : at + _WORD], "little")


def content(address: int, size: int) -> bytes | None:
    """Bytes of the replay's memory that the host can read."""
    return memory.read(address, size)
