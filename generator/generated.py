"""How generated/ differs from what would be generated."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple


class Difference(NamedTuple):
    """A file that isn't as it should be. `state` is "missing", "changed" or "extra"."""

    state: str
    path: str


def compare_generated(rendered: Mapping[str, str], folder: Path) -> list[Difference]:
    """The files of `folder` that differ from the rendered ones, by path."""
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    differences = [Difference("missing", path) for path in rendered if path not in there]
    differences += [Difference("extra", path) for path in there if path not in rendered]
    differences += [
        Difference("changed", path)
        for path, text in rendered.items()
        if path in there and (folder / path).read_bytes() != text.encode()
    ]
    return sorted(differences, key=lambda difference: difference.path)
