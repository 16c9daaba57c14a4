"""C++ as text: literals, identifiers, lines."""

from __future__ import annotations

from collections.abc import Iterator

WIDTH = 110

# Names that a parameter can't have in a wrapper: keywords of C++, and names that wrappers use.
CPP_KEYWORDS = frozenset({"operator", "class", "template", "new", "delete", "this", "default"})
OF_WRAPPERS = frozenset(
    {
        "always_valid", "api", "box", "copied", "cut", "entries", "error_name", "error_text",
        "errors", "pitched", "query_status", "quotient", "returned", "saturated_difference",
        "saturated_product", "saturated_sum", "status", "std", "text", "valid_on", "valid_since",
        "zeroed",
    }
)  # fmt: skip


def variable(name: str) -> str:
    """A parameter's name in C++, or a field of it."""
    name, dot, field = name.partition(".")
    return f"{name}_{dot}{field}" if name in CPP_KEYWORDS | OF_WRAPPERS else f"{name}{dot}{field}"


def identifier(tag: str) -> str:
    """A struct's tag as an identifier of C++; the tag of a member has dots."""
    return tag.replace(".", "_")


def literal(text: str | None) -> str:
    """A C++ string literal, or nullptr."""
    if text is None:
        return "nullptr"
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


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
