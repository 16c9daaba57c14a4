"""Operators of GPUArray: each is a kernel, made when first used."""

from __future__ import annotations

from PyGPU._base.late import Late
from PyGPU._core import kernels

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MAKER = Late("PyGPU._codegen.ufuncs")


def function(name: str, inputs: int, form: str = "function", outputs: int = 1) -> Any:
    """numpy's elementwise function of this name, for arrays on a device.

    `form` is how Python calls it: a function, or an operator (kernels/elementwise.hpp).
    """
    return kernels.Elementwise(_MAKER, name, inputs, outputs, form)


class Arithmetic:
    """The operators, with numpy's rules for types and shapes."""

    __slots__ = ()

    __add__ = function("add", 2, "forward")
    __radd__ = function("add", 2, "reflected")
    __iadd__ = function("add", 2, "in_place")
    __sub__ = function("subtract", 2, "forward")
    __rsub__ = function("subtract", 2, "reflected")
    __isub__ = function("subtract", 2, "in_place")
    __mul__ = function("multiply", 2, "forward")
    __rmul__ = function("multiply", 2, "reflected")
    __imul__ = function("multiply", 2, "in_place")
    __truediv__ = function("divide", 2, "forward")
    __rtruediv__ = function("divide", 2, "reflected")
    __itruediv__ = function("divide", 2, "in_place")
    __floordiv__ = function("floor_divide", 2, "forward")
    __rfloordiv__ = function("floor_divide", 2, "reflected")
    __ifloordiv__ = function("floor_divide", 2, "in_place")
    __mod__ = function("remainder", 2, "forward")
    __rmod__ = function("remainder", 2, "reflected")
    __imod__ = function("remainder", 2, "in_place")
    __divmod__ = function("divmod", 2, "forward", outputs=2)
    __rdivmod__ = function("divmod", 2, "reflected", outputs=2)
    __pow__ = function("power", 2, "forward")
    __rpow__ = function("power", 2, "reflected")
    __ipow__ = function("power", 2, "in_place")
    __and__ = function("bitwise_and", 2, "forward")
    __rand__ = function("bitwise_and", 2, "reflected")
    __iand__ = function("bitwise_and", 2, "in_place")
    __or__ = function("bitwise_or", 2, "forward")
    __ror__ = function("bitwise_or", 2, "reflected")
    __ior__ = function("bitwise_or", 2, "in_place")
    __xor__ = function("bitwise_xor", 2, "forward")
    __rxor__ = function("bitwise_xor", 2, "reflected")
    __ixor__ = function("bitwise_xor", 2, "in_place")
    __lshift__ = function("left_shift", 2, "forward")
    __rlshift__ = function("left_shift", 2, "reflected")
    __ilshift__ = function("left_shift", 2, "in_place")
    __rshift__ = function("right_shift", 2, "forward")
    __rrshift__ = function("right_shift", 2, "reflected")
    __irshift__ = function("right_shift", 2, "in_place")

    __eq__ = function("equal", 2, "comparison")
    __ne__ = function("not_equal", 2, "comparison")
    __lt__ = function("less", 2, "comparison")
    __le__ = function("less_equal", 2, "comparison")
    __gt__ = function("greater", 2, "comparison")
    __ge__ = function("greater_equal", 2, "comparison")

    __neg__ = function("negative", 1, "forward")
    __pos__ = function("positive", 1, "forward")
    __abs__ = function("absolute", 1, "forward")
    __invert__ = function("invert", 1, "forward")
