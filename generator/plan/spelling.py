"""Names as C++ and Python can take them."""

from __future__ import annotations

import keyword

CPP_KEYWORDS = frozenset({"operator", "class", "template", "new", "delete", "this", "default"})


def cpp_name(name: str) -> str:
    """A parameter's name in C++."""
    return f"{name}_" if name in CPP_KEYWORDS else name


def python_name(name: str) -> str:
    """A parameter's name in Python: C's, with an underscore where it is a keyword (`from_`)."""
    return f"{name}_" if keyword.iskeyword(name) else name
