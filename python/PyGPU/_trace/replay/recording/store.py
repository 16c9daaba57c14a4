"""What a recording writes: calls, and data up to a bound."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from typing import IO, Any

from .. import container, memory
from ..limits import text_of_size

MISSING = -1  # stands for data that the bound has left out


def digest_of(data: bytes) -> bytes:
    """What two equal pieces of data have in common."""
    return blake2b(data, digest_size=16).digest()


class Store:
    """Writes records to the file that `opening` opens, with at most `bound` bytes of data.

    `warn` is called with a text if the bound is reached, or the file can't be written. Then nothing
    more is written.
    """

    def __init__(
        self, opening: Callable[[], IO[bytes]], bound: int, warn: Callable[[str], None]
    ) -> None:
        self._writer = container.Writer(opening)
        self._bound, self._warn = bound, warn
        self._numbers: dict[bytes, int] = {}  # of data, by digest
        self._size = 0
        self.ended = False
        self.call = ""  # the one under way, in words

    def add(self, record: dict[str, Any]) -> None:
        """Write what JSON can hold."""
        if not self.ended:
            self._write(container.CALL, container.text_of(record))

    def data(self, data: bytes) -> int:
        """The number of these bytes in the file, which has them from now on."""
        digest = digest_of(data)
        if digest in self._numbers:
            return self._numbers[digest]
        if self._size + len(data) > self._bound:
            self._reach_bound()
            return MISSING
        self._size += len(data)
        number = self._numbers[digest] = len(self._numbers)
        self._write(container.DATA, data)
        return number

    def note_memory(self, address: int, data: bytes, why: str) -> None:
        """Write that memory has these bytes from now on. `why` is "found" or "changed"."""
        number = self.data(data)
        where = {"address": address, "size": len(data), "data": number}
        self.add({"type": "memory", **where, "why": why})

    def bytes_at(self, address: int, size: int) -> bytes | None:
        """The bytes of the host's memory there; None if there is none, or more than the bound."""
        return memory.read(address, size) if self.takes(size) else None

    def takes(self, size: int) -> bool:
        """Whether the bound allows so much at all. Else it is reached."""
        if size > self._bound:
            self._reach_bound()
        return size <= self._bound

    def finish(self, events: bytes) -> None:
        """Write the texts of all calls, and the end."""
        self.ended = True
        try:
            self._writer.add(container.EVENTS, events)
            self._writer.add(container.END, b"")
        except OSError as error:
            self._warn(f"{error}: the trace with data lacks its end")

    def _reach_bound(self) -> None:
        if self.ended:
            return
        self.add({"type": "bound", "bound": self._bound, "call": self.call})
        self.ended = True
        self._warn(
            f"the trace has its {text_of_size(self._bound)} of data, at {self.call}: what this and "
            "later calls read and receive isn't in it, so it can't be replayed"
        )

    def _write(self, kind: bytes, payload: bytes) -> None:
        try:
            self._writer.add(kind, payload)
        except OSError as error:
            self.ended = True
            self._warn(f"{error}: the trace with data ends at {self.call}")
