"""Refuses a subinterpreter, in which loading the compiled part would wait for ever.

The runtimes and PyGPU's types belong to the process; a second interpreter would share them.
"""

from __future__ import annotations

try:
    import _interpreters as _known  # type: ignore[import-not-found,unused-ignore]
except ImportError:  # before Python 3.13
    import _xxsubinterpreters as _known  # type: ignore[import-not-found,no-redef,unused-ignore]

if _known.get_current() != _known.get_main():
    raise ImportError("PyGPU can't be used in a subinterpreter: import it in the main one")
