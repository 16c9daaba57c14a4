"""Names as Python can take them."""

from __future__ import annotations

import keyword


def python_name(name: str) -> str:
    """A name in Python: C's, with an underscore where it is a keyword (`from_`, `None_`)."""
    return f"{name}_" if keyword.iskeyword(name) else name


# What a module has beside C's names: module/api_module.cpp puts it there.
OWN_NAMES = frozenset({"_functions", "address", "checked"})


def public_name(name: str) -> str:
    """C's name in an API's module; with an underscore behind it if the module has it itself."""
    name = python_name(name)
    own = name.rstrip("_") in OWN_NAMES or (name[:2] == name[-2:] == "__")
    return f"{name}_" if own else name


def member_name(name: str) -> str:
    """An enumerator's name in Python: an IntEnum can't have members named `mro` or `_x_`."""
    if name[:1] == name[-1:] == "_":
        return f"{name}1"
    return "mro_" if name == "mro" else python_name(name)
