"""Elementwise functions of arrays that no operator stands for."""

from __future__ import annotations

from PyGPU._arrays.arithmetic import function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_where = function("where", 3)
_if_positive = function("if_positive", 3)
_clip = function("clip", 3)
_mul_add = function("mul_add", 4)
_maximum = function("maximum", 2)
_minimum = function("minimum", 2)
_conjugate = function("conjugate", 1)
_logical = {
    "and": function("logical_and", 2),
    "or": function("logical_or", 2),
    "not": function("logical_not", 1),
}


def where(criterion: Any, then_: Any, else_: Any, out: Any = None, stream: Any = None) -> Any:
    """The elements of `then_` where `criterion` is true (not 0), else those of `else_`.

    Arrays and numbers, broadcast; the result has the dtype of both together. ValueError for shapes
    that don't fit, TypeError, GPUError.
    """
    return _where(criterion, then_, else_, out=out, stream=stream)


def if_positive(criterion: Any, then_: Any, else_: Any, out: Any = None, stream: Any = None) -> Any:
    """The elements of `then_` where `criterion` is greater than 0, else those of `else_`."""
    return _if_positive(criterion, then_, else_, out=out, stream=stream)


def maximum(a: Any, b: Any, out: Any = None, stream: Any = None) -> Any:
    """The greater one of each two elements; NaN if one is NaN. Arrays and numbers, broadcast."""
    return _maximum(a, b, out=out, stream=stream)


def minimum(a: Any, b: Any, out: Any = None, stream: Any = None) -> Any:
    """The smaller one of each two elements; NaN if one is NaN. Arrays and numbers, broadcast."""
    return _minimum(a, b, out=out, stream=stream)


def clip(
    a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, stream: Any = None, *,
    min: Any = None, max: Any = None,
) -> Any:  # fmt: skip
    """The elements of `a`, but none below `a_min` or above `a_max`; None is no limit.

    `min` and `max` are numpy 2's names of the same. ValueError without any limit.
    """
    a_min, a_max = a_min if min is None else min, a_max if max is None else max
    if a_min is None and a_max is None:
        raise ValueError("clip(): parameters 'a_min' and 'a_max' must not both be None")
    if a_min is None:
        return _minimum(a, a_max, out=out, stream=stream)
    if a_max is None:
        return _maximum(a, a_min, out=out, stream=stream)
    return _clip(a, a_min, a_max, out=out, stream=stream)


def logical_and(x1: Any, x2: Any, /, out: Any = None, *, stream: Any = None) -> Any:
    """Whether both elements are true (not 0): bools. Arrays and numbers, broadcast."""
    return _logical["and"](x1, x2, out=out, stream=stream)


def logical_or(x1: Any, x2: Any, /, out: Any = None, *, stream: Any = None) -> Any:
    """Whether one of two elements is true (not 0): bools. Arrays and numbers, broadcast."""
    return _logical["or"](x1, x2, out=out, stream=stream)


def logical_not(x: Any, /, out: Any = None, *, stream: Any = None) -> Any:
    """Whether an element is false (0): bools."""
    return _logical["not"](x, out=out, stream=stream)


class ElementwiseMethods:
    """Elementwise methods of GPUArray."""

    __slots__ = ()

    def conj(self, out: Any = None, stream: Any = None) -> Any:
        """The complex conjugates; the array itself if it is real. GPUError."""
        if out is None and self.dtype.kind != "c":  # type: ignore[attr-defined]
            return self
        return _conjugate(self, out=out, stream=stream)

    conjugate = conj

    def clip(self, min: Any = None, max: Any = None, out: Any = None, stream: Any = None) -> Any:
        """The elements, but none below `min` or above `max`; None is no limit."""
        return clip(self, min, max, out, stream)

    def mul_add(
        self, selffac: Any, other: Any, otherfac: Any, add_timer: Any = None, stream: Any = None,
        out: Any = None,
    ) -> Any:  # fmt: skip
        """`selffac * self + otherfac * other` by one kernel."""
        if add_timer is not None:
            raise ValueError(
                "mul_add(): parameter 'add_timer' must be None; measure the time with events "
                "(PyGPU.driver.Event)"
            )
        return _mul_add(self, selffac, other, otherfac, out=out, stream=stream)

    def reverse(self, stream: Any = None) -> Any:
        """A new array with the elements in reverse order, of one axis."""
        if self.ndim != 1:  # type: ignore[attr-defined]
            raise ValueError(
                "reverse(): the array must have one axis; a[::-1] reverses the first of several"
            )
        return self[::-1].copy(stream=stream)  # type: ignore[index]
