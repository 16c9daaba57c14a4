"""Times and sizes as people read them."""

from __future__ import annotations


def time_of(nanoseconds: int) -> str:
    """A time in three digits."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if nanoseconds >= size:
            return (
                f"{nanoseconds / size:.3g} {unit}"
                if nanoseconds < 999 * size
                else (f"{nanoseconds / size:,.0f} {unit}")
            )
    return f"{nanoseconds} ns"


def size_of(count: int) -> str:
    """A number of bytes."""
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= size:
            return f"{count / size:,.1f} {unit}"
    return f"{count} B"
