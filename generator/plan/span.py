"""Span: a value and the releases that give it."""

from __future__ import annotations

from dataclasses import dataclass

OLDEST, NEWEST = 0, 9999


def number(release: str) -> int:
    """A release as the loader compares it: "12.9" is 1209."""
    major, minor = release.split(".")[:2]
    return int(major) * 100 + int(minor)


@dataclass(frozen=True, slots=True)
class Span:
    """A value and the releases that give it, both ends included, as numbers (1209 is 12.9)."""

    value: int
    since: int
    until: int
