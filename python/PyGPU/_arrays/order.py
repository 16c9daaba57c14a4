"""Orders of axes: C, F, A (F where the other is F), K (as the other's strides are)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy as np


def empty(shape: tuple[int, ...], dtype: Any, strides: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """A numpy array whose axes lie in memory in the order of `strides`."""
    import numpy as np

    axes = sorted(range(len(shape)), key=lambda axis: -strides[axis])
    packed = np.empty([shape[axis] for axis in axes], dtype)
    return packed.transpose([axes.index(axis) for axis in range(len(shape))])


def compact_strides(
    shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int, order: str
) -> tuple[int, ...]:
    """The strides of a compact array of this shape; for "K" in the order of `strides`."""
    axes = list(range(len(shape)))
    if order == "K":
        axes.sort(key=lambda axis: -abs(strides[axis]))
    elif order == "F":
        axes.reverse()
    result = [0] * len(shape)
    for axis in reversed(axes):
        result[axis] = itemsize
        itemsize *= max(shape[axis], 1)
    return tuple(result)


def check(order: str, call: str) -> str:
    """The order as one of "C", "F", "A", "K"; ValueError otherwise."""
    if not isinstance(order, str) or order.upper() not in ("C", "F", "A", "K"):
        raise ValueError(f"{call}: parameter 'order' must be one of C, F, A, K, not {order!r}")
    return order.upper()
