"""Recorded values in the words of their API: enumerators, structs, handles, statuses."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from PyGPU import _core

Items = Iterable[tuple[str, Any]]


@dataclass(frozen=True)
class Function:
    """A function with the names and types of its parameters and results."""

    api: str
    name: str
    own: bool
    parameters: tuple[tuple[str, str], ...]
    outputs: tuple[tuple[str, str], ...]

    @classmethod
    def read(cls, texts: list[str]) -> Function:
        """From its definition in a file: see src/handwritten/trace/describe.hpp."""
        rest = iter(texts[3:])
        lists = [tuple((name, next(rest)) for name in iter(rest.__next__, "")) for _ in range(2)]
        return cls(texts[0], texts[1], texts[2] == "own", *lists)

    def arguments(self, items: Items) -> dict[str, Any]:
        """The values of its parameters by name."""
        return self._named(self.parameters, items)

    def results(self, items: Items) -> dict[str, Any]:
        """The values of its results by name."""
        return self._named(self.outputs, items)

    def _named(self, names: tuple[tuple[str, str], ...], items: Items) -> dict[str, Any]:
        pairs = zip(names, items, strict=False)  # of a long call, a record may lack the last
        return {name: shown(self.api, type_, *item) for (name, type_), item in pairs}

    def stream_in(self, arguments: dict[str, Any]) -> int | None:
        """The address of the stream among the arguments; None for a function without one."""
        for name, type_ in self.parameters:
            if name in arguments and type_.startswith("handle") and "stream" in type_.lower():
                return int(arguments[name] or "0", 16)
        return None


def shown(api: str, type_: str, kind: str, value: Any) -> Any:
    """A recorded value as JSON can hold it."""
    if kind == "p":
        return hex(value) if value else None
    if kind == "t":
        return value.decode("utf-8", "replace")
    if kind == "c":
        return f"{value} items"
    if kind == "s":
        return _fields(api, "dim3" if type_ == "dim3" else type_.partition(" ")[2], value)
    if kind in "iu" and type_.startswith("enum "):
        return _enumerator(api, type_[5:], value)
    if kind in "iu" and type_.startswith("handle "):
        return hex(value) if value else None
    return "?" if kind == "?" else value


@functools.lru_cache(maxsize=4096)
def _enumerator(api: str, type_: str, value: int) -> str | int:
    try:
        return str(getattr(_module(api), type_)(value).name)
    except (AttributeError, ValueError, TypeError):
        return value


@functools.lru_cache(maxsize=4096)
def names_of_status(api: str, code: int) -> str:
    """The name of a status; its number where the API is not installed here."""
    try:
        _module(api)
        return str(_core.status(api, code).name)
    except (AttributeError, ValueError):
        return str(code)


@functools.lru_cache(maxsize=256)
def _fields(api: str, type_: str, value: bytes) -> Any:
    """A struct's fields by name; those that lead to memory are addresses."""
    try:
        return _plain(getattr(_module(api), type_).from_bytes(value))
    except (AttributeError, ValueError, TypeError):
        return "?"


_NO_FIELDS = frozenset(("address", "from_address", "from_bytes", "sizeof"))


def _plain(value: Any) -> Any:
    if not hasattr(type(value), "from_bytes") or isinstance(value, int):
        return value if isinstance(value, (int, float, str, type(None))) else str(value)
    names = [name for name in dir(value) if not name.startswith("_") and name not in _NO_FIELDS]
    fields = {name: _plain(getattr(value, name)) for name in names}
    return list(fields.values()) if type(value).__name__ == "dim3" else fields


@functools.cache
def _module(api: str) -> Any:
    try:
        return importlib.import_module(f"PyGPU.{api}")
    except ImportError:  # of a library's API, which is another package
        return None
