"""PyGPU's generator, installed. `pygpu bind` is one of its commands."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

_TREE = Path(__file__).resolve().parent


def cmake_dir() -> Path:
    """The folder for CMake's PyGPUGlue_DIR, with the CMake code that builds a bound module."""
    return _TREE / "cmake"


def glue() -> Path | None:
    """The glue as a library, if a PyGPU of the generator's version has it for this Python."""
    try:
        package = metadata.distribution("PyGPU")
        if package.version != metadata.version("pygpu-generator"):
            return None
    except metadata.PackageNotFoundError:
        return None
    path = Path(str(package.locate_file("PyGPU/cmake/libpygpu_glue.a")))
    return path if path.is_file() else None


def main(arguments: Sequence[str], prog: str) -> int:
    """Run a command of the generator on the tree in the current folder; return its exit code."""
    # The modules are imported as `generator.…`, as in the repository, but only in this process.
    sys.path.insert(0, str(_TREE))
    from generator.__main__ import run

    return run(arguments, prog=prog, root=Path())
