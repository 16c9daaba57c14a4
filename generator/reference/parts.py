"""Splits what is too long for one page, in order."""

from __future__ import annotations

import math
from collections.abc import Mapping

MOST_ENTRIES, MOST_LINES = 40, 700


def parts(entries: Mapping[str, str]) -> list[dict[str, str]]:
    """Entries, each with its text, in pages of about equal length.

    A page has at most MOST_ENTRIES entries and MOST_LINES lines, or a single entry.
    """
    lines = {name: text.count("\n") for name, text in entries.items()}
    count = max(math.ceil(sum(lines.values()) / MOST_LINES), math.ceil(len(entries) / MOST_ENTRIES))
    goal = sum(lines.values()) / max(count, 1)
    pages: list[dict[str, str]] = []
    filled = 0
    for name, text in entries.items():
        full = not pages or filled + lines[name] / 2 > goal or len(pages[-1]) == MOST_ENTRIES
        if full or filled + lines[name] > MOST_LINES:
            pages.append({})
            filled = 0
        pages[-1][name] = text
        filled += lines[name]
    return pages
