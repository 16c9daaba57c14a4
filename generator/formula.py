"""The lengths in bytes that rules give: a small expression over parameter names.

The text is also a C++ expression, with the parameters as variables and `pitched` as a function.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping


class FormulaError(ValueError):
    """A length that isn't names, numbers, sums, products and pitched(pitch, width, height)."""


def pitched(pitch: int, width: int, height: int) -> int:
    """Bytes that `height` rows of `width` bytes span, each `pitch` bytes after the one before."""
    return (height - 1) * pitch + width if height and width else 0


def names(text: str) -> frozenset[str]:
    """The parameters that a length is made of. Raises FormulaError."""
    return frozenset(_names(_parse(text)))


def evaluate(text: str, values: Mapping[str, int]) -> int:
    """The length for given arguments, in bytes. Raises FormulaError, KeyError."""
    return _evaluate(_parse(text), values)


def _parse(text: str) -> ast.expr:
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError:
        raise FormulaError(f"{text!r} is not a length") from None


def _names(node: ast.expr) -> list[str]:
    match node:
        case ast.Name(id=name):
            return [name]
        case ast.Constant(value=int()):
            return []
        case ast.BinOp(left=left, op=ast.Add() | ast.Mult(), right=right):
            return _names(left) + _names(right)
        case ast.Call(func=ast.Name(id="pitched"), args=[_, _, _] as args, keywords=[]):
            return [name for arg in args for name in _names(arg)]
    raise FormulaError(f"{ast.unparse(node)!r} is no part of a length")


def _evaluate(node: ast.expr, values: Mapping[str, int]) -> int:
    match node:
        case ast.Name(id=name):
            return values[name]
        case ast.Constant(value=int(number)):
            return number
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _evaluate(left, values) + _evaluate(right, values)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _evaluate(left, values) * _evaluate(right, values)
        case ast.Call(args=[pitch, width, height]):
            return pitched(*(_evaluate(arg, values) for arg in (pitch, width, height)))
    raise FormulaError(f"{ast.unparse(node)!r} is no part of a length")
