"""Refuses interpreters that can't run PyGPU, with a message that says why.

In a subinterpreter, loading the compiled part would never end: the runtimes and PyGPU's types
belong to the process, and a second interpreter would share them. A Python that PyGPU wasn't built
for has no compiled part to load.
"""

from __future__ import annotations

import os
import sys

try:
    import _interpreters as _known  # type: ignore[import-not-found,unused-ignore]
except ImportError:  # before Python 3.13
    import _xxsubinterpreters as _known  # type: ignore[import-not-found,no-redef,unused-ignore]

if _known.get_current() != _known.get_main():
    raise ImportError("PyGPU can't be used in a subinterpreter: import it in the main one")


def _load_compiled_part() -> None:
    try:
        import PyGPU._core  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name != "PyGPU._core":
            raise
        folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        built = sorted(name for name in os.listdir(folder) if name.startswith("_core.c"))
        raise ImportError(
            f"PyGPU has no compiled part for this Python ({sys.implementation.cache_tag}) in "
            f"{folder}: there is {', '.join(built) or 'none'}. Install or build it with this Python"
        ) from None


_load_compiled_part()
