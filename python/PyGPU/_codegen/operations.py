"""numpy's elementwise operations in C++, for each kind of operand."""

from __future__ import annotations

from typing import NamedTuple


class Operation(NamedTuple):
    """An expression for each result, by kinds of dtypes: "b", "iu", "f", "c"; "" is for the others.

    `x`, `y`, `w` and `v` are the operands, converted as numpy's function of the same name converts
    them. An operation that is no function of numpy's says in `types` how: a letter for each
    operand, and one for the result. "t" is the type that all operands with this letter have
    together, "b" is bool, "a" the operand's own type, and "f" the type of numpy.cbrt's result for
    the first operand.
    """

    inputs: int
    expressions: dict[str, tuple[str, ...]]
    types: str = ""

    def of_kind(self, kind: str) -> tuple[str, ...]:
        """The expressions for a dtype's kind."""
        for kinds, expressions in self.expressions.items():
            if kind in kinds:
                return expressions
        return self.expressions[""]


def _unary(expression: str, **by_kind: str) -> Operation:
    return Operation(1, {**{kinds: (one,) for kinds, one in by_kind.items()}, "": (expression,)})


def _binary(expression: str, **by_kind: str) -> Operation:
    return Operation(2, {**{kinds: (one,) for kinds, one in by_kind.items()}, "": (expression,)})


OPERATIONS: dict[str, Operation] = {
    "add": _binary("x + y", b="x || y", iu="pygpu::add(x, y)"),
    "subtract": _binary("x - y", iu="pygpu::subtract(x, y)"),
    "multiply": _binary("x * y", b="x && y", iu="pygpu::multiply(x, y)"),
    "divide": _binary("x / y"),
    "floor_divide": _binary("pygpu::floor_divide(x, y)"),
    "remainder": _binary("pygpu::remainder(x, y)"),
    "fmod": _binary("pygpu::fmod(x, y)"),
    "divmod": Operation(2, {"": ("pygpu::floor_divide(x, y)", "pygpu::remainder(x, y)")}),
    "power": _binary("pygpu::power(x, y)", c="pow(x, y)"),
    "float_power": _binary("pow(x, y)"),
    "negative": _unary("-x", iu="pygpu::negative(x)"),
    "positive": _unary("x"),
    "absolute": _unary("x", i="x < 0 ? pygpu::negative(x) : x", f="fabs(x)", c="abs(x)"),
    "sign": _unary("pygpu::sign(x)"),
    "square": _unary("x * x", iu="pygpu::multiply(x, x)"),
    "reciprocal": _unary("x == 0 ? 0 : 1 / x", f="1 / x", c="1 / x"),
    "conjugate": _unary("x", c="conj(x)"),
    "invert": _unary("~x", b="!x"),
    "bitwise_and": _binary("x & y"),
    "bitwise_or": _binary("x | y"),
    "bitwise_xor": _binary("x ^ y"),
    "left_shift": _binary("pygpu::left_shift(x, y)"),
    "right_shift": _binary("pygpu::right_shift(x, y)"),
    "equal": _binary("x == y", iu="pygpu::equal(x, y)"),
    "not_equal": _binary("x != y", iu="!pygpu::equal(x, y)"),
    "less": _binary("x < y", iu="pygpu::less(x, y)", c="pygpu::less(x, y)"),
    "less_equal": _binary("x <= y", iu="!pygpu::less(y, x)", c="pygpu::less_equal(x, y)"),
    "greater": _binary("x > y", iu="pygpu::less(y, x)", c="pygpu::less(y, x)"),
    "greater_equal": _binary("x >= y", iu="!pygpu::less(x, y)", c="pygpu::less_equal(y, x)"),
    "logical_and": _binary("x != 0 && y != 0"),
    "logical_or": _binary("x != 0 || y != 0"),
    "logical_xor": _binary("(x != 0) != (y != 0)"),
    "logical_not": _unary("x == 0"),
    "maximum": _binary("pygpu::maximum(x, y)"),
    "minimum": _binary("pygpu::minimum(x, y)"),
    "fmax": _binary("pygpu::fmax(x, y)"),
    "fmin": _binary("pygpu::fmin(x, y)"),
    "isnan": _unary("false", f="isnan(x)", c="pygpu::is_nan(x)"),
    "isinf": _unary("false", f="isinf(x)", c="isinf(x.real()) || isinf(x.imag())"),
    "isfinite": _unary("true", f="isfinite(x)", c="isfinite(x.real()) && isfinite(x.imag())"),
    "signbit": _unary("signbit(x)"),
    "copysign": _binary("copysign(x, y)"),
    **{
        one: _unary(f"{one}(x)")
        for one in (
            "exp",
            "exp2",
            "expm1",
            "log",
            "log2",
            "log10",
            "log1p",
            "sqrt",
            "cbrt",
            "sin",
            "cos",
            "tan",
            "sinh",
            "cosh",
            "tanh",
            "rint",
            "fabs",
        )
    },
    **{f"arc{one}": _unary(f"a{one}(x)") for one in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    **{one: _unary("x", f=f"{one}(x)") for one in ("ceil", "floor", "trunc")},
    "arctan2": _binary("atan2(x, y)"),
    "hypot": _binary("hypot(x, y)"),
    "logaddexp": _binary("pygpu::log_of_sum(x, y)"),
    "logaddexp2": _binary("pygpu::log2_of_sum(x, y)"),
    "heaviside": _binary("x == 0 ? y : x < 0 ? 0 : x > 0 ? 1 : x"),
    **{one: _unary("x * decltype(x)(180 / M_PI)") for one in ("degrees", "rad2deg")},
    **{one: _unary("x * decltype(x)(M_PI / 180)") for one in ("radians", "deg2rad")},
    "frexp": Operation(1, {"": ("pygpu::fraction(x)", "pygpu::exponent(x)")}),
    "ldexp": _binary("pygpu::scaled(x, y)"),
    "modf": Operation(1, {"": ("copysign(isinf(x) ? 0 : x - trunc(x), x)", "trunc(x)")}),
    # No functions of numpy's, with types of their own
    **{
        one: Operation(1, {"": (f"{one}(x)",)}, "ff")
        for one in ("erf", "erfc", "erfinv", "erfcinv", "rsqrt", "tgamma", "lgamma")
    },
    "ldexp_by_float": Operation(2, {"": ("pygpu::scaled(x, y)",)}, "faf"),
    "where": Operation(3, {"": ("x ? y : w",)}, "bttt"),
    "if_positive": Operation(3, {"": ("x > 0 ? y : w",)}, "attt"),
    "clip": Operation(3, {"": ("pygpu::minimum(pygpu::maximum(x, y), w)",)}, "tttt"),
    "mul_add": Operation(
        4,
        {
            "iu": ("pygpu::add(pygpu::multiply(x, y), pygpu::multiply(w, v))",),
            "": ("x * y + w * v",),
        },
        "ttttt",
    ),
}
