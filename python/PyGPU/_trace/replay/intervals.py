"""Pieces of memory by address: which one an address lies in."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass
class Piece:
    """Memory from `base` on. `value` is what its owner notes of it."""

    base: int
    size: int
    value: Any = None

    @property
    def end(self) -> int:
        """The address behind it."""
        return self.base + max(self.size, 1)


class Intervals:
    """Pieces that don't overlap. One that is added takes the place of those that it overlaps."""

    def __init__(self) -> None:
        self._bases: list[int] = []
        self._pieces: list[Piece] = []

    def __iter__(self) -> Iterator[Piece]:
        return iter(self._pieces)

    def add(self, base: int, size: int, value: Any = None) -> Piece:
        """Add a piece, which is newer than all that it overlaps."""
        piece = Piece(base, size, value)
        first = bisect_left(self._bases, base)
        if first and self._pieces[first - 1].end > base:
            first -= 1
        last = bisect_left(self._bases, piece.end)
        self._bases[first:last] = [base]
        self._pieces[first:last] = [piece]
        return piece

    def remove(self, base: int) -> Piece | None:
        """Remove the piece that begins there; None if there is none."""
        at = bisect_left(self._bases, base)
        if at == len(self._bases) or self._bases[at] != base:
            return None
        del self._bases[at]
        return self._pieces.pop(at)

    def find(self, address: int) -> Piece | None:
        """The piece that the address lies in, or just behind."""
        at = bisect_right(self._bases, address)
        if at and address <= self._pieces[at - 1].end:  # an empty part may begin at the end
            return self._pieces[at - 1]
        return None
