"""Checks that the names in docs/coming-from/ exist in the packages that they belong to.

    pip install cuda-bindings cuda-core cupy-cuda12x hip-python
    python tools/peer_names.py

Looks up each name in the other package's column that begins with a word of KNOWN. No GPU is
needed. The exit code is 1 if a name is missing, and 2 if a package is.
"""

from __future__ import annotations

import ast
import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "coming-from"
# For each page, the words that a name in its tables may begin with, and what they stand for.
KNOWN = {
    "cuda-python.md": {
        "runtime": "cuda.bindings.runtime",
        "driver": "cuda.bindings.driver",
        "Device": "cuda.core.Device",
        "device": "cuda.core.Device",
        "Program": "cuda.core.Program",
        "ObjectCode": "cuda.core.ObjectCode",
        "launch": "cuda.core.launch",
    },
    "cupy.md": {
        "cupy": "cupy",
        "cupyx": "cupyx",
        "a": "cupy.ndarray",
        "cupy.get_default_memory_pool": "cupy.cuda.MemoryPool",
        "a.data": "cupy.cuda.MemoryPointer",
    },
    "hip-python.md": {"hip": "hip.hip", "hiprtc": "hip.hiprtc"},
}


def codes(page: str) -> Iterator[str]:
    """The code in the other package's column: the first, or the one after a column of words."""
    for line in page.splitlines():
        cells = line.strip("|").split("|")
        if line.startswith("| ") and len(cells) > 1 and "---" not in cells[0]:
            yield from re.findall(r"`([^`]+)`", cells[0] if "`" in cells[0] else cells[1])


def names(code: str) -> Iterator[str]:
    """The dotted names in a piece of code, as if its calls had no brackets."""
    for node in ast.walk(ast.parse(code.replace("…", "..."))):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}:{one.name}" for one in node.names)
        elif isinstance(node, ast.Attribute | ast.Name) and (found := _dotted(node)):
            yield found


def _dotted(node: ast.AST) -> str:
    if isinstance(node, ast.Call):
        return _dotted(node.func)
    if isinstance(node, ast.Attribute):
        before = _dotted(node.value)
        return f"{before}.{node.attr}" if before else ""
    return node.id if isinstance(node, ast.Name) else ""


def look_up(name: str, known: dict[str, str]) -> object | None:
    """The object that a name stands for; None if the name doesn't begin with a known word.

    Raises AttributeError if the object is missing, and ImportError if its package is.
    """
    module, colon, one = name.partition(":")
    if colon:
        try:
            return importlib.import_module(f"{module}.{one}")
        except ModuleNotFoundError:
            return getattr(importlib.import_module(module), one)
    begins = [one for one in known if name == one or name.startswith(one + ".")]
    if not begins:
        return None
    longest = max((one for one in begins if one != name), key=len, default=name)
    value = _object(known[longest])
    for part in name.removeprefix(longest).split(".")[1:]:
        value = getattr(value, part)
    return value


def _object(path: str) -> object:
    """A module, or a name in one."""
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError:
        module, _, name = path.rpartition(".")
        if not module:
            raise
        return getattr(importlib.import_module(module), name)


def main() -> int:
    """Look up all names, and print those that are missing."""
    missing = absent = found = 0
    for page, known in KNOWN.items():
        text = (FOLDER / page).read_text(encoding="utf-8")
        for name in sorted({name for code in codes(text) for name in names(code)}):
            try:
                found += look_up(name, known) is not None
            except AttributeError as error:
                missing += 1
                print(f"{page}: {name}: {error}")
            except ImportError as error:
                absent += 1
                print(f"{page}: {name}: not looked up: {error}")
    print(f"{found} names are there, {missing} are missing, {absent} were not looked up")
    return 1 if missing else 2 if absent else 0


if __name__ == "__main__":
    sys.exit(main())
