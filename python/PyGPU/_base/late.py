"""Modules that are imported when first used, and what is left of them at the interpreter's end."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# What PyGPU._exit keeps for the end. No modules: the interpreter clears those that are left.
kept: dict[str, dict[str, Any]] = {}


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
        if module in kept:
            return _Kept(kept[module])
        if not sys.is_finalizing():
            raise
        late = f"{module} can't be imported while the interpreter ends: use it once before that"
        raise ImportError(late, name=module) from error
