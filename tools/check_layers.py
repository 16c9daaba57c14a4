#!/usr/bin/env python3
"""Checks that no include in src/handwritten goes up a layer.

    tools/check_layers.py [FOLDER]

A folder may include itself and the folders before it in its list. The host runtime stands apart:
it may use the entry points and checked integers of runtime/, and nothing else of the layers.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

LAYERS = {
    "": ("python", "runtime", "binding", "convert", "types", "call", "arrays", "kernels", "module"),
    "types": (
        "enums",
        "handles",
        "launch",
        "callbacks",
        "structs",
        "results",
        "callback_parameters",
        "by_enumerator",
    ),
    "arrays": ("base", "machine", "streams", "memory", "transfer", "exchange", "types", "module"),
}
# The headers of the layers that the host runtime may include.
HOST_TAKES = {"runtime/checked_int.hpp", "runtime/entry.hpp"}

INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def problems(root: Path) -> Iterator[str]:
    """A line for each include that the layers forbid, and for each folder that is no layer."""
    for path in sorted(root.rglob("*.?pp")):
        file = path.relative_to(root).as_posix()
        for included in INCLUDE.findall(path.read_text(encoding="utf-8")):
            if (root / included).is_file() and (why := _forbidden(file, included)):
                yield f"{file} includes {included}: {why}"


def _forbidden(file: str, included: str) -> str | None:
    """Why a file may not include another; None if it may."""
    if file.startswith("host/"):
        allowed = included.startswith("host/") or included in HOST_TAKES
        return None if allowed else "the host runtime stands apart"
    if included.startswith("host/"):
        return "nothing includes the host runtime"
    for parent, layers in LAYERS.items():
        one, other = _layer(file, parent), _layer(included, parent)
        if one is None or other is None or one == other:
            continue
        for name in (one, other):
            if name not in layers:
                where = f"{parent}/{name}" if parent else name
                return f"{where} is no layer; there are {', '.join(layers)}"
        if layers.index(other) > layers.index(one):
            return f"{other} stands above {one}"
    return None


def _layer(file: str, parent: str) -> str | None:
    """The folder of a file below `parent`, or the file's own name if it lies in `parent` itself."""
    if parent and not file.startswith(f"{parent}/"):
        return None
    return file[len(parent) :].lstrip("/").split("/")[0].split(".")[0]


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "src/handwritten"
    found = list(problems(root))
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
