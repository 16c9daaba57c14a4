"""What the mangled name of a function says: the plain name and the parameters' types.

The C++ library demangles it; what that text leaves open, the caller doesn't know, and never knows
wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from PyGPU._kernels import base


class CType(NamedTuple):
    """What is known of a type: kind "float", "integer", "pointer", "class" or "void".

    `element` is what lies behind a pointer, and `inside` what an array of this type holds: a kind
    and a size, "" if that is unknown. The kinds are i(nteger), f(loat), b(float16), p(ointer), and
    I and F for vectors of integers and floats, with the size of one of them.
    """

    kind: str
    size: int = 0
    signed: bool | None = None
    name: str = ""
    element: str = ""
    of: str = ""

    @property
    def inside(self) -> str:
        if self.kind not in ("integer", "float", "pointer") or self.size > 8:
            return self.of
        letter = "b" if self.name == "bfloat16" else self.kind[0]
        return f"{letter}{self.size}"


class Function(NamedTuple):
    """A function's name as it is written in C++ ("" where it needs more), and its parameters."""

    name: str
    parameters: tuple[CType, ...]


def _integers(size: int, *names: str, signed: bool | None) -> dict[str, CType]:
    return {name: CType("integer", size, signed, name) for name in names}


_HALF, _BFLOAT = CType("float", 2, None, "half"), CType("float", 2, None, "bfloat16")
_TYPES = {
    "void": CType("void", 0, None, "void"),
    "float": CType("float", 4, None, "float"),
    "double": CType("float", 8, None, "double"),
    "decimal64": _HALF,  # see _KNOWN_CODES
    "decimal32": _BFLOAT,
    "decltype(nullptr)": CType("pointer", 8, None, "nullptr_t"),
    **_integers(1, "char", signed=None),  # its sign is the platform's
    **_integers(1, "bool", "unsigned char", "char8_t", signed=False),
    **_integers(1, "signed char", signed=True),
    **_integers(2, "short", signed=True),
    **_integers(2, "unsigned short", "char16_t", signed=False),
    **_integers(4, "int", "wchar_t", signed=True),
    **_integers(4, "unsigned int", "char32_t", signed=False),
    **_integers(8, "long", "long long", signed=True),
    **_integers(8, "unsigned long", "unsigned long long", signed=False),
    **_integers(16, "__int128", signed=True),
    **_integers(16, "unsigned __int128", signed=False),
}
# Classes of the vendors' headers that stand for a number.
_CLASSES = {
    "__half": _HALF,
    "__nv_bfloat16": _BFLOAT,
    "__hip_bfloat16": _BFLOAT,
    "__bf16": _BFLOAT,
}
# The vectors of vector_types.h, of which CUDA 13 has some with another alignment, too.
_VECTOR = re.compile(r"(u?)(char|short|int|longlong|long|float|double)[1-4](_(16|32)a)?", re.ASCII)
_SIZES = {"char": 1, "short": 2, "int": 4, "float": 4}
_VECTORS_OF_HALVES = {"__half2": "F2", "half2": "F2"}
_CLASS = CType("class")
_UNKNOWN = CType("")

# The codes of 16-bit floats, of which not every release of the C++ library knows all, and codes of
# types that no kernel takes, which stand for them.
_KNOWN_CODES = {"DF16_": "Dd", "Dh": "Dd", "DF16b": "Df"}
_QUALIFIERS = re.compile(r"^(?:(?:const|volatile) )+|(?: (?:const|volatile|restrict|__restrict))+$")
_ARGUMENTS = re.compile(r"<[^<>]*>")
_TO_FUNCTION_OR_ARRAY = re.compile(r" \(([*&]+)\)")
_PLAIN = re.compile(r"[\w$]+(?:::[\w$]+)*")


def function(name: str) -> Function | None:
    """What a mangled name says; None for a name that isn't mangled, or not understood."""
    if not name.startswith("_Z"):
        return None
    for code, known in _KNOWN_CODES.items():
        name = name.replace(code, known)
    text = base.demangled(name)
    start = _opening(text)
    # Numba's names have a tag, and arrays and pointers as classes: 10float32_2a.
    if text == name or start < 0 or "[abi:" in text[:start]:
        return None
    parameters = tuple(map(_type, _listed(text[start + 1 : -1])))
    if [one.kind for one in parameters] == ["void"]:
        parameters = ()
    if any(one.kind in ("void", "") for one in parameters):
        return None
    plain = text[:start].replace("(anonymous namespace)::", "")
    return Function(plain if _PLAIN.fullmatch(plain) else "", parameters)


def _opening(text: str) -> int:
    """Where the parentheses open that end the text; -1 where none end it."""
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        depth += (text[at] == ")") - (text[at] == "(")
        if not depth:
            return at if text.endswith(")") else -1
    return -1


def _listed(text: str) -> Iterator[str]:
    """What stands between the commas that are in no parentheses of any kind."""
    depth = start = 0
    for at, char in enumerate(text):
        depth += (char in "(<[{") - (char in ")>]}")
        if char == "," and not depth:
            yield text[start:at].strip()
            start = at + 1
    if text:
        yield text[start:].strip()


def _type(text: str) -> CType:
    """A type; of an unknown one the kind is ""."""
    text = _QUALIFIERS.sub("", text)
    if text in _TYPES:
        return _TYPES[text]
    whole, text = text, _without_arguments(text)
    if "::*" in text:  # a pointer to a member
        return _CLASS
    if text.endswith(("*", "&")):
        pointed = _QUALIFIERS.sub("", whole.rstrip("&") if text.endswith("&") else whole[:-1])
        element = "p8" if pointed.endswith("*") else _type(pointed).inside
        return CType("pointer", 8, None, "pointer", element)
    if match := _TO_FUNCTION_OR_ARRAY.search(text):
        return CType("pointer", 8, None, "pointer", "p8" if "*" in match[1][:-1] else "")
    if not _PLAIN.fullmatch(text):
        return _UNKNOWN
    if text != whole:
        return _CLASS
    return _CLASSES.get(text.rpartition("::")[2]) or _class(text)


def _without_arguments(text: str) -> str:
    """A type without the arguments of templates."""
    while (shorter := _ARGUMENTS.sub("", text)) != text:
        text = shorter
    return text


def _class(name: str) -> CType:
    """A class of that name: one of the vectors, or an unknown one."""
    if name in _VECTORS_OF_HALVES:
        return CType("class", of=_VECTORS_OF_HALVES[name])
    match = _VECTOR.fullmatch(name)
    if match is None or (match[1] and match[2] in ("float", "double")):
        return _CLASS
    kind = "F" if match[2] in ("float", "double") else "I"
    return CType("class", of=f"{kind}{_SIZES.get(match[2], 8)}")
