"""The formulas of rules in C++: no sum or product wraps around."""

from __future__ import annotations

import ast
from collections.abc import Callable

from generator.formula import dotted, parsed


def formula(text: str, spell: Callable[[str], str] = str) -> str:
    """The formula in C++; `spell` gives the C++ for a name. Raises FormulaError."""
    return _cpp(parsed(text), spell)


def _cpp(node: ast.expr, spell: Callable[[str], str]) -> str:
    def inner(one: ast.expr) -> str:
        return _cpp(one, spell)

    match node:
        case ast.Name() | ast.Attribute():
            return spell(dotted(node))
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return f"saturated_sum({inner(left)}, {inner(right)})"
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return f"saturated_product({inner(left)}, {inner(right)})"
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return f"saturated_difference({inner(left)}, {inner(right)})"
        case ast.BinOp(left=left, right=right):
            return f"quotient({inner(left)}, {inner(right)})"
        case ast.Call(func=ast.Name(id=name), args=args):
            called = "it.element" if name == "element" else name
            return f"{called}({', '.join(map(inner, args))})"
        case ast.BoolOp(op=ast.And(), values=values):
            return f"({' && '.join(map(inner, values))})"
        case ast.BoolOp(values=[*others, last]):
            # As in Python: the first number that is not zero, or the first condition that holds.
            text = inner(last)
            for one in reversed(others):
                value = inner(one)
                text = f"({value} ? {value} : {text})"
            return text
        case ast.UnaryOp(operand=operand):
            return f"!{inner(operand)}"
        case ast.Compare(left=left, comparators=[right]):
            return f"({inner(left)} == {inner(right)})"
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return f"({inner(test)} ? {inner(body)} : {inner(orelse)})"
    return ast.unparse(node)
