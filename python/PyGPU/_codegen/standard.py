"""The reductions and scans that arrays have: sum, max, mean and the others, as expressions."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

from PyGPU._codegen.arguments import ScalarArg, VectorArg
from PyGPU._codegen.c_types import dtype_to_ctype
from PyGPU._codegen.reduction import Item, Reduction
from PyGPU._codegen.scan import Scan

DType = np.dtype[Any]
_Maker = TypeVar("_Maker", bound=Callable[..., Any])


def made_once(make: _Maker) -> _Maker:
    """A function that makes each of its results once. functools.cache would hide its types."""
    results: dict[tuple[Any, ...], Any] = {}

    @wraps(make)
    def result_of(*arguments: Any) -> Any:
        if arguments not in results:
            results[arguments] = make(*arguments)
        return results[arguments]

    return cast(_Maker, result_of)


def item_of(dtype: DType) -> Item:
    """In what numbers of a dtype are summed: floats of 2 bytes in float, as numpy does it."""
    if dtype.itemsize == 2 and dtype.kind in "fV":  # V is bfloat16's
        return Item("float", 4)
    return Item(dtype_to_ctype(dtype), dtype.itemsize)


def _x(dtype: DType, name: str = "x") -> VectorArg:
    return VectorArg(dtype, name, is_const=True)


@made_once
def total(operator: str, dtype: DType, result: DType, finish: str = "a") -> Reduction:
    """The sum (+) or the product (*) of all elements. `finish` makes a mean of it."""
    call = {"+": "sum", "*": "prod"}[operator] if finish == "a" else "mean"
    return Reduction(
        f"{call}()", [_x(dtype)], "pygpu_item(x[i])", f"a {operator} b",
        f"pygpu_item({'0' if operator == '+' else '1'})", result, item_of(result), finish,
        f"pygpu_{call}",
    )  # fmt: skip


def mean(dtype: DType, result: DType) -> Reduction:
    """The arithmetic mean."""
    real = f"float{8 * result.itemsize // 2}" if result.kind == "c" else result
    number = item_of(np.dtype(real)).name
    return total("+", dtype, result, f"(a / ({number})(n))")


@made_once
def variance(dtype: DType, mean: DType, result: DType, finish: str) -> Reduction:
    """The variance or, by sqrt as `finish`, the standard deviation; of the array and its mean."""
    difference = "(pygpu_number(x[i]) - m[i])"
    square = f"{difference} * {difference}"
    if dtype.kind == "c":
        square = f"pygpu_square{difference}"
    item = item_of(result)
    preamble = f"typedef {dtype_to_ctype(mean)} pygpu_number;\n"
    if dtype.kind == "c":
        preamble += (
            f"__device__ inline {item.name} pygpu_square(pygpu_number z) {{ "
            "return z.real() * z.real() + z.imag() * z.imag(); }\n"
        )
    call = "std" if finish else "var"
    return Reduction(
        f"{call}()", [_x(dtype), _x(mean, "m"), ScalarArg(np.float64, "ddof")], square, "a + b",
        "0", result, item, f"{finish}(a / pygpu_item(n > ddof ? n - ddof : 0))", f"pygpu_{call}",
        preamble=preamble,
    )  # fmt: skip


def _is_float(dtype: DType) -> bool:
    return dtype.kind in "fV"


def _ahead(which: str, dtype: DType) -> str:
    """Whether a is to be chosen before b: a NaN before all numbers, as in numpy."""
    ahead = f"a {'>' if which == 'max' else '<'} b"
    return f"({ahead} || a != a)" if _is_float(dtype) else f"({ahead})"


def _farthest(which: str, dtype: DType) -> str:
    """The number that max or min starts with."""
    if _is_float(dtype):
        bits = "__longlong_as_double(0x7ff0000000000000LL)"
        infinity = bits if dtype.itemsize == 8 else "__int_as_float(0x7f800000)"
        return f"-{infinity}" if which == "max" else infinity
    if dtype.kind == "b":
        return "false" if which == "max" else "true"
    limits = np.iinfo(dtype)
    number = limits.min if which == "max" else limits.max
    if number == np.iinfo(np.int64).min:
        return f"({number + 1}LL - 1)"
    return f"{number}{'ULL' if dtype.kind == 'u' else 'LL'}"


@made_once
def extreme(which: str, dtype: DType, at: DType | None = None) -> Reduction:
    """max or min; with `at` of the elements whose indices are in an array of that dtype."""
    call = f"subset_{which}" if at is not None else which
    arguments = [_x(dtype)] if at is None else [_x(at, "at"), _x(dtype)]
    item = item_of(dtype)
    return Reduction(
        f"{call}()", arguments, "x[i]" if at is None else "x[at[i]]",
        f"{_ahead(which, dtype)} ? a : b", f"pygpu_item({_farthest(which, dtype)})", dtype, item,
        name=f"pygpu_{call}",
    )  # fmt: skip


@made_once
def position(which: str, dtype: DType) -> Reduction:
    """argmax or argmin: the first index of the greatest or smallest element, or of a NaN."""
    number = item_of(dtype).name
    preamble = f"""
struct pygpu_best {{ {number} value; long long at; }};
__device__ inline bool pygpu_ahead({number} a, {number} b) {{ return {_ahead(which, dtype)}; }}
__device__ inline pygpu_best pygpu_first(pygpu_best a, pygpu_best b) {{
    if (a.at < 0 || b.at < 0) return a.at < 0 ? b : a;
    const bool ahead = pygpu_ahead(a.value, b.value), behind = pygpu_ahead(b.value, a.value);
    return ahead == behind ? (a.at < b.at ? a : b) : ahead ? a : b;
}}
"""
    return Reduction(
        f"arg{which}()", [_x(dtype)], "pygpu_best{x[i], (long long)i}", "pygpu_first(a, b)",
        f"pygpu_best{{({number})(0), -1}}", np.dtype(np.int64), Item("pygpu_best", 16), "a.at",
        f"pygpu_arg{which}", preamble=preamble,
    )  # fmt: skip


@made_once
def truth(which: str, dtype: DType) -> Reduction:
    """any or all."""
    number = item_of(dtype).name
    return Reduction(
        f"{which}()", [_x(dtype)], f"({number})(x[i]) != ({number})(0)",
        "a || b" if which == "any" else "a && b", "false" if which == "any" else "true",
        np.dtype(np.bool_), name=f"pygpu_{which}",
    )  # fmt: skip


@made_once
def product(
    call: str, one: DType, other: DType, result: DType, at: DType | None = None
) -> Reduction:
    """The sum of products: dot, vdot (which conjugates the first), subset_dot."""
    index = "[i]" if at is None else "[at[i]]"
    x, y = (f"pygpu_item({name}{index})" for name in ("x", "y"))
    if call == "vdot" and one.kind == "c":
        x = f"pygpu_item({x}.real(), -{x}.imag())"
    arguments = [_x(one), _x(other, "y")]
    if at is not None:
        arguments.insert(0, _x(at, "at"))
    return Reduction(
        f"{call}()", arguments, f"{x} * {y}", "a + b", "pygpu_item(0)", result, item_of(result),
        name=f"pygpu_{call}",
    )  # fmt: skip


@made_once
def subset_sum(at: DType, dtype: DType, result: DType) -> Reduction:
    """The sum of the elements whose indices are in an array."""
    return Reduction(
        "subset_sum()", [_x(at, "at"), _x(dtype)], "pygpu_item(x[at[i]])", "a + b",
        "pygpu_item(0)", result, item_of(result), name="pygpu_subset_sum",
    )  # fmt: skip


@made_once
def running(operator: str, dtype: DType, result: DType, in_rows: bool) -> Scan:
    """cumsum (+) or cumprod (*) of x into y; in rows of so many elements, if asked for."""
    call = {"+": "cumsum", "*": "cumprod"}[operator]
    arguments: list[VectorArg | ScalarArg] = [
        _x(dtype), VectorArg(result, "y"), ScalarArg(np.int64, "row"),
    ]  # fmt: skip
    joined = f"a {operator} b"
    return Scan(
        f"{call}()", arguments, result, "(pygpu_type)(x[i])",
        f"across_seg_boundary ? b : {joined}" if in_rows else joined, None,
        f"y[i] = ({dtype_to_ctype(result)})item", "i % row == 0" if in_rows else None,
        name=f"pygpu_{call}", item=item_of(result),
    )  # fmt: skip
