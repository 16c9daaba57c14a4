"""The glue of a checkout's build: PyGPU's own C++, with which every module is linked."""

from __future__ import annotations

import sysconfig
from collections.abc import Iterator
from pathlib import Path


def built_glue(root: Path) -> Iterator[Path]:
    """The libraries of builds for this Python, if they are newer than all their sources."""
    changed = max(path.stat().st_mtime for path in (root / "src").rglob("*.[ch]pp"))
    for path in sorted((root / "build").glob("*/libpygpu_glue.a")):
        cache = (path.parent / "CMakeCache.txt").read_text(encoding="utf-8")
        of_this = str(sysconfig.get_config_var("SOABI")) in cache
        released = "CMAKE_BUILD_TYPE:STRING=Release" in cache and "CHECK_LOCKS:BOOL=ON" not in cache
        if of_this and released and path.stat().st_mtime > changed:
            yield path
