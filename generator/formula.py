"""The lengths in bytes that rules give: a small expression over parameters, or over fields.

`pitched(pitch, width, height)` is the number of bytes that rows of `width` bytes span, `pitch`
bytes apart. `box(pitch, rows, x, y, z, width, height, depth)` is the number of bytes up to the end
of a box that begins at (x, y, z), in layers of `rows` rows. `element(array)` is the size of an
array's element, 1 without an array. A field of a struct is written with dots, conditions as in
Python. No difference is less than 0, and a quotient by 0 is 0.
"""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Mapping
from functools import cache

from generator.errors import GeneratorError

# The functions that a formula may call, each with its number of arguments. `element` is only for
# formulas over fields.
CALLS = {"pitched": 3, "box": 8}
CALLS_ON_FIELDS = {"element": 1}
# A longer formula could nest deeper than Python allows.
_LONGEST = 600
# Keywords of Python that may be names in C; without those that formulas use as such.
_WORDS = "|".join(sorted({*keyword.kwlist} - {"and", "or", "not", "if", "else"}))
_HIDDEN = "__of_c"


class FormulaError(GeneratorError):
    """The text isn't a formula: it has more than names, numbers, operators and the calls above."""


def parameters(text: str) -> frozenset[str]:
    """The parameters that a formula is made of. Raises FormulaError."""
    return frozenset(name.partition(".")[0] for name in _names(parsed(text), CALLS))


def fields(text: str) -> frozenset[str]:
    """The fields that a formula of a struct is made of, with their dots. Raises FormulaError."""
    return frozenset(_names(parsed(text), {**CALLS, **CALLS_ON_FIELDS}))


def called(text: str) -> tuple[str, tuple[str, ...]] | None:
    """The function and arguments, if the whole formula is one call. Raises FormulaError."""
    match parsed(text):
        case ast.Call(func=ast.Name(id=name), args=args):
            return name, tuple(map(ast.unparse, args))
    return None


@cache
def parsed(text: str) -> ast.expr:
    """The formula's syntax, which nobody changes. Raises FormulaError."""
    if len(text) > _LONGEST:
        raise FormulaError(f"a length of {len(text)} letters: {_LONGEST} at most")
    try:
        hidden = re.sub(rf"\b({_WORDS})\b", rf"\1{_HIDDEN}", text)
        return ast.parse(hidden, mode="eval").body
    except (SyntaxError, ValueError, MemoryError):
        raise FormulaError(f"{text!r} is not a length") from None


def _names(node: ast.expr, calls: Mapping[str, int]) -> list[str]:
    parts: list[ast.expr]
    match node:
        case ast.Name() | ast.Attribute():
            return [dotted(node)]
        case ast.Constant(value=int()):
            return []
        case ast.BinOp(
            left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.FloorDiv(), right=right
        ):
            parts = [left, right]
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if calls.get(name) == len(
            args
        ):
            parts = args
        case ast.BoolOp(values=values):
            parts = values
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            parts = [operand]
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
            parts = [left, right]
        case ast.IfExp(test=test, body=body, orelse=orelse):
            parts = [test, body, orelse]
        case _:
            raise FormulaError(f"{ast.unparse(node)!r} can't be part of a length")
    return [name for part in parts for name in _names(part, calls)]


def dotted(node: ast.expr) -> str:
    """A name as the formula has it, with its dots."""
    match node:
        case ast.Name(id=name):
            return name.removesuffix(_HIDDEN)
        case ast.Attribute(value=value, attr=name):
            return f"{dotted(value)}.{name.removesuffix(_HIDDEN)}"
    raise FormulaError(f"{ast.unparse(node)!r} isn't a name")
