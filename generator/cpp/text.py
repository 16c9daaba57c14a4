"""C++ as text: literals, identifiers, lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path

from generator.handles import class_of

WIDTH = 110

# Names that macros have, in C's headers and in Python.h.
_MACRO = re.compile(r"[A-Z][A-Z0-9_]+|Py_\w+|Py[A-Z]\w*")
# The words of C++ that C has no use for, and macros of Python.h's with small letters.
KEYWORDS = frozenset(
    {
        "alignas", "alignof", "and", "and_eq", "asm", "bitand", "bitor", "bool", "catch",
        "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return", "co_yield", "compl",
        "concept", "const_cast", "consteval", "constexpr", "constinit", "decltype", "delete",
        "dynamic_cast", "errno", "explicit", "export", "false", "friend", "math_errhandling",
        "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or",
        "or_eq", "private", "protected", "public", "reinterpret_cast", "requires",
        "st_atime", "st_ctime", "st_mtime", "static_assert", "static_cast", "template", "this",
        "thread_local", "throw", "true", "try", "typeid", "typename", "using", "virtual",
        "wchar_t", "xor", "xor_eq",
    }
)  # fmt: skip
# Names that wrappers use, so that no parameter may have them.
OF_WRAPPERS = frozenset(
    {
        "always_valid", "api", "box", "copied", "cut", "entries", "error_name", "error_text",
        "errors", "pitched", "query_status", "quotient", "returned", "saturated_difference",
        "saturated_product", "saturated_sum", "status", "std", "text", "valid_on", "valid_since",
        "zeroed",
    }
)  # fmt: skip
_ROOT = Path(__file__).resolve().parents[2]
_NOT_OF_GLUE = frozenset({"arrays", "kernels", "adapt"})  # which name the runtimes' functions
_NO_CODE = re.compile(r'//[^\n]*|"[^"\n]*"|\{[{%#].*?[}%#]\}', re.S)


_types: ContextVar[Set[str]] = ContextVar("_types", default=frozenset())


@contextmanager
def naming(types: Iterable[str]) -> Iterator[None]:
    """While an API is written: these are the names of its types, which no parameter may hide."""
    token = _types.set(frozenset(one for name in types for one in (name, identifier(name))))
    try:
        yield
    finally:
        _types.reset(token)


def variable(name: str) -> str:
    """A parameter's name in C++, or a field of it."""
    name, dot, field = name.partition(".")
    if name.rstrip("_") in OF_WRAPPERS | {"default"}:
        name += "_"
    name = member(name)
    return f"{parameter(name)}{dot}{field}"


def parameter(name: str) -> str:
    """A parameter's name in a prototype: no type's."""
    while name in _types.get():
        name += "_"
    return name


def member(name: str) -> str:
    """A field's name in C++, or that of a parameter in a prototype."""
    return f"{name}_" if name.rstrip("_") in KEYWORDS or _MACRO.fullmatch(name) else name


def identifier(name: str) -> str:
    """C's name of a function or a type in C++; the name of a nameless member's type has dots.

    It has an underscore behind it if C++ or PyGPU's own code has such a name. A handle's type may
    be a pointer's: "const db_t *".
    """
    if name.endswith(" *"):
        plain = class_of(name)
        return name.replace(plain, identifier(plain))
    name = name.replace(".", "_")
    own = name in own_words() or name.rstrip("_") in own_words()
    return f"{name}_" if own else name


@cache
def own_words() -> frozenset[str]:
    """The words of the C++ around a name of C: those of the glue's headers and of templates."""
    headers = (_ROOT / "src").rglob("*.hpp")
    files = [path for path in headers if not _NOT_OF_GLUE.intersection(path.parts)]
    files += (_ROOT / "templates").glob("*pp.j2")
    texts = (_NO_CODE.sub("", path.read_text("utf-8")) for path in files)
    return KEYWORDS.union(*(re.findall(r"\w+", text) for text in texts))


def literal(text: str | None) -> str:
    """A C++ string literal, or nullptr."""
    if text is None:
        return "nullptr"
    shown = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return '"' + "".join(one if one >= " " else f"\\{ord(one):03o}" for one in shown) + '"'


def wrapped(text: str, indent: int, first: int = 0, whole: bool = False) -> str:
    """The text broken at ", " so that lines stay within the width; later lines are indented.

    With `whole`, lists of template arguments are not broken.
    """
    lines, line, room = [], "", WIDTH - (first or indent)
    for piece in _pieces(text, whole):
        joined = f"{line}, {piece}" if line else piece
        if line and len(joined) > room:
            lines.append(f"{line},")
            line, room = piece, WIDTH - indent
        else:
            line = joined
    return f"\n{' ' * indent}".join([*lines, line])


def _pieces(text: str, whole: bool) -> Iterator[str]:
    piece = ""
    for part in text.split(", "):
        piece = f"{piece}, {part}" if piece else part
        if not whole or piece.count("<") == piece.count(">"):
            yield piece
            piece = ""
