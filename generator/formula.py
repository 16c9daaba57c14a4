"""The lengths in bytes that rules give: a small expression over parameter names.

`pitched(pitch, width, height)` are the bytes that rows of `width` bytes span, `pitch` bytes apart.
"""

from __future__ import annotations

import ast


class FormulaError(ValueError):
    """A length that isn't names, numbers, sums, products and pitched(pitch, width, height)."""


def names(text: str) -> frozenset[str]:
    """The parameters that a length is made of. Raises FormulaError."""
    return frozenset(_names(_parse(text)))


def cpp(text: str) -> str:
    """The length in C++: no sum or product wraps around. Raises FormulaError."""
    return text if text.isidentifier() else _cpp(_parse(text))


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


def _cpp(node: ast.expr) -> str:
    match node:
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return f"saturated_sum({_cpp(left)}, {_cpp(right)})"
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return f"saturated_product({_cpp(left)}, {_cpp(right)})"
        case ast.Call(args=args):
            return f"pitched({', '.join(map(_cpp, args))})"
    return ast.unparse(node)
