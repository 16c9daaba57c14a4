"""Checks what C++ asks Python for: one header lists it, and all of it exists."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

SOURCES = "src/handwritten"
LIST = "python/package_names.hpp"
ROW = re.compile(r'PackageName\s+\w+\{\s*"([\w.]+)",\s*"(\w+)"\}')
# A function that imports, and PyGPU or a module of it by a string.
CALL = re.compile(r'\b((?:from|import|call|Py)\w*)\s*\(\s*[\w:( ]*"PyGPU[".]')
IMPORTS = re.compile(r"from_module|import|call_in_package|PyImport_", re.IGNORECASE)


def problems(repository: Path) -> Iterator[str]:
    """A line for each name of the list that isn't there, and each import by a string elsewhere."""
    listed = repository / SOURCES / LIST
    if not listed.is_file():
        return
    for module, name in ROW.findall(listed.read_text(encoding="utf-8")):
        file = _file_of(repository / "python", module)
        if file is None:
            yield f"{SOURCES}/{LIST}: there is no module {module}"
        elif name not in _names_of(file):
            yield f"{SOURCES}/{LIST}: {module} has no {name}"
    for path in sorted((repository / SOURCES).rglob("*.?pp")):
        if path == listed:
            continue
        for called in CALL.findall(path.read_text(encoding="utf-8")):
            if IMPORTS.search(called):
                file = path.relative_to(repository)
                yield f"{file}: {called}() names a module of PyGPU: {LIST} lists them"


def _file_of(root: Path, module: str) -> Path | None:
    path = root.joinpath(*module.split("."))
    files = (path / "__init__.py", path.with_suffix(".py"))
    return next((file for file in files if file.is_file()), None)


def _names_of(file: Path) -> set[str]:
    """The functions and classes of a file."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
