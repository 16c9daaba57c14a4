"""set() and get() in all their forms."""

from __future__ import annotations

from PyGPU._arrays import base as _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def set_(array: Any, ary: Any, async_: bool = False, stream: Any = None) -> None:
    """GPUArray.set(): see there."""
    import numpy as np

    on_device = isinstance(ary, _core.Array)
    if not on_device:
        ary = np.asarray(ary)
    if ary.size != array.size:
        raise ValueError(f"set(): 'ary' has {ary.size} elements, the array {array.size}")
    if ary.dtype != array.dtype:
        raise ValueError(f"set(): 'ary' is of {ary.dtype}, the array of {array.dtype}")
    if ary.shape != array.shape:
        ary = ary.reshape(array.shape)
    if on_device:
        from PyGPU._arrays.assign import copy_to

        copy_to(array, ary, stream)
    else:
        array._upload(ary, stream, bool(async_))


def get(
    array: Any, ary: Any = None, pagelocked: bool = False, async_: bool = False, stream: Any = None
) -> Any:
    """GPUArray.get(): see there."""
    import numpy as np

    if ary is None:
        from PyGPU._arrays.order import compact_strides
        from PyGPU._arrays.pinned import pagelocked_strided

        if pagelocked or async_:
            strides = compact_strides(array.shape, array.strides, array.itemsize, "K")
            ary = pagelocked_strided(array.shape, array.dtype, strides)
        else:
            from PyGPU._arrays.order import empty

            strides = compact_strides(array.shape, array.strides, array.itemsize, "K")
            ary = empty(array.shape, array.dtype, strides)
    elif not isinstance(ary, np.ndarray):
        raise TypeError(f"get(): 'ary' must be a numpy array, not {type(ary).__name__}")
    plain = np.asarray(ary)  # a class derived in Python may say anything of itself
    if plain.dtype != array.dtype:
        raise TypeError(f"get(): 'ary' is of {plain.dtype}, the array of {array.dtype}")
    if plain.size != array.size:
        raise ValueError(f"get(): 'ary' has {plain.size} elements, the array {array.size}")
    same = plain if plain.shape == array.shape else plain.reshape(array.shape)
    if same is not plain and not np.shares_memory(same, plain) and plain.size:
        raise ValueError(f"get(): 'ary' of shape {plain.shape} can't be seen as {array.shape}")
    array._download(same, stream, bool(async_))
    return ary
