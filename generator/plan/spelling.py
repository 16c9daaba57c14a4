"""Names as C++ and Python can take them."""

from __future__ import annotations

import keyword
import re

from generator.formula import CALLS

# What a parameter can't be called in a wrapper: C++'s words, and the names that wrappers use.
CPP_KEYWORDS = frozenset({"operator", "class", "template", "new", "delete", "this", "default"})
OF_WRAPPERS = frozenset(
    {
        "api", "asked", "copied", "cut", "entries", "error_name", "error_text", "errors",
        "always_valid", "valid_on", "valid_since", "room", "status", "std", "text",
    }
)  # fmt: skip

# A name that is no field of another.
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")


def cpp_name(name: str) -> str:
    """A parameter's name in C++."""
    return f"{name}_" if name in CPP_KEYWORDS | OF_WRAPPERS else name


def cpp_formula(text: str) -> str:
    """A length over parameters' names as a C++ expression."""
    return _NAME.sub(lambda name: name[0] if name[0] in CALLS else cpp_name(name[0]), text)


def python_name(name: str) -> str:
    """A name in Python: C's, with an underscore where it is a keyword (`from_`, `None_`)."""
    return f"{name}_" if keyword.iskeyword(name) else name


def member_name(name: str) -> str:
    """An enumerator's name in Python, where an IntEnum takes neither `mro` nor `_x_` as such."""
    if name[:1] == name[-1:] == "_":
        return f"{name}1"
    return "mro_" if name == "mro" else python_name(name)
