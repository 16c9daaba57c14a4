"""What the host received in a replay, beside what it received when the trace was recorded."""

from __future__ import annotations

import struct
from dataclasses import dataclass

_FORMATS = {"b", "B", "h", "H", "i", "I", "l", "L", "q", "Q", "e", "f", "d", "?"}
_WORD = 4


@dataclass(frozen=True)
class Difference:
    """A call that went another way: which, where in the program, and what differs."""

    call: int
    name: str
    place: str
    what: str


def first_difference(now: bytes, recorded: bytes, form: str) -> str | None:
    """The first element that differs, in words; None if all are equal.

    `form` is the format of an element, as struct has it; without one, elements are words of 4
    bytes, or bytes.
    """
    if now == recorded:
        return None
    at = _first(now, recorded)
    if form in _FORMATS and len(now) % (size := struct.calcsize(form)) == 0:
        index = at // size
        new, old = (struct.unpack_from(form, one, index * size)[0] for one in (now, recorded))
        return f"element {index:,} is {new!r}, recorded {old!r}{_count(now, recorded, size)}"
    size = _WORD if len(now) % _WORD == 0 else 1
    index = at // size
    new, old = (one[index * size : index * size + size][::-1].hex() for one in (now, recorded))
    unit = "byte" if size == 1 else "word"
    return f"{unit} {index:,} is 0x{new}, recorded 0x{old}{_count(now, recorded, size)}"


def _first(one: bytes, other: bytes) -> int:
    """The first byte that differs, by halves."""
    low, high = 0, len(one)
    while high - low > 1:
        middle = (low + high) // 2
        if one[low:middle] != other[low:middle]:
            high = middle
        else:
            low = middle
    return low


def _count(now: bytes, recorded: bytes, size: int) -> str:
    total = len(now) // size
    if total > 1 << 20:
        return f", of {total:,}"
    differ = sum(now[at : at + size] != recorded[at : at + size] for at in range(0, len(now), size))
    return f"; {differ:,} of {total:,} differ"
