#!/usr/bin/env python3
"""Checks includes and imports: none goes up a layer, and no files make a circle.

    tools/check_layers.py [REPOSITORY]

Here are the includes of the handwritten C++: a folder may include itself and the folders before it
in its list. A header and the .cpp file of the same name count as one file. layers/python.py checks
the imports of Python code, layers/upcalls.py what C++ asks Python for.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from layers import python, upcalls
from layers.circles import circles

# The houses, and the order of their folders: "" is the house itself.
HOUSES: Mapping[str, Mapping[str, Sequence[str]]] = {
    "src/common": {},
    "src/handwritten": {
        "": (
            "base",
            "python",
            "runtime",
            "binding",
            "trace",
            "convert",
            "types",
            "call",
            "arrays",
            "kernels",
            "module",
        ),
        "types": (
            "enums",
            "handles",
            "launch",
            "callbacks",
            "structs",
            "results",
            "by_enumerator",
            "lent_structs",
            "records",
            "callback_parameters",
            "replaced_callbacks",
        ),
        "arrays": (
            "base",
            "machine",
            "streams",
            "memory",
            "transfer",
            "exchange",
            "types",
            "module",
        ),
    },
    "hostgpu": {
        "": (
            "base",
            "memory",
            "streams",
            "device",
            "image",
            "ptx",
            "code",
            "observe",
            "guard",
            "api",
            "compilers",
            "nvml",
        ),
        "ptx": ("read", "machine", "check", "instructions"),
    },
}
SHARED = "common/"  # what every house may include

INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def problems(repository: Path) -> Iterator[str]:
    """A line for each include that goes up, each folder that is no layer, and each circle."""
    for house, layers in HOUSES.items():
        includes = _includes(repository / house)
        for file, others in includes.items():
            for other in others:
                if why := _upward(file, other, layers):
                    yield f"{house}/{file} includes {other}: {why}"
        for file, other in _strays(repository, house):
            yield f"{house}/{file} includes {other}: the houses stand apart"
        for circle in _circles(includes):
            yield f"{house}: " + " -> ".join([*circle, circle[0]]) + " include each other"


def _sources(root: Path) -> Iterator[tuple[str, list[str]]]:
    """The files of a house with what they include; its own files as paths in the house."""
    own = SHARED if root.name == SHARED.rstrip("/") else ""
    for path in sorted(root.rglob("*.?pp")):
        included = INCLUDE.findall(path.read_text(encoding="utf-8"))
        yield path.relative_to(root).as_posix(), [other.removeprefix(own) for other in included]


def _includes(root: Path) -> dict[str, list[str]]:
    """What each file includes of its own house."""
    return {
        file: [other for other in others if (root / other).is_file()]
        for file, others in _sources(root)
    }


def _strays(repository: Path, house: str) -> Iterator[tuple[str, str]]:
    """Includes of another house."""
    for file, others in _sources(repository / house):
        for other in others:
            if (repository / house / other).is_file():
                continue
            if other.startswith(SHARED) and house != "src/common":
                continue
            if any((repository / one / other).is_file() for one in HOUSES) or other.startswith(
                SHARED
            ):
                yield file, other


def _upward(file: str, other: str, layers: Mapping[str, Sequence[str]]) -> str | None:
    """Why a file may not include another of its house; None if it may."""
    for parent, order in layers.items():
        one, two = _layer(file, parent), _layer(other, parent)
        if one is None or two is None or one == two:
            continue
        for name in (one, two):
            if name not in order:
                where = f"{parent}/{name}" if parent else name
                return f"{where} is no layer; there are {', '.join(order)}"
        if order.index(two) > order.index(one):
            return f"{two} stands above {one}"
    return None


def _layer(file: str, parent: str) -> str | None:
    """The folder of a file below `parent`, or the file's own name if it lies in `parent` itself."""
    if parent and not file.startswith(f"{parent}/"):
        return None
    return file[len(parent) :].lstrip("/").split("/")[0].split(".")[0]


def _circles(includes: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """The groups of files that include each other; a header and its .cpp are one file."""
    graph: dict[str, set[str]] = {}
    for file, others in includes.items():
        name = file.rpartition(".")[0]
        graph.setdefault(name, set()).update(
            other.rpartition(".")[0] for other in others if other.rpartition(".")[0] != name
        )
    return circles(graph)


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1]
    lines = [*problems(root), *python.problems(root), *upcalls.problems(root)]
    print(*lines, sep="\n", end="\n" if lines else "")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
