"""Sums, maxima, means and the like of arrays, by kernels that are made when first used.

Result dtypes are numpy's: PyCUDA's sum of int32 is int32 and may overflow, this one is int64.
"""

from __future__ import annotations

from PyGPU._arrays import base as _core
from PyGPU._base.late import Late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy as np

    from PyGPU._codegen import loading, standard
else:
    np = Late("numpy")
    loading, standard = Late("PyGPU._codegen.loading"), Late("PyGPU._codegen.standard")

# Kernels for arrays of a dtype whose results have the default dtype, by names.
_made: dict[tuple[str, Any], Any] = {}


def sum(
    a: Any, dtype: Any = None, stream: Any = None, allocator: Any = None, *,
    axis: Any = None, keepdims: bool = False,
) -> Any:  # fmt: skip
    """The sum of all elements, or of those along an axis or several; an array without axes.

    The dtype is numpy's: integers are summed in 64 bits, float16 in float32, and rounded once.
    TypeError if the elements aren't numbers, GPUError.
    """
    kernel = _kernel("sum", a, dtype, _total)
    return _reduced(kernel, a, axis, keepdims, stream, allocator)


def prod(
    a: Any, dtype: Any = None, stream: Any = None, allocator: Any = None, *,
    axis: Any = None, keepdims: bool = False,
) -> Any:  # fmt: skip
    """The product of all elements, or of those along axes; its dtype is that of `sum()`."""
    kernel = _kernel("prod", a, dtype, _total)
    return _reduced(kernel, a, axis, keepdims, stream, allocator)


def max(
    a: Any, stream: Any = None, allocator: Any = None, *, axis: Any = None,
    keepdims: bool = False,
) -> Any:  # fmt: skip
    """The greatest element, or those along axes. If there is a NaN, that is the result.

    ValueError without elements, TypeError for complex numbers, GPUError.
    """
    return _extreme("max", a, axis, keepdims, stream, allocator)


def min(
    a: Any, stream: Any = None, allocator: Any = None, *, axis: Any = None,
    keepdims: bool = False,
) -> Any:  # fmt: skip
    """The smallest element, or those along axes. If there is a NaN, that is the result.

    ValueError without elements, TypeError for complex numbers, GPUError.
    """
    return _extreme("min", a, axis, keepdims, stream, allocator)


def argmax(
    a: Any, axis: Any = None, *, keepdims: bool = False, stream: Any = None,
    allocator: Any = None,
) -> Any:  # fmt: skip
    """The index of the greatest element, as numpy counts: the first, or the first NaN. GPUError.

    With an axis, the index along it for each of the others.
    """
    return _position("max", a, axis, keepdims, stream, allocator)


def argmin(
    a: Any, axis: Any = None, *, keepdims: bool = False, stream: Any = None,
    allocator: Any = None,
) -> Any:  # fmt: skip
    """The index of the smallest element; see `argmax()`."""
    return _position("min", a, axis, keepdims, stream, allocator)


def any(
    a: Any, stream: Any = None, allocator: Any = None, *, axis: Any = None,
    keepdims: bool = False,
) -> Any:  # fmt: skip
    """Whether an element isn't 0: a bool, or bools along axes. GPUError."""
    kernel = _kernel("any", a, None, _truth)
    return _reduced(kernel, a, axis, keepdims, stream, allocator)


def all(
    a: Any, stream: Any = None, allocator: Any = None, *, axis: Any = None,
    keepdims: bool = False,
) -> Any:  # fmt: skip
    """Whether no element is 0: a bool, or bools along axes. GPUError."""
    kernel = _kernel("all", a, None, _truth)
    return _reduced(kernel, a, axis, keepdims, stream, allocator)


def mean(
    a: Any, dtype: Any = None, stream: Any = None, allocator: Any = None, *,
    axis: Any = None, keepdims: bool = False,
) -> Any:  # fmt: skip
    """The arithmetic mean of all elements, or along axes; float64 for integers. GPUError."""
    kernel = _kernel("mean", a, dtype, _mean)
    return _reduced(kernel, a, axis, keepdims, stream, allocator)


def var(
    a: Any, dtype: Any = None, stream: Any = None, allocator: Any = None, *,
    axis: Any = None, ddof: float = 0, keepdims: bool = False,
) -> Any:  # fmt: skip
    """The variance of all elements, or along axes, with n - ddof as divisor; reads `a` twice."""
    return _variance("", a, dtype, axis, ddof, keepdims, stream, allocator)


def std(
    a: Any, dtype: Any = None, stream: Any = None, allocator: Any = None, *,
    axis: Any = None, ddof: float = 0, keepdims: bool = False,
) -> Any:  # fmt: skip
    """The standard deviation, the square root of `var()`."""
    return _variance("sqrt", a, dtype, axis, ddof, keepdims, stream, allocator)


def dot(a: Any, b: Any, dtype: Any = None, stream: Any = None, allocator: Any = None) -> Any:
    """The sum of the products of all elements, as PyCUDA's; arrays of two axes, too, have one sum.

    The dtype is that of a * b. ValueError for arrays of different sizes, GPUError.
    """
    return _product("dot", a, b, dtype, stream, allocator)


def vdot(a: Any, b: Any, dtype: Any = None, stream: Any = None, allocator: Any = None) -> Any:
    """`dot()` with the first array's complex conjugates."""
    return _product("vdot", a, b, dtype, stream, allocator)


def subset_sum(
    subset: Any, a: Any, dtype: Any = None, stream: Any = None, allocator: Any = None
) -> Any:
    """The sum of the elements whose indices are in `subset`. No index is checked. GPUError."""
    result = _sum_dtype("subset_sum()", a, dtype)
    kernel = standard.subset_sum(_index_dtype("subset_sum()", subset), a.dtype, result)
    return _whole(kernel, [subset, a], stream, allocator)


def subset_dot(
    subset: Any, a: Any, b: Any, dtype: Any = None, stream: Any = None,
    allocator: Any = None,
) -> Any:  # fmt: skip
    """The sum of a[j] * b[j] for the indices j in `subset`. No index is checked. GPUError."""
    call = "subset_dot()"
    result = _product_dtype(call, a, b, dtype)
    at = _index_dtype(call, subset)
    kernel = standard.product("subset_dot", a.dtype, b.dtype, result, at)
    return _whole(kernel, [subset, a, b], stream, allocator)


def subset_max(subset: Any, a: Any, stream: Any = None, allocator: Any = None) -> Any:
    """The greatest element of those whose indices are in `subset`. No index is checked."""
    return _subset_extreme("max", subset, a, stream, allocator)


def subset_min(subset: Any, a: Any, stream: Any = None, allocator: Any = None) -> Any:
    """The smallest element of those whose indices are in `subset`. No index is checked."""
    return _subset_extreme("min", subset, a, stream, allocator)


def cumsum(
    a: Any, axis: Any = None, dtype: Any = None, *, stream: Any = None, allocator: Any = None
) -> Any:
    """The sums up to each element in C order, on one axis; or along an axis. GPUError.

    The dtype is that of `sum()`.
    """
    return _running("+", a, axis, dtype, stream, allocator)


def cumprod(
    a: Any, axis: Any = None, dtype: Any = None, *, stream: Any = None, allocator: Any = None
) -> Any:
    """The products up to each element; see `cumsum()`."""
    return _running("*", a, axis, dtype, stream, allocator)


class Reductions:
    """The methods of GPUArray that reduce it, with numpy's order of parameters."""

    __slots__ = ()

    def sum(
        self: Any, axis: Any = None, dtype: Any = None, *, keepdims: bool = False,
        stream: Any = None, allocator: Any = None,
    ) -> Any:  # fmt: skip
        """`PyGPU.gpuarray.sum()`."""
        return sum(self, dtype, stream, allocator, axis=axis, keepdims=keepdims)

    def prod(
        self: Any, axis: Any = None, dtype: Any = None, *, keepdims: bool = False,
        stream: Any = None, allocator: Any = None,
    ) -> Any:  # fmt: skip
        """`PyGPU.gpuarray.prod()`."""
        return prod(self, dtype, stream, allocator, axis=axis, keepdims=keepdims)

    def max(
        self: Any, axis: Any = None, *, keepdims: bool = False, stream: Any = None,
        allocator: Any = None,
    ) -> Any:  # fmt: skip
        """`PyGPU.gpuarray.max()`."""
        return max(self, stream, allocator, axis=axis, keepdims=keepdims)

    def min(
        self: Any, axis: Any = None, *, keepdims: bool = False, stream: Any = None,
        allocator: Any = None,
    ) -> Any:  # fmt: skip
        """`PyGPU.gpuarray.min()`."""
        return min(self, stream, allocator, axis=axis, keepdims=keepdims)

    def argmax(
        self: Any, axis: Any = None, *, keepdims: bool = False, stream: Any = None,
        allocator: Any = None,
    ) -> Any:  # fmt: skip
        """`PyGPU.gpuarray.argmax()`."""
        return argmax(self, axis, keepdims=keepdims, stream=stream, allocator=allocator)

    def argmin(
        self: Any, axis: Any = None, *, keepdims: bool = False, stream: Any = None,
        allocator: Any = None,
    ) -> Any:  # fmt: skip
        """`PyGPU.gpuarray.argmin()`."""
        return argmin(self, axis, keepdims=keepdims, stream=stream, allocator=allocator)

    def any(
        self: Any, axis: Any = None, *, keepdims: bool = False, stream: Any = None,
        allocator: Any = None,
    ) -> Any:  # fmt: skip
        """`PyGPU.gpuarray.any()`."""
        return any(self, stream, allocator, axis=axis, keepdims=keepdims)

    def all(
        self: Any, axis: Any = None, *, keepdims: bool = False, stream: Any = None,
        allocator: Any = None,
    ) -> Any:  # fmt: skip
        """`PyGPU.gpuarray.all()`."""
        return all(self, stream, allocator, axis=axis, keepdims=keepdims)

    def mean(
        self: Any, axis: Any = None, dtype: Any = None, *, keepdims: bool = False,
        stream: Any = None, allocator: Any = None,
    ) -> Any:  # fmt: skip
        """`PyGPU.gpuarray.mean()`."""
        return mean(self, dtype, stream, allocator, axis=axis, keepdims=keepdims)

    def var(
        self: Any, axis: Any = None, dtype: Any = None, *, ddof: float = 0,
        keepdims: bool = False, stream: Any = None, allocator: Any = None,
    ) -> Any:  # fmt: skip
        """`PyGPU.gpuarray.var()`."""
        return var(self, dtype, stream, allocator, axis=axis, ddof=ddof, keepdims=keepdims)

    def std(
        self: Any, axis: Any = None, dtype: Any = None, *, ddof: float = 0,
        keepdims: bool = False, stream: Any = None, allocator: Any = None,
    ) -> Any:  # fmt: skip
        """`PyGPU.gpuarray.std()`."""
        return std(self, dtype, stream, allocator, axis=axis, ddof=ddof, keepdims=keepdims)

    def cumsum(
        self: Any, axis: Any = None, dtype: Any = None, *, stream: Any = None,
        allocator: Any = None,
    ) -> Any:  # fmt: skip
        """`PyGPU.gpuarray.cumsum()`."""
        return cumsum(self, axis, dtype, stream=stream, allocator=allocator)

    def cumprod(
        self: Any, axis: Any = None, dtype: Any = None, *, stream: Any = None,
        allocator: Any = None,
    ) -> Any:  # fmt: skip
        """`PyGPU.gpuarray.cumprod()`."""
        return cumprod(self, axis, dtype, stream=stream, allocator=allocator)

    def dot(
        self: Any, b: Any, *, dtype: Any = None, stream: Any = None, allocator: Any = None
    ) -> Any:
        """The dot product of two arrays of one axis. `PyGPU.gpuarray.dot()` takes others, too.

        TypeError for arrays of two axes and more, whose dot product in numpy is a matrix.
        """
        if self.ndim > 1 or getattr(b, "ndim", 1) > 1:
            raise TypeError(
                "dot(): matrix products aren't implemented: on a card, cupy.asarray(a) @ "
                "cupy.asarray(b) is one; PyGPU.gpuarray.dot(a, b) sums the products of all "
                "elements, as PyCUDA's"
            )
        return dot(self, b, dtype, stream, allocator)


# What numpy's functions of these names do with a GPUArray.
OF_NUMPY = {
    **{name: value for name, value in vars(Reductions).items() if not name.startswith("_")},
    "amax": Reductions.max,
    "amin": Reductions.min,
    "vdot": vdot,
}


def _kernel(name: str, a: Any, dtype: Any, make: Any) -> Any:
    """The kernel of this name for an array; `make(name, a, dtype)` makes it."""
    if dtype is not None or not isinstance(a, _core.Array):
        return make(name, a, dtype)
    key = (name, a.dtype)
    kernel = _made.get(key)
    if kernel is None:
        kernel = _made[key] = make(name, a, None)
    return kernel


def _total(name: str, a: Any, dtype: Any) -> Any:
    result = _sum_dtype(f"{name}()", a, dtype)
    return standard.total("+" if name == "sum" else "*", a.dtype, result)


def _truth(name: str, a: Any, _: Any) -> Any:
    _check_numbers(f"{name}()", a)
    return standard.truth(name, a.dtype)


def _mean(name: str, a: Any, dtype: Any) -> Any:
    result = _mean_dtype(f"{name}()", a, dtype)
    return standard.mean(a.dtype, result)


def _farthest(name: str, a: Any, _: Any) -> Any:
    _check_numbers(f"{name}()", a)
    if a.dtype.kind == "c":
        raise TypeError(f"{name}(): complex numbers have no order")
    return standard.extreme(name, a.dtype)


def _reduced(
    kernel: Any, a: Any, axis: Any, keepdims: bool, stream: Any, allocator: Any, *more: Any
) -> Any:
    """What a reduction makes of an array, and of more arguments."""

    def axes() -> Any:
        return None if axis is None else _axes(a, axis, kernel.call)

    if more:
        result = kernel([a, *more], axes(), None, stream, allocator)
    else:
        result = kernel.of(a, axis, axes, stream, allocator)
    return result.reshape(_kept_shape(a, axes())) if keepdims else result


def _running(operator: str, a: Any, axis: Any, dtype: Any, stream: Any, allocator: Any) -> Any:
    call = "cumsum()" if operator == "+" else "cumprod()"
    result = _sum_dtype(call, a, dtype)
    if axis is not None and len(_axes(a, axis, call)) != 1:
        raise TypeError(f"{call}: parameter 'axis' must be one axis, not {axis!r}")
    shape = (a.size,) if axis is None else a.shape
    with loading.on_device(a.device):
        out = _core.empty(shape, result, allocator or a.allocator, stream=stream)
    x, y, row = a, out, a.size
    if axis is not None:  # the axis comes last, and each row is a segment
        (at,) = _axes(a, axis, call)
        order = [one for one in range(a.ndim) if one != at] + [at]
        x, y, row = a.transpose(order), out.transpose(order), a.shape[at]
    kernel = standard.running(operator, a.dtype, result, row != a.size)
    kernel([x, y, row], None, stream, allocator)
    return out


def _whole(kernel: Any, values: list[Any], stream: Any, allocator: Any) -> Any:
    return kernel(values, None, None, stream, allocator)


def _axes(a: Any, axis: Any, call: str) -> Any:
    return a._axes(axis, call)


def _kept_shape(a: Any, axes: Any) -> tuple[int, ...]:
    return tuple(1 if axes is None or at in axes else extent for at, extent in enumerate(a.shape))


def _check_numbers(call: str, a: Any, parameter: str = "a") -> None:
    if not isinstance(a, _core.Array):
        raise TypeError(
            f"{call}: parameter {parameter!r} must be a GPUArray, not {type(a).__name__}"
        )
    dtype = a.dtype
    if dtype.kind not in "biufc" and dtype.name != "bfloat16":
        raise TypeError(f"{call}: elements of {dtype} aren't numbers")
    if not dtype.isnative:
        raise TypeError(
            f"{call}: elements of {dtype.str} have the byte order of another machine: "
            f"a.astype({dtype.newbyteorder('=').name!r}) converts them"
        )


def _checked_dtype(call: str, a: Any, dtype: Any) -> Any:
    """The dtype that a caller asked for. TypeError for an axis in its place, and for a cut."""
    if isinstance(dtype, (int, tuple)):
        raise TypeError(
            f"{call}: the first parameter is 'dtype', as in PyCUDA; write axis={dtype!r}"
        )
    result = np.dtype(dtype)
    if (
        result.kind not in "biufc"
        or not result.isnative
        or (a.dtype.kind == "c" and result.kind != "c")
    ):
        raise TypeError(f"{call}: parameter 'dtype': {a.dtype} can't be summed as {result}")
    return result


def _sum_dtype(call: str, a: Any, dtype: Any) -> Any:
    _check_numbers(call, a)
    if dtype is not None:
        return _checked_dtype(call, a, dtype)
    if a.dtype.kind in "bi":
        return np.dtype(np.int64)
    return np.dtype(np.uint64) if a.dtype.kind == "u" else a.dtype


def _mean_dtype(call: str, a: Any, dtype: Any) -> Any:
    _check_numbers(call, a)
    if dtype is not None:
        return _checked_dtype(call, a, dtype)
    return np.dtype(np.float64) if a.dtype.kind in "biu" else a.dtype


def _product_dtype(call: str, a: Any, b: Any, dtype: Any) -> Any:
    _check_numbers(call, a)
    _check_numbers(call, b, "b")
    if a.size != b.size:
        raise ValueError(f"{call}: the arrays have {a.size} and {b.size} elements")
    common = np.result_type(a.dtype, b.dtype)
    if dtype is None:
        return common
    return _checked_dtype(call, b, _checked_dtype(call, a, dtype))


def _index_dtype(call: str, subset: Any) -> Any:
    _check_numbers(call, subset, "subset")
    if subset.dtype.kind not in "iu":
        raise TypeError(f"{call}: parameter 'subset' must have indices, not {subset.dtype}")
    return subset.dtype


def _check_some(call: str, a: Any, axes: Any) -> None:
    """ValueError where there is no element to choose."""
    extents = a.shape if axes is None else [a.shape[axis] for axis in axes]
    if a.dtype.kind == "c":
        raise TypeError(f"{call}: complex numbers have no order")
    if 0 in extents:
        raise ValueError(f"{call}: the array has no elements, shape {a.shape}")


def _extreme(which: str, a: Any, axis: Any, keepdims: bool, stream: Any, allocator: Any) -> Any:
    kernel = _kernel(which, a, None, _farthest)
    if not a.size:
        _check_some(kernel.call, a, None if axis is None else _axes(a, axis, kernel.call))
    return _reduced(kernel, a, axis, keepdims, stream, allocator)


def _subset_extreme(which: str, subset: Any, a: Any, stream: Any, allocator: Any) -> Any:
    call = f"subset_{which}()"
    _check_numbers(call, a)
    at = _index_dtype(call, subset)
    _check_some(call, a, None)
    if not subset.size:
        raise ValueError(f"{call}: parameter 'subset' has no indices")
    return _whole(standard.extreme(which, a.dtype, at), [subset, a], stream, allocator)


def _position(which: str, a: Any, axis: Any, keepdims: bool, stream: Any, allocator: Any) -> Any:
    call = f"arg{which}()"
    _check_numbers(call, a)
    axes = None if axis is None else _axes(a, axis, call)
    _check_some(call, a, axes)
    if axes is not None and len(axes) != 1:
        raise TypeError(f"{call}: parameter 'axis' must be one axis, not {axis!r}")
    if axes is None and not a.flags.c_contiguous:
        axes = range(a.ndim)  # in C order, not in that of memory
    result = standard.position(which, a.dtype)([a], axes, None, stream, allocator)
    return result.reshape(_kept_shape(a, None if axis is None else axes)) if keepdims else result


def _variance(
    finish: str, a: Any, dtype: Any, axis: Any, ddof: float, keepdims: bool, stream: Any,
    allocator: Any,
) -> Any:  # fmt: skip
    call = "std()" if finish else "var()"
    number = _mean_dtype(call, a, dtype)
    if number.kind not in "fc" or (number.kind == "c" and a.dtype.kind != "c"):
        raise TypeError(
            f"{call}: parameter 'dtype': the deviation of {a.dtype} can't be a {number}"
        )
    result = np.dtype(f"f{number.itemsize // 2}") if number.kind == "c" else number
    inside = np.dtype(np.float32) if number.itemsize == 2 else number  # no rounded mean
    mean = _reduced(standard.mean(a.dtype, inside), a, axis, True, stream, allocator)
    strides = [
        0 if extent == 1 else stride
        for extent, stride in zip(mean.shape, mean.strides, strict=True)
    ]
    spread = mean._view(a.shape, strides, 0, inside)
    kernel = standard.variance(a.dtype, inside, result, finish)
    return _reduced(kernel, a, axis, keepdims, stream, allocator, spread, ddof)


def _product(call: str, a: Any, b: Any, dtype: Any, stream: Any, allocator: Any) -> Any:
    result = _product_dtype(f"{call}()", a, b, dtype)
    kernel = standard.product(call, a.dtype, b.dtype, result)
    return _whole(kernel, [a, b], stream, allocator)
