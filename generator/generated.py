"""The files that are generated: where they lie, and how they differ from what would be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

# Folders of the tree, and which of their files are generated.
PLACES = (("generated", "*"), ("python/PyGPU", "*.pyi"), ("python/PyGPU", "_apis.py"))


class Difference(NamedTuple):
    """A file that isn't as it should be. `state` is "missing", "changed" or "extra"."""

    state: str
    path: str


def generated_files(root: Path) -> Iterator[Path]:
    """All generated files that a tree has."""
    for folder, pattern in PLACES:
        yield from (path for path in sorted((root / folder).rglob(pattern)) if path.is_file())


def compare_generated(rendered: Mapping[str, str], root: Path) -> list[Difference]:
    """The files of a tree that differ from the rendered ones, by path."""
    there = {path.relative_to(root).as_posix() for path in generated_files(root)}
    differences = [Difference("missing", path) for path in rendered if path not in there]
    differences += [Difference("extra", path) for path in there if path not in rendered]
    differences += [
        Difference("changed", path)
        for path, text in rendered.items()
        if path in there and (root / path).read_bytes() != text.encode()
    ]
    return sorted(differences, key=lambda difference: difference.path)
