"""Which programs of examples/ use which function."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

MOST = 3


def users(folder: Path) -> Mapping[str, tuple[Path, ...]]:
    """For each word of the programs, the shortest programs with it, at most MOST."""
    programs = [(one, one.read_text(encoding="utf-8")) for one in folder.rglob("*.py")]
    found: dict[str, list[Path]] = {}
    for program, text in sorted(programs, key=lambda one: (len(one[1]), one[0])):
        for word in dict.fromkeys(re.findall(r"\w+", text)):
            found.setdefault(word, []).append(program)
    return {word: tuple(programs[:MOST]) for word, programs in found.items()}
