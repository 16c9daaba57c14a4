"""Says in plain words what the machine lacks for a build, before CMake fails at length."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig


def missing() -> list[str]:
    """The things that are missing, each with what to do about it."""
    version = "{}.{}".format(*sys.version_info[:2])
    lacks = []
    if sys.version_info < (3, 10):  # noqa: UP036
        lacks.append(
            f"Python {version} is too old, 3.10 or newer is needed (make PYTHON=python3.12)"
        )
    header = os.path.join(sysconfig.get_path("include"), "Python.h")
    if not os.path.exists(header):
        lacks.append(
            f"no {header}: install the header files of Python {version} (Debian: python3-dev), "
            "or take another Python (make PYTHON=python3.12)"
        )
    compiler = os.environ.get("CXX", "").split() or ["c++"]
    if not (shutil.which(compiler[0]) or shutil.which("g++") or shutil.which("clang++")):
        lacks.append("no C++ compiler: install g++ 12 or newer, or clang 14 or newer")
    return lacks


def main() -> int:
    """Print what is missing; return 1 if anything is."""
    for line in missing():
        print(f"error: {line}", file=sys.stderr)
    return 1 if missing() else 0


if __name__ == "__main__":
    sys.exit(main())
