"""asarray(): arrays on the memory of other libraries' arrays, and copies if it can't be shared."""

from __future__ import annotations

from contextlib import suppress

from PyGPU._arrays import base as _core
from PyGPU._arrays import refuse
from PyGPU._arrays.values import from_data
from PyGPU._base.late import Late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy as np

    from PyGPU._arrays.array import GPUArray
else:
    np = Late("numpy")

_PLAIN = {bool, int, float, complex, str, bytes, list, tuple}


def asarray(
    obj: Any,
    dtype: Any = None,
    copy: bool | None = None,
    *,
    device: int | None = None,
    stream: Any = None,
) -> GPUArray:
    """A GPUArray of anything that is an array, without a copy if possible.

    A GPUArray is returned as it is. Memory from DLPack or the CUDA Array Interface is shared, and
    so is the device memory of a DeviceArray. Numpy arrays, buffers and numbers are copied to the
    device; the host runtime shares numpy arrays and buffers, too. `copy` True always copies. False
    never does: it raises BufferError. `device` is the number of the array's device; an array on
    another device is copied, and so is one of another `dtype`, which is converted. Work on
    `stream` comes after what the other library has queued. That library gets its memory back when
    the last array on it ends. PyGPU waits for unfinished work first, because the library may use
    the memory again at once, on any stream.
    """
    array = _core.shared(obj, "asarray()", stream)
    if array is not None and dtype is not None and array.dtype != np.dtype(dtype):
        if copy is False:
            raise BufferError(
                "asarray(): copy=False is impossible: for another dtype the elements must be copied"
            )
        array, copy = array.astype(dtype, stream=stream), None
    elif array is None:
        array, copy = _of_host(obj, dtype, copy, stream), None
    return _core.placed(array, device, copy, stream, "asarray()")


def _shares(values: Any, obj: Any) -> bool:
    """Whether numpy made an array on the very memory of an object."""
    try:
        memory = obj if isinstance(obj, np.ndarray) else np.frombuffer(obj, np.uint8)
    except (TypeError, ValueError):
        return False
    return bool(np.may_share_memory(values, memory))


def _of_host(obj: Any, dtype: Any, copy: bool | None, stream: Any) -> GPUArray:
    """A GPUArray of elements in host memory; on the host runtime it shares memory if possible."""
    if copy is False and not refuse.on_host():
        raise BufferError("asarray(): copy=False is impossible: the elements are in host memory")
    values = from_data(obj, dtype, "asarray()")
    if copy is False and not _shares(values, obj):
        raise BufferError("asarray(): copy=False is impossible: the elements must be copied")
    if refuse.on_host() and not copy and type(obj) not in _PLAIN - {bytes}:
        with suppress(BufferError):  # numpy makes no DLPack of structs, say
            return _core.from_dlpack(values)
    if copy is False:
        raise BufferError("asarray(): copy=False is impossible: the elements must be copied")
    return _core.to_gpu(values, None, stream)
