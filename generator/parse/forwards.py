"""Functions that a header defines inline, and that only call a function with another name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from generator.model import Function

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_VERSION = r"(_v?\d+)*"
_BODY = re.compile(r"[^;{}]*\{\s*(?:return\b\s*)?(\w+)\s*\(([\w\s,]*)\)\s*;\s*\}")


@dataclass(slots=True)
class Forwards:
    """What is exported, and which inline functions call it.

    `exported` are the functions of any name: the symbol and the type of each. `inline` are the
    functions that the header defines: each with the name that it calls, and its own type.
    """

    exported: dict[str, tuple[str, str]] = field(default_factory=dict)
    inline: dict[str, tuple[Function, str, str]] = field(default_factory=dict)

    def __iter__(self) -> Iterator[tuple[Function, str]]:
        """The functions that call one of the same type, with the name of that one."""
        for function, name, type_ in self.inline.values():
            symbol, exported = self.exported.get(name, ("", ""))
            if _plain(exported) == _plain(type_):
                yield replace(function, symbol=symbol, forwards=True), name


def called(body: str, parameters: Sequence[str]) -> str:
    """The function that a body calls, if it does nothing else; else "".

    `body` is the header's text from behind a function's parameters to the first `}`. The call has
    the function's own parameters in their order.
    """
    match = _BODY.match(_COMMENT.sub(" ", body))
    if match is None:
        return ""
    arguments = [one.strip() for one in match[2].split(",")] if match[2].strip() else []
    return match[1] if arguments == [*parameters] else ""


def _plain(type_: str) -> str:
    """A type without const, which the header may add on the way."""
    return re.sub(r"\bconst\b|\s", "", type_)


def bind_forwards(functions: dict[str, Function], forwards: Forwards) -> None:
    """Bind inline functions that only call another one under their own names, which users write.

    If the other one's name only adds a version, as __nvJitLinkCreate_13_5 does to nvJitLinkCreate,
    it is removed: a function has one name.
    """
    for function, name in forwards:
        if function.name not in functions:
            functions[function.name] = function
            if re.fullmatch(f"_*{function.name}{_VERSION}", name):
                functions.pop(name, None)


def of_headers(functions: Mapping[str, Function]) -> list[str]:
    """The names under which the headers declare what the library exports."""
    return [name for name, one in functions.items() if not one.forwards]
