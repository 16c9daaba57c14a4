"""Arguments of a kernel that is made at run time: arrays and scalars, as C declares them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from PyGPU._codegen.c_types import dtype_of, dtype_to_ctype

_DECLARATOR = re.compile(r"(\**)\s*([_a-zA-Z]\w*)\s*((?:\[[ 0-9]*\]\s*)*)$")
_QUALIFIERS = re.compile(r"\b(?:const|volatile|__restrict__|__restrict|restrict)\b")


class Argument:
    """An argument's dtype and name; `is_const` says that a kernel only reads it."""

    def __init__(self, dtype: Any, name: str, is_const: bool = False) -> None:
        self.dtype = np.dtype(dtype)
        self.name = name
        self.is_const = is_const

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, {self.dtype})"


class VectorArg(Argument):
    """An array: a pointer to its first element."""

    struct_char = "P"

    def declarator(self) -> str:
        """The parameter as C declares it."""
        return f"{'const ' if self.is_const else ''}{dtype_to_ctype(self.dtype)} *{self.name}"


class ScalarArg(Argument):
    """A number or a struct, by value."""

    def declarator(self) -> str:
        """The parameter as C declares it."""
        return f"{dtype_to_ctype(self.dtype)} {self.name}"

    @property
    def struct_char(self) -> str:
        """The letter of the struct module."""
        letter = self.dtype.char
        return f"{self.dtype.itemsize}s" if letter == "V" else letter


def parse_c_arg(c_arg: str) -> VectorArg | ScalarArg:
    """An argument from its C declaration, such as "const float *x". ValueError.

    `x[]` and `x[4]` are arrays, too.
    """
    text = _QUALIFIERS.sub(" ", c_arg)
    declarator = _DECLARATOR.search(text)
    if not declarator:
        raise ValueError(
            f"parse_c_arg(): {c_arg!r} isn't a C declaration of an argument, such as 'float *x'"
        )
    stars, name, extents = declarator.groups()
    if len(stars) > 1:
        raise ValueError(
            f"parse_c_arg(): {c_arg!r} is a pointer to pointers, and arrays can't hold pointers"
        )
    dtype = dtype_of(" ".join(text[: declarator.start()].split()))
    if stars or extents:
        before_star = c_arg.split("*")[0]
        return VectorArg(dtype, name, bool(re.search(r"\bconst\b", before_star)))
    return ScalarArg(dtype, name)


def get_arg_type(c_arg: str) -> str:
    """The letter of the struct module for an argument's C declaration. ValueError."""
    return parse_c_arg(c_arg).struct_char


def arguments_of(arguments: str | Sequence[Argument], call: str) -> list[VectorArg | ScalarArg]:
    """The arguments of a kernel: C declarations with commas between, or Argument objects.

    TypeError for anything else, ValueError for a name that comes twice.
    """
    if isinstance(arguments, str):
        listed: list[Any] = [parse_c_arg(one) for one in _split(arguments)]
    else:
        listed = list(arguments)
    for one in listed:
        if not isinstance(one, (VectorArg, ScalarArg)):
            raise TypeError(
                f"{call}: parameter 'arguments' must be C declarations or a list of VectorArg and "
                f"ScalarArg, not {type(one).__name__}"
            )
    names = [one.name for one in listed]
    if twice := {one for one in names if names.count(one) > 1}:
        raise ValueError(f"{call}: two arguments have the name {min(twice)!r}")
    return listed


def _split(text: str) -> list[str]:
    """The declarations of a list; commas in < > belong to a type."""
    parts = re.split(r",(?![^<]*>)", text)
    return [one for one in parts if one.strip()]
