"""Modules that are imported when first used, and that finalisers find while the interpreter ends.

At its end the interpreter empties sys.modules, and then finalises the last objects: nothing can be
imported any more. So what a finaliser may need is imported and kept when the exit starts. The same
is done before a fork: in the child, a module that another thread was importing stays locked.
"""

from __future__ import annotations

import atexit
import os
import sys

from PyGPU import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_NEEDED = (
    "PyGPU._advice",
    "PyGPU._arrays.exchange",
    "PyGPU._arrays.order",
    "PyGPU._arrays.values",
    "PyGPU._arrays.views",
    "PyGPU._missing",
    "PyGPU._portable",
    "PyGPU._search",
    "PyGPU.checked",
    "PyGPU.gpuarray",
    "enum",
)

_kept: dict[str, dict[str, Any]] = {}  # no modules: the interpreter clears those that are left


class Late:
    """Stands for a module, which is imported when an attribute is first asked for."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return attribute(self._name, name)


class _Kept:
    """A module's attributes while the interpreter ends."""

    __slots__ = ("_names",)

    def __init__(self, names: dict[str, Any]) -> None:
        self._names = names

    def __getattr__(self, name: str) -> Any:
        if name in self._names:
            return self._names[name]
        if "__getattr__" in self._names:
            return self._names["__getattr__"](name)
        raise AttributeError(f"module {self._names['__name__']!r} has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        return list(self._names)


def attribute(module: str, name: str) -> Any:
    """An attribute of a module, which is imported where that is still possible."""
    return getattr(imported(module), name)


def imported(module: str) -> Any:
    """A module, or what stands for it while the interpreter ends."""
    try:
        __import__(module)
        return sys.modules[module]
    except ImportError as error:
        if module in _kept:
            return _Kept(_kept[module])
        if not sys.is_finalizing():
            raise
        late = (
            f"{module} can't be imported any more, since the interpreter ends: use it once before"
        )
        raise ImportError(late, name=module) from error


def _prepare() -> None:
    needed = [*_NEEDED, *(["PyGPU._c_pointers"] if "ctypes" in sys.modules else [])]
    for name in needed:
        __import__(name)
    used = [name for name in sys.modules if name.partition(".")[0] == "PyGPU"]
    for name in (*needed, *used, "numpy", "ctypes"):
        if module := sys.modules.get(name):
            _kept[name] = vars(module)
    _core.keep_modules(_kept)


def _is_called() -> bool:
    """Whether a call looked for its library."""
    return "PyGPU._search" in sys.modules


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
    # Most programs that don't call PyGPU have no finaliser, and need not wait for the imports.
    if _is_called() or _may_be_used():
        _prepare()


def _before_fork() -> None:
    if _is_called() or "PyGPU._portable" in sys.modules:  # else no other thread imports any of it
        _prepare()


atexit.register(_before_exit)
os.register_at_fork(before=_before_fork)
