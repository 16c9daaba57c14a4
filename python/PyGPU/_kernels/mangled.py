"""Reads mangled names of functions (Itanium C++ ABI): the plain name and the parameters' types.

Names that need more than kernels usually do (decltype, packs, pointers as template arguments) are
not understood; then the caller knows less, and never something wrong.
"""

from __future__ import annotations

import re
from typing import NamedTuple


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


_BUILTIN = {
    "v": CType("void", 0, None, "void"),
    "b": CType("integer", 1, False, "bool"),
    "c": CType("integer", 1, None, "char"),  # its sign is the platform's
    "a": CType("integer", 1, True, "signed char"),
    "h": CType("integer", 1, False, "unsigned char"),
    "s": CType("integer", 2, True, "short"),
    "t": CType("integer", 2, False, "unsigned short"),
    "w": CType("integer", 4, True, "wchar_t"),
    "i": CType("integer", 4, True, "int"),
    "j": CType("integer", 4, False, "unsigned int"),
    "l": CType("integer", 8, True, "long"),
    "m": CType("integer", 8, False, "unsigned long"),
    "x": CType("integer", 8, True, "long long"),
    "y": CType("integer", 8, False, "unsigned long long"),
    "n": CType("integer", 16, True, "__int128"),
    "o": CType("integer", 16, False, "unsigned __int128"),
    "f": CType("float", 4, None, "float"),
    "d": CType("float", 8, None, "double"),
    "Dh": CType("float", 2, None, "half"),
    "DF16_": CType("float", 2, None, "half"),
    "DF16b": CType("float", 2, None, "bfloat16"),
    "Du": CType("integer", 1, False, "char8_t"),
    "Ds": CType("integer", 2, False, "char16_t"),
    "Di": CType("integer", 4, False, "char32_t"),
    "Dn": CType("pointer", 8, None, "nullptr_t"),
}
# Classes of the vendors' headers that stand for a number.
_CLASSES = {
    "__half": CType("float", 2, None, "half"),
    "__nv_bfloat16": CType("float", 2, None, "bfloat16"),
    "__hip_bfloat16": CType("float", 2, None, "bfloat16"),
}
# The vectors of vector_types.h, of which CUDA 13 has some with another alignment, too.
_VECTOR = re.compile(r"(u?)(char|short|int|longlong|long|float|double)[1-4](_(16|32)a)?", re.ASCII)
_SIZES = {"char": 1, "short": 2, "int": 4, "float": 4}
_VECTORS_OF_HALVES = {"__half2": "F2", "half2": "F2"}
_CLASS = CType("class")


def function(name: str) -> Function | None:
    """What a mangled name says; None for a name that isn't mangled, or not understood."""
    if not name.startswith("_Z"):
        return None
    try:
        return _Reader(name).function()
    except (_NotUnderstoodError, IndexError, RecursionError, ValueError):  # int() of 5000 digits
        return None


def _class(name: str) -> CType:
    """A class of that name: one of the vectors, or an unknown one."""
    if name in _VECTORS_OF_HALVES:
        return CType("class", of=_VECTORS_OF_HALVES[name])
    match = _VECTOR.fullmatch(name)
    if match is None or (match[1] and match[2] in ("float", "double")):
        return _CLASS
    kind = "F" if match[2] in ("float", "double") else "I"
    return CType("class", of=f"{kind}{_SIZES.get(match[2], 8)}")


class _NotUnderstoodError(Exception):
    pass


class _Reader:
    """Goes through a name once. `seen` are the parts that S_, S0_ and so on stand for."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 2
        self.seen: list[CType] = []
        self.arguments: list[CType | None] = []  # of the function, if it is a template

    def function(self) -> Function:
        parts, template = self.function_name()
        if template:
            self.type()  # what it returns
        parameters = [self.type()]  # there is one, if only void
        while self.at < len(self.text):
            parameters.append(self.type())
        if [one.kind for one in parameters] == ["void"]:
            parameters = []
        if any(one.kind == "void" for one in parameters):
            raise _NotUnderstoodError
        return Function("" if template else "::".join(parts), tuple(parameters))

    def function_name(self) -> tuple[list[str], bool]:
        """The parts of the name, and whether template arguments end it."""
        if self.skip("N"):
            return self.nested(whole=False)
        parts = [self.source_name()]
        if self.next() != "I":
            return parts, False
        self.seen.append(_CLASS)
        self.arguments = self.template_arguments()
        return parts, True

    def nested(self, whole: bool) -> tuple[list[str], bool]:
        """A name between N and E; `whole` says that all of it can be substituted, as a type."""
        while self.next() in ("K", "V", "r", "R", "O"):
            self.at += 1
        parts: list[str] = []
        template = False
        pending = False  # whether what was read is a prefix that S_ can stand for
        while not self.skip("E"):
            if pending:
                self.seen.append(_CLASS)
            if self.next() == "I":
                self.arguments_of(whole)
                template = pending = True
            elif self.next() == "S":
                self.substituted()
                template = pending = False
            else:
                parts.append(self.source_name())
                template, pending = False, True
        if pending and whole:
            self.seen.append(_CLASSES.get(parts[-1], _CLASS) if not template else _CLASS)
        return [part for part in parts if not part.startswith("_GLOBAL__N_")], template

    def arguments_of(self, is_type: bool) -> None:
        arguments = self.template_arguments()
        if not is_type:
            self.arguments = arguments

    def template_arguments(self) -> list[CType | None]:
        self.expect("I")
        arguments: list[CType | None] = []
        while not self.skip("E"):
            arguments.append(self.template_argument())
        return arguments

    def template_argument(self) -> CType | None:
        if self.next() == "L":
            self.literal()
            return None
        if self.skip("J"):
            while not self.skip("E"):
                self.template_argument()
            return None
        return self.type()

    def literal(self) -> None:
        self.expect("L")
        if self.next() == "_":
            raise _NotUnderstoodError
        self.type()
        while not self.skip("E"):
            if self.next() not in "n0123456789abcdef":
                raise _NotUnderstoodError
            self.at += 1

    def type(self) -> CType:
        char = self.next()
        if char == "D":
            for code in ("DF16_", "DF16b", self.text[self.at : self.at + 2]):
                if code in _BUILTIN and self.skip(code):
                    return _BUILTIN[code]
            raise _NotUnderstoodError
        if char in _BUILTIN:
            self.at += 1
            return _BUILTIN[char]
        if char in "KVr":
            return self.qualified()
        if char in "PRO":
            self.at += 1
            element = self.type().inside
            return self.remember(CType("pointer", 8, None, "pointer", element))
        if char == "T":
            return self.template_parameter()
        if char == "S":
            return self.substituted()
        if char == "N":
            self.at += 1
            self.nested(whole=True)
            return self.seen[-1]
        if char == "F":
            return self.function_type()
        if char == "A":
            return self.array()
        if char.isdigit():
            name = self.source_name()
            return self.templated(self.remember(_CLASSES.get(name) or _class(name)))
        raise _NotUnderstoodError

    def qualified(self) -> CType:
        while self.next() in ("K", "V", "r"):
            self.at += 1
        return self.remember(self.type())

    def function_type(self) -> CType:
        self.expect("F")
        self.skip("Y")
        while not self.skip("E"):
            self.type()
        return self.remember(_CLASS)

    def array(self) -> CType:
        self.expect("A")
        while not self.skip("_"):
            if not self.next().isdigit():
                raise _NotUnderstoodError
            self.at += 1
        self.type()
        return self.remember(_CLASS)

    def template_parameter(self) -> CType:
        self.expect("T")
        at = self.sequence_number()
        argument = self.arguments[at] if at < len(self.arguments) else None
        if argument is None:
            raise _NotUnderstoodError
        return self.templated(self.remember(argument))

    def substituted(self) -> CType:
        self.expect("S")
        if self.next() == "t":  # std::
            self.at += 1
            self.source_name()
            return self.templated(self.remember(_CLASS))
        if self.next() in "absiod":
            raise _NotUnderstoodError
        at = self.sequence_number()
        if at >= len(self.seen):
            raise _NotUnderstoodError
        return self.templated(self.seen[at])

    def templated(self, name: CType) -> CType:
        """The type itself, or an instance of it if template arguments follow."""
        if self.next() != "I":
            return name
        self.template_arguments()
        return self.remember(_CLASS)

    def sequence_number(self) -> int:
        """The number before a _, in base 36: no digit is 0, the digit 0 is 1, and so on."""
        end = self.text.index("_", self.at) if "_" in self.text[self.at :] else -1
        digits = self.text[self.at : end] if end >= 0 else "?"
        if not all(digit.isdigit() or "A" <= digit <= "Z" for digit in digits):
            raise _NotUnderstoodError
        self.at = end + 1
        return int(digits, 36) + 1 if digits else 0

    def source_name(self) -> str:
        start = self.at
        while self.next().isdigit():
            self.at += 1
        if start == self.at:
            raise _NotUnderstoodError
        length = int(self.text[start : self.at])
        self.at += length
        if not length or self.at > len(self.text):
            raise _NotUnderstoodError
        return self.text[self.at - length : self.at]

    def remember(self, kind: CType) -> CType:
        self.seen.append(kind)
        return kind

    def next(self) -> str:
        return self.text[self.at] if self.at < len(self.text) else "\0"

    def skip(self, text: str) -> bool:
        if self.at >= len(self.text):
            if text == "E":
                raise _NotUnderstoodError
            return False
        if not self.text.startswith(text, self.at):
            return False
        self.at += len(text)
        return True

    def expect(self, text: str) -> None:
        if not self.skip(text):
            raise _NotUnderstoodError
