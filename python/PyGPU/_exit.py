"""Imports and keeps what finalisers may need, when the exit starts and before a fork.

At its end the interpreter empties sys.modules, and then finalises the last objects: nothing can be
imported any more. In a forked child, a module that another thread was importing stays locked.
"""

from __future__ import annotations

import atexit
import os
import sys

from PyGPU import _core
from PyGPU._base import late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_CALLS = (
    "PyGPU._base.help",
    "PyGPU._errors.advice",
    "PyGPU._libraries",
    "PyGPU._names.missing",
    "PyGPU._names.portable",
    "PyGPU.checked",
    "enum",
)
_ARRAYS = (
    "PyGPU._arrays.exchange",
    "PyGPU._arrays.order",
    "PyGPU._arrays.values",
    "PyGPU._arrays.views",
    "PyGPU.gpuarray",
)


def _prepare(arrays: bool) -> None:
    needed = [*_CALLS, *(_ARRAYS if arrays else ())]
    if "ctypes" in sys.modules:
        needed.append("PyGPU._base.c_pointers")
    for name in needed:
        __import__(name)
    used = [name for name in sys.modules if name.partition(".")[0] == "PyGPU"]
    for name in (*needed, *used, "numpy", "ctypes"):
        if module := sys.modules.get(name):
            late.kept[name] = vars(module)
    _core.keep_modules(late.kept)


def _is_called() -> bool:
    """Whether a call looked for its library."""
    return "PyGPU._libraries" in sys.modules


def _classes(of: type) -> Iterator[type]:
    one: type
    for one in type.__subclasses__(of):
        yield one
        yield from _classes(one)


def _may_be_used() -> bool:
    """Whether a class outside of the standard library has a finaliser."""
    return any(
        "__del__" in vars(one) and one.__module__.partition(".")[0] not in sys.stdlib_module_names
        for one in _classes(object)
    )


def _before_exit() -> None:
    # Most programs have no finaliser of their own. Then those that don't call PyGPU need not wait
    # for the imports, and those that have no array need not wait for these.
    own = _may_be_used()
    if own or _is_called():
        _prepare(arrays=own or "PyGPU.gpuarray" in sys.modules)


def _before_fork() -> None:
    # Otherwise no other thread imports any of it.
    if _is_called() or "PyGPU._names.portable" in sys.modules:
        _prepare(arrays=True)


atexit.register(_before_exit)
os.register_at_fork(before=_before_fork)
