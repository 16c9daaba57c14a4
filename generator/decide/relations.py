"""Names that say which parameter counts which: numThings for things, dataSize for data."""

from __future__ import annotations

import re
from functools import cache

from generator.decide.shape import Shape, is_integer, resolve, shape
from generator.decide.votes import counting, is_plural
from generator.model import Api, CType, Function, Parameter

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
# What stands before a name and only says what kind of thing it is.
_KIND = frozenset({"p", "pp", "h", "ph", "d", "in", "out", "src", "input", "output"})
# Of these, names of their own, too: srcSize is that of src.
_WHERE = frozenset({"in", "out", "src", "input", "output"})
_COUNT = frozenset({"num", "n", "nb", "nr", "count", "cnt", "counts", "number", "of"})
_LENGTH = frozenset({"len", "length"})
_BYTES = frozenset({"size", "bytes", "nbytes", "sz"})
# The first field of a struct that grows: which form of it the caller has.
_VERSION = re.compile(
    r"(?i)(struct_?)?(version|s_?type|cb_?size)|struct_?type|size_?of_?struct"
    r"|\w*struct_?(size|version)|cb"
)
# What only a text is called.
_TEXT = frozenset({"name", "version", "path", "file", "filename", "text", "str", "string", "msg"})
_TEXT |= frozenset({"message", "key", "format", "fmt", "mode", "title", "label", "locale", "url"})
# What a size in bytes is the number of elements of.
BYTES = ("void", "char", "unsigned char", "uint8_t")
_BETWEEN = frozenset({"in", "of"})
_TAIL = frozenset({"array", "arr", "list", "ptr", "ptrs", "buf", "buffer", "t"})


def counters(api: Api, function: Function, of: Parameter) -> list[Parameter]:
    """The parameters that, by their names, count the elements of another one.

    Where an element is one byte, or anything, a size in bytes counts, too. A bare `n` says nothing:
    it may be any other parameter's, or no count of elements.
    """
    seen = resolve(api, of.type)
    single = len(seen.pointers) == 1 and seen.base in BYTES
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


def unexplained(api: Api, function: Function, parameter: Parameter) -> list[Parameter]:
    """The counts that may be this parameter's: no other one is said to have them, or named so."""
    others = [one for one in function.parameters if one is not parameter]
    said = {one.counted for one in others}
    return [
        one
        for one in others
        if counting(one.name)
        and one.name not in said
        and not any(one in counters(api, function, other) for other in others)
    ]


def free_sizes(api: Api, function: Function, of: Parameter) -> list[Parameter]:
    """The sizes that belong to no other parameter, and so may be those of this one.

    A size right behind a char buffer may be that of both. What is called as a text has no size.
    """
    if set(_words(of.name)[-1:]) & _TEXT:
        return []
    others = [one for one in function.parameters if one is not of]
    said = {one.counted for one in others}
    said |= {
        size.name
        for one in others
        if one.type.is_pointer
        and shape(api, one.type) is not Shape.CHARS
        and (size := size_behind(api, function, one))
    }
    return [
        one
        for one in others
        if set(_words(one.name)[-1:]) & (_LENGTH | _BYTES)
        and is_integer(api, one.type.base)
        and not one.type.is_pointer
        and one.name not in said
        and not any(one in counters(api, function, other) for other in others)
    ]


def fillable(api: Api, function: Function, count: Parameter) -> list[Parameter]:
    """The arrays that a number behind a pointer may be the size of, as in a call that asks first.

    None if its name is no size's.
    """
    bytes = bool(set(_words(count.name)) & (_LENGTH | _BYTES))
    if not (bytes or counting(count.name)):
        return []
    if not is_integer(api, count.type.base) or not count.type.is_pointer:
        return []
    return [
        one
        for one in function.parameters
        if one is not count
        and not one.type.points_to_const
        and (count in counters(api, function, one) or _is_filled(api, one, bytes=bytes))
    ]


def _is_filled(api: Api, array: Parameter, *, bytes: bool) -> bool:
    """Whether C may fill an array there, by its type; bytes only fill a buffer."""
    seen, kind = resolve(api, array.type), shape(api, array.type)
    if kind in (Shape.CHARS, Shape.MEMORY):
        return True
    single = len(seen.pointers) == 1 and seen.base not in api.handles
    if bytes:
        return single and (kind is Shape.ROOM or (kind is Shape.SLOT and seen.base in BYTES))
    if kind is Shape.SLOT and single:
        return is_plural(array.name) or (
            not counting(array.name) and is_integer(api, array.type.base)
        )
    return kind in (Shape.SLOT, Shape.ROOM)


def begun(api: Api, type: CType) -> bool:
    """Whether a pointer leads to a struct that the caller begins: its version, size or type."""
    forms = api.structs.get(resolve(api, type).base, ())
    return any(
        bool(form.node.fields) and _VERSION.fullmatch(form.node.fields[0].name) is not None
        for form in forms
    )


def size_behind(api: Api, function: Function, of: Parameter) -> Parameter | None:
    """The size of a text or buffer: counted by name, or right behind it as `size`, `len`, …"""
    if sizes := counters(api, function, of):
        return sizes[0]
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
    inner = (one for one in words[1:] if one not in _BETWEEN)
    return tuple(_singular(one) for one in (*words[:1], *inner))


@cache
def _counted(name: str, *, sizes: bool) -> tuple[str, ...]:
    """What a name counts, as _stem() gives it; nothing if it counts nothing in particular."""
    words = _words(name)
    while len(words) > 1 and words[0] in _KIND - (_WHERE if len(words) == 2 else frozenset()):
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
