"""fuse(): a Python function of arrays as one kernel."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from PyGPU._codegen import loops, ufuncs
from PyGPU._codegen.arguments import ScalarArg, VectorArg
from PyGPU._codegen.operations import OPERATIONS
from PyGPU._kernels.base import Elementwise

# The dtype in which a number of Python comes to the kernel.
_NUMBERS = {bool: "?", int: "i8", float: "f8", complex: "c16"}


def fuse(function: Callable[..., Any] | None = None, *, kernel_name: str | None = None) -> Any:
    """A function of arrays and numbers that runs as one kernel, whatever it computes.

    @fuse
    def saxpy(a, x, y):
        return a * x + y

    The function is called once for each combination of dtypes, with objects that record what is
    done with them: operators, numpy's and PyGPU.cumath's elementwise functions, and
    `numpy.where()`. It must not depend on the elements: `if`, `while` and `int()` of an array raise
    TypeError. It returns one array, or a tuple of two. Dtypes, broadcasting, `out=` and `stream=`
    are as those of each operation by itself. A product may be added without being rounded first.

    It stands for cupy.fuse (https://docs.cupy.dev/en/stable/reference/generated/cupy.fuse.html).
    Calls raise TypeError and ValueError for wrong arguments, and GPUError.
    """
    if function is None:
        return functools.partial(fuse, kernel_name=kernel_name)
    return functools.wraps(function)(_Fused(function, kernel_name or function.__name__))


class _Fused:
    """The function that fuse() gives, and what makes its kernels."""

    def __init__(self, function: Callable[..., Any], name: str) -> None:
        self._function = function
        self._name = name if name.isidentifier() else "fused"
        self._calls: dict[int, Any] = {}  # by the number of arguments

    def __call__(self, *args: Any, out: Any = None, stream: Any = None) -> Any:
        count = len(args)
        if count not in self._calls:
            kinds = [getattr(one, "dtype", None) or type(one) for one in args]
            outputs = len(_traced(self._function, self._name, kinds)[1])
            maker = _Maker(self._function)
            self._calls[count] = Elementwise(maker, self._name, count, outputs, "function")
        return self._calls[count](*args, out=out, stream=stream)


class _Maker(ufuncs.Maker):
    """What the compiled type Elementwise asks; see kernels/elementwise.hpp."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def types(
        self, name: str, kinds: tuple[Any, ...], outputs: int
    ) -> tuple[loops.Loop, tuple[Any, ...], int, int]:
        """The loop for operands of these kinds."""
        trace, results = _traced(self._function, name, kinds[outputs:])
        if len(results) != outputs:
            raise TypeError(
                f"{name}(): a fused function must return the same number of arrays for all dtypes"
            )
        dtypes = [one.dtype for one in results]
        targets = ufuncs.targets_of(name, kinds[:outputs], dtypes)
        stores = [
            f"z{at}[i] = {ufuncs.stored(one.text, one.dtype, target)}"
            for at, (one, target) in enumerate(zip(results, targets, strict=True))
        ]
        arguments = (
            *(VectorArg(target, f"z{at}") for at, target in enumerate(targets)),
            *trace.arguments,
        )
        operation = "; ".join([*trace.statements, *stores])
        loop = loops.Loop(
            f"pygpu_fused_{name}", arguments, operation, ufuncs.PREAMBLE, is_ours=True
        )
        return loop, tuple(one.dtype for one in arguments), loops.pack_of(loop), 0


class _Trace:
    """The statements that a function's operations become."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.arguments: list[VectorArg | ScalarArg] = []
        self.statements: list[str] = []

    def argument(self, kind: Any) -> _Value:
        """The next argument of the function, of this kind."""
        name = f"x{len(self.arguments)}"
        if isinstance(kind, np.dtype):
            self.arguments.append(VectorArg(kind, name, is_const=True))
            return _Value(self, f"{name}[i]", kind, kind)
        dtype = np.dtype(_NUMBERS.get(kind, kind))
        argument = ScalarArg(dtype, name)
        self.arguments.append(argument)
        is_number = kind in _NUMBERS
        return _Value(self, name, dtype, kind if is_number else dtype,
                      argument=argument if kind is int else None)  # fmt: skip

    def value(self, value: Any) -> _Value:
        """A value of the function: recorded, or a constant."""
        if isinstance(value, _Value):
            return value
        if type(value) in _NUMBERS:
            dtype = np.dtype(_NUMBERS[type(value)])
            return _Value(self, "", dtype, type(value), constant=value)
        if isinstance(value, np.generic) and value.dtype.kind in "biufc":
            return _Value(self, _literal(value.item(), value.dtype), value.dtype, value.dtype)
        raise TypeError(
            f"{self.name}(): a fused function can't use a {type(value).__name__}: pass arrays and "
            "numbers as arguments"
        )

    def apply(self, name: str, operands: Sequence[Any]) -> Any:
        """The result of an operation on values; a tuple of several."""
        values = [self.value(one) for one in operands]
        inputs, results = ufuncs.resolved(name, [one.kind for one in values])
        taken = [one.operand(due) for one, due in zip(values, inputs, strict=True)]
        texts = ufuncs.expressions(name, taken, inputs, results)
        # Of numbers of Python alone comes a number of Python.
        is_number = all(one.kind in _NUMBERS for one in values)
        recorded = []
        for text, result in zip(texts, results, strict=True):
            local = f"t{len(self.statements)}"
            self.statements.append(f"const {ufuncs.computed(result)} {local} = {text}")
            kind = {"b": bool, "f": float, "c": complex}.get(result.kind, int)
            recorded.append(_Value(self, local, result, kind if is_number else result))
        return recorded[0] if len(recorded) == 1 else tuple(recorded)


def _traced(
    function: Callable[..., Any], name: str, kinds: Sequence[Any]
) -> tuple[_Trace, list[_Value]]:
    """What a function does with arguments of these kinds, and its results."""
    trace = _Trace(name)
    done = function(*[trace.argument(one) for one in kinds])
    results = [trace.value(one) for one in (done if isinstance(done, tuple) else (done,))]
    if len(results) not in (1, 2):
        raise TypeError(f"{name}(): a fused function returns one array or two, not {len(results)}")
    return trace, results


def _literal(value: Any, dtype: np.dtype[Any]) -> str:
    """A constant of C++."""
    kind = ufuncs.computed(dtype)
    if dtype.kind == "c":
        part = "float" if dtype.itemsize == 8 else "double"
        return f"{kind}(({part}){_real(value.real)}, ({part}){_real(value.imag)})"
    if dtype.kind == "f":
        return f"({kind}){_real(float(value))}"
    if dtype.kind == "b":
        return "true" if value else "false"
    if not -(2**63) <= value < 2**64:
        raise OverflowError(f"fuse(): the number {value} is out of range for 64 bits")
    return f"({kind}){value % 2**64}ull" if abs(value) >= 2**31 else f"({kind})({value})"


def _real(value: float) -> str:
    if math.isnan(value):
        return "__longlong_as_double(0x7ff8000000000000ll)"
    if math.isinf(value):
        sign = "f" if value < 0 else "7"
        return f"__longlong_as_double(0x{sign}ff0000000000000ll)"
    return f"({value.hex()})"


class _Value(np.lib.mixins.NDArrayOperatorsMixin):
    """A value that a fused function works with. numpy's class makes its operators."""

    __array_priority__ = 1000.0
    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self, trace: _Trace, text: str, dtype: np.dtype[Any], kind: Any, *, constant: Any = None,
        argument: ScalarArg | None = None,
    ) -> None:  # fmt: skip
        self._trace = trace
        self._constant = constant
        self._argument = argument
        self.text = text if constant is None else _literal(constant, dtype)
        self.dtype = dtype  # of `text`
        self.kind = kind  # what numpy resolves: the dtype, or the type of a number of Python

    def operand(self, due: np.dtype[Any]) -> tuple[str, np.dtype[Any]]:
        """The value as an operand of this dtype. OverflowError for a constant out of range."""
        if self._constant is not None:
            ufuncs.scalar(self._trace.name, self._constant, due)
            return _literal(due.type(self._constant).item(), due), due
        if self._argument and due.kind in "iu":
            # The call checks the number for the narrowest type that it is taken as.
            known = self._argument.dtype
            if due.itemsize < known.itemsize or (due.itemsize == known.itemsize == 8):
                self._argument.dtype = due
        return self.text, self.dtype

    def _elementwise_(self, name: str, operands: tuple[Any, ...]) -> Any:
        """What an elementwise function of PyGPU gives for this value."""
        return self._trace.apply(name, operands)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or options or ufunc.__name__ not in OPERATIONS:
            raise TypeError(
                f"{self._trace.name}(): a fused function can't use numpy.{ufunc.__name__}()"
            )
        return self._trace.apply(ufunc.__name__, inputs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if func.__name__ not in ("where", "clip") or kwargs:
            raise TypeError(
                f"{self._trace.name}(): a fused function can't use numpy.{func.__name__}()"
            )
        return self._trace.apply(func.__name__, args)

    def _refuse(self, *_: Any) -> Any:
        raise TypeError(
            f"{self._trace.name}(): a fused function must not depend on the elements: "
            "numpy.where() chooses between two values"
        )

    __bool__ = __int__ = __float__ = __complex__ = __index__ = __iter__ = __getitem__ = _refuse
