"""Orders of axes: C, F, A (F if the other array is F and not C), K (the other array's order)."""

from __future__ import annotations

from PyGPU._base.late import Late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy as np
else:
    np = Late("numpy")


def empty(shape: tuple[int, ...], dtype: Any, strides: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """A numpy array whose axes lie in memory in the order of `strides`."""
    axes = sorted(range(len(shape)), key=lambda axis: -strides[axis])
    packed = np.empty([shape[axis] for axis in axes], dtype)
    turned: np.ndarray[Any, Any] = packed.transpose(*(axes.index(at) for at in range(len(shape))))
    return turned


def compact_strides(
    shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int, order: str
) -> tuple[int, ...]:
    """The strides of a compact array of this shape; for "K" in the order of `strides`."""
    axes = list(range(len(shape)))
    if order == "K":
        axes = axes_in_memory(strides)
    elif order == "F":
        axes.reverse()
    result = [0] * len(shape)
    for axis in reversed(axes):
        result[axis] = itemsize
        itemsize *= max(shape[axis], 1)
    return tuple(result)


def axes_in_memory(strides: tuple[int, ...]) -> list[int]:
    """The axes from the greatest stride to the smallest; axes of equal strides keep their order."""
    return sorted(range(len(strides)), key=lambda axis: -abs(strides[axis]))


def like(other: Any, itemsize: int, order: str | None, call: str) -> tuple[int, ...]:
    """Compact strides for a new array with another's shape, in order C, F, A or K (the default)."""
    order = check("K" if order is None else order, call)
    if order in "AK" and other.flags.c_contiguous:
        order = "C"
    elif order == "A":
        order = "F" if other.flags.f_contiguous else "C"
    return compact_strides(other.shape, other.strides, itemsize, order)


def check(order: str, call: str) -> str:
    """The order as one of "C", "F", "A", "K"; ValueError otherwise."""
    if not isinstance(order, str) or order.upper() not in ("C", "F", "A", "K"):
        raise ValueError(f"{call}: parameter 'order' must be one of C, F, A, K, not {order!r}")
    return order.upper()
