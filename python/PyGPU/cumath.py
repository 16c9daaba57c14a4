"""Elementwise mathematical functions of arrays; takes the place of `pycuda.cumath`.

Each takes GPUArrays of any layout, and of two arguments one may be a number. Types are numpy's:
float32 stays float32, int32 becomes float64. `out` is an array for the result, `stream` queues the
kernel. PyCUDA's second argument is either of them. TypeError for a dtype that the function lacks,
ValueError for shapes that don't fit, GPUError.
"""

from __future__ import annotations

from PyGPU._arrays.arithmetic import function as _function
from PyGPU._core import arrays as _arrays

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from PyGPU.gpuarray import GPUArray

    class _Unary(Protocol):
        def __call__(
            self, array: Any, stream_or_out: Any = None, /, *, out: Any = None, stream: Any = None
        ) -> GPUArray: ...

    class _Binary(Protocol):
        def __call__(
            self, a: Any, b: Any, /, stream: Any = None, *, out: Any = None
        ) -> GPUArray: ...


def _unary(name: str, summary: str, operation: str = "") -> _Unary:
    run = _function(operation or name, 1)

    def apply(
        array: Any, stream_or_out: Any = None, /, *, out: Any = None, stream: Any = None
    ) -> GPUArray:
        if isinstance(stream_or_out, _arrays.Array):
            out = stream_or_out
        elif stream_or_out is not None:
            stream = stream_or_out
        result: GPUArray = run(array, out=out, stream=stream)
        return result

    described: _Unary = _described(apply, name, summary)
    return described


def _binary(name: str, summary: str, operation: str = "") -> _Binary:
    run = _function(operation or name, 2)

    def apply(a: Any, b: Any, /, stream: Any = None, *, out: Any = None) -> GPUArray:
        result: GPUArray = run(a, b, out=out, stream=stream)
        return result

    described: _Binary = _described(apply, name, summary)
    return described


def _described(apply: Any, name: str, summary: str) -> Any:
    apply.__name__ = apply.__qualname__ = name
    apply.__doc__ = f"{summary}, for each element."
    return apply


fabs = _unary("fabs", "The absolute value as a float")
ceil = _unary("ceil", "The least integer that isn't smaller")
floor = _unary("floor", "The greatest integer that isn't greater")
trunc = _unary("trunc", "The integer part")
rint = _unary("rint", "The nearest integer, the even one of two")

exp = _unary("exp", "e to the power of the element")
exp2 = _unary("exp2", "2 to the power of the element")
expm1 = _unary("expm1", "e to the power of the element, less 1, exact near 0")
log = _unary("log", "The natural logarithm")
log2 = _unary("log2", "The logarithm to base 2")
log10 = _unary("log10", "The logarithm to base 10")
log1p = _unary("log1p", "The natural logarithm of the element plus 1, exact near 0")
sqrt = _unary("sqrt", "The square root")
rsqrt = _unary("rsqrt", "1 divided by the square root")
cbrt = _unary("cbrt", "The cube root")

sin = _unary("sin", "The sine of an angle in radians")
cos = _unary("cos", "The cosine of an angle in radians")
tan = _unary("tan", "The tangent of an angle in radians")
asin = arcsin = _unary("asin", "The inverse sine, in radians", "arcsin")
acos = arccos = _unary("acos", "The inverse cosine, in radians", "arccos")
atan = arctan = _unary("atan", "The inverse tangent, in radians", "arctan")
sinh = _unary("sinh", "The hyperbolic sine")
cosh = _unary("cosh", "The hyperbolic cosine")
tanh = _unary("tanh", "The hyperbolic tangent")
asinh = arcsinh = _unary("asinh", "The inverse hyperbolic sine", "arcsinh")
acosh = arccosh = _unary("acosh", "The inverse hyperbolic cosine", "arccosh")
atanh = arctanh = _unary("atanh", "The inverse hyperbolic tangent", "arctanh")
degrees = _unary("degrees", "An angle in radians in degrees")
radians = _unary("radians", "An angle in degrees in radians")

erf = _unary("erf", "The error function")
erfc = _unary("erfc", "1 less the error function")
erfinv = _unary("erfinv", "The inverse of the error function")
erfcinv = _unary("erfcinv", "The inverse of erfc()")
gamma = _unary("gamma", "The gamma function", "tgamma")
lgamma = _unary("lgamma", "The logarithm of the gamma function's absolute value")

fmod = _binary("fmod", "The remainder of a / b with the sign of a")
atan2 = arctan2 = _binary("atan2", "The angle of the point (b, a), in radians", "arctan2")
hypot = _binary("hypot", "The square root of a * a + b * b")
copysign = _binary("copysign", "a with the sign of b")
logaddexp = _binary("logaddexp", "The logarithm of exp(a) + exp(b)")
logaddexp2 = _binary("logaddexp2", "The logarithm to base 2 of exp2(a) + exp2(b)")

_ldexp = _function("ldexp", 2)
_ldexp_by_float = _function("ldexp_by_float", 2)
_frexp = _function("frexp", 1, outputs=2)
_modf = _function("modf", 1, outputs=2)


def ldexp(significand: Any, exponent: Any, stream: Any = None, *, out: Any = None) -> GPUArray:
    """`significand * 2**exponent`, for each pair of elements.

    A float's fraction doesn't count as exponent, as in PyCUDA; numpy takes only integers there.
    """
    kind = getattr(getattr(exponent, "dtype", None), "kind", "f" if type(exponent) is float else "")
    run = _ldexp_by_float if kind == "f" else _ldexp
    result: GPUArray = run(significand, exponent, out=out, stream=stream)
    return result


def frexp(arg: Any, stream: Any = None, *, out: Any = None) -> tuple[GPUArray, GPUArray]:
    """Significands and exponents with `arg == significand * 2**exponent`; exponents are int32."""
    result: tuple[GPUArray, GPUArray] = _frexp(arg, out=out, stream=stream)
    return result


def modf(arg: Any, stream: Any = None, *, out: Any = None) -> tuple[GPUArray, GPUArray]:
    """The fractional and the integer parts, both with the sign of the element."""
    result: tuple[GPUArray, GPUArray] = _modf(arg, out=out, stream=stream)
    return result


__all__ = [name for name in dir() if name.islower() and not name.startswith("_")]
__all__.remove("annotations")


def __getattr__(name: str) -> object:
    from PyGPU._names.missing import MissingNameError

    raise MissingNameError(__name__, name)
