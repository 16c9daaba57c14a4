"""Names as Python can take them. Names that differ in C differ in Python."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from generator.model import Api

# What a module has beside C's names: module/api_module.cpp puts it there.
OWN_NAMES = frozenset({"_functions", "address", "checked"})
_DUNDER = re.compile(r"__(?!_)\w*(?<!_)__")
_taken: ContextVar[frozenset[str]] = ContextVar("_taken", default=frozenset())


@contextmanager
def beside(names: frozenset[str]) -> Iterator[None]:
    """While an API is planned or written: names of its own that a changed name must not meet."""
    token = _taken.set(names)
    try:
        yield
    finally:
        _taken.reset(token)


def changeable(api: Api) -> frozenset[str]:
    """The names of an API that a changed name could meet, by their endings."""
    return frozenset(name for name in _names(api) if name.endswith(("_", "1")))


def python_name(name: str) -> str:
    """A name in Python: C's, with an underscore if it is a keyword or Python's own (`from_`)."""
    return _free(name, "_") if keyword.iskeyword(name) or _DUNDER.fullmatch(name) else name


def public_name(name: str) -> str:
    """C's name in an API's module; with an underscore behind it if the module has it itself."""
    return _free(name, "_") if name in OWN_NAMES else python_name(name)


def member_name(name: str) -> str:
    """An enumerator's name in Python: an IntEnum can't have members named `mro` or `_x_`."""
    if name[:1] == name[-1:] == "_":
        return _free(name, "1")
    return _free(name, "_") if name == "mro" else public_name(name)


def _free(name: str, mark: str) -> str:
    changed = name + mark
    while changed in _taken.get():
        changed += mark
    return changed


def _names(api: Api) -> Iterator[str]:
    kinds: tuple[Any, ...] = (api.functions, api.structs, api.enums, api.macros)
    for kind in (*kinds, api.aliases, api.handles, api.callbacks):
        yield from kind
        for form in (form for forms in kind.values() for form in forms):
            yield from _inner(form.node)


def _inner(node: Any) -> Iterable[str]:
    parts = ("parameters", "fields", "enumerators")
    return (one.name for part in parts for one in getattr(node, part, ()))
