"""A value and the releases that give it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """A value and the releases that give it, both ends included, as numbers (1209 is 12.9)."""

    value: int
    since: int
    until: int
