"""Names that say which parameter counts which: numThings for things, dataSize for data."""

from __future__ import annotations

import re
from functools import cache

from generator.decide.shape import is_integer, resolve
from generator.model import Api, Function, Parameter

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
# What stands before a name and only says what kind of thing it is.
_KIND = frozenset({"p", "pp", "h", "ph", "d", "in", "out", "src", "input", "output"})
_COUNT = frozenset({"num", "n", "nb", "nr", "count", "cnt", "counts", "number", "of"})
_LENGTH = frozenset({"len", "length"})
_BYTES = frozenset({"size", "bytes", "nbytes", "sz"})
_TAIL = frozenset({"array", "arr", "list", "ptr", "ptrs", "buf", "buffer", "t"})


def counters(api: Api, function: Function, of: Parameter) -> list[Parameter]:
    """The parameters that, by their names, count the elements of another one.

    Where an element is one byte, or anything, a size in bytes counts, too. A bare `n` says nothing:
    it may be any other parameter's, or no count of elements.
    """
    seen = resolve(api, of.type)
    single = len(seen.pointers) == 1 and seen.base in ("void", "char", "unsigned char", "uint8_t")
    stem = _stem(of.name)
    return [
        one
        for one in function.parameters
        if one is not of
        and (counted := _counted(one.name, sizes=single))
        and counted == stem
        and is_integer(api, one.type.base)
    ]


def counted(api: Api, function: Function, count: Parameter) -> bool:
    """Whether a count has the name of one of the other parameters."""
    return any(count in counters(api, function, one) for one in function.parameters)


def size_behind(api: Api, function: Function, of: Parameter) -> Parameter | None:
    """The size of a text or buffer: counted by name, or right behind it as `size`, `len`, …"""
    if found := counters(api, function, of):
        return found[0]
    at = function.parameters.index(of) + 1
    following = function.parameters[at] if at < len(function.parameters) else None
    if following is None or not is_integer(api, following.type.base):
        return None
    words = set(_words(following.name))
    return following if words and words <= _LENGTH | _BYTES else None


def _words(name: str) -> list[str]:
    return [one.lower() for one in _WORD.findall(name)]


@cache
def _stem(name: str) -> tuple[str, ...]:
    """A name without what says of what kind it is, in the singular."""
    words = _words(name)
    while len(words) > 1 and words[0] in _KIND:
        words = words[1:]
    while len(words) > 1 and words[-1] in _TAIL:
        words = words[:-1]
    return (*words[:-1], _singular(words[-1])) if words else ()


@cache
def _counted(name: str, *, sizes: bool) -> tuple[str, ...]:
    """What a name counts, as _stem() gives it; nothing if it counts nothing in particular."""
    words = _words(name)
    while len(words) > 1 and words[0] in _KIND:
        words = words[1:]
    known = _COUNT | _LENGTH | (_BYTES if sizes else frozenset())
    if not words or not {words[0], words[-1]} & known:
        return ()
    while words and words[0] in _COUNT:
        words = words[1:]
    while words and words[-1] in known:
        words = words[:-1]
    return _stem("_".join(words)) if words else ()


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word
