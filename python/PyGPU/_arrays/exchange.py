"""Arrays on the memory of other libraries' arrays, and copies where that can't be."""

from __future__ import annotations

from contextlib import suppress

from PyGPU._arrays import base as _core
from PyGPU._arrays import refuse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from PyGPU._arrays.array import GPUArray

_CPU = 1  # DLPack's device type
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
    another device is copied. Data on a device is not converted to another `dtype`: TypeError.
    Work on `stream` comes after what the other library has queued. That library gets its memory
    back when the last array on it ends. PyGPU waits for unfinished work first, because the library
    may use the memory again at once, on any stream.
    """
    made = _shared(obj, "asarray()", stream)
    if made is not None and dtype is not None:
        import numpy as np

        if made.dtype != np.dtype(dtype):
            if isinstance(obj, _core.Array) or not refuse.on_host():
                raise TypeError(refuse.conversion(made.dtype, np.dtype(dtype)))
            made = None
    if made is None:
        made, copy = _of_host(obj, dtype, copy, stream), None
    return _moved(made, device, copy, stream, "asarray()")


def shared(obj: Any, call: str, stream: Any = None) -> GPUArray | None:
    """The array on a device's memory that another library exports; None for what is of the host."""
    return None if isinstance(obj, _core.Array) else _shared(obj, call, stream)


def moved(obj: Any, device: int | None, copy: bool | None, stream: Any) -> GPUArray:
    """What from_dlpack() does with `device`, and with `copy` True."""
    if device is not None and _is_of_host(obj) and not refuse.on_host():
        import numpy as np

        if copy is False:
            raise BufferError("from_dlpack(): the memory is the host's: it must be copied")
        with _on(device):
            return _core.to_gpu(np.from_dlpack(obj), None, stream)
    return _moved(_core.from_dlpack(obj, stream=stream), device, copy, stream, "from_dlpack()")


def _on(device: int) -> Any:
    from PyGPU._arrays.devices import device as on

    return on(device)


def _is_of_host(obj: Any) -> bool:
    return int(obj.__dlpack_device__()[0]) == _CPU


def _moved(
    made: GPUArray, device: int | None, copy: bool | None, stream: Any, call: str
) -> GPUArray:
    if device is None or device == made.device:
        return made.copy(stream=stream) if copy else made
    if copy is False:
        raise BufferError(
            f"{call}: the memory is of device {made.device}: for {device} it must be copied"
        )
    with _on(device):
        there = _core.empty(made.shape, made.dtype, stream=stream)
    there.set(made, stream=stream)
    return there


def _shared(obj: Any, call: str, stream: Any) -> GPUArray | None:
    """As shared(), but of a GPUArray itself, too, and of the host's memory on the host runtime."""
    if isinstance(obj, _core.Array):
        return obj  # type: ignore[return-value]
    kind = type(obj)
    if kind in _PLAIN:
        return None
    if hasattr(kind, "__dlpack__"):
        return _by_dlpack(obj, call, stream)
    interface = getattr(obj, "__cuda_array_interface__", None)
    return None if interface is None else _core.from_interface(obj, interface, stream, call)


def _by_dlpack(obj: Any, call: str, stream: Any) -> GPUArray | None:
    host = refuse.on_host()
    if _is_of_host(obj) and not host:
        return None
    try:
        return _core.from_dlpack(obj, stream=stream)
    except BufferError:
        # numpy takes structures of the host; others say more by the array interface, but for torch,
        # whose interface doesn't tell a conjugate from what it is the conjugate of.
        torchs = hasattr(obj, "resolve_conj")
        interface = None if host or torchs else getattr(obj, "__cuda_array_interface__", None)
        if interface is None and not (host and _is_of_host(obj)):
            raise
    return None if interface is None else _core.from_interface(obj, interface, stream, call)


def _shares(values: Any, obj: Any) -> bool:
    """Whether numpy made an array on the very memory of an object."""
    import numpy as np

    try:
        memory = obj if isinstance(obj, np.ndarray) else np.frombuffer(obj, np.uint8)
    except (TypeError, ValueError):
        return False
    return bool(np.may_share_memory(values, memory))


def _of_host(obj: Any, dtype: Any, copy: bool | None, stream: Any) -> GPUArray:
    """The array of elements of the host's, on the same memory where the device is the host."""
    from PyGPU._arrays.values import from_data

    if copy is False and not refuse.on_host():
        raise BufferError("asarray(): the elements are the host's, they must be copied")
    values = from_data(obj, dtype, "asarray()")
    if copy is False and not _shares(values, obj):
        raise BufferError("asarray(): the elements must be copied, or converted")
    if refuse.on_host() and not copy and type(obj) not in _PLAIN - {bytes}:
        with suppress(BufferError):  # numpy has none for structures, say
            return _core.from_dlpack(values)
    if copy is False:
        raise BufferError("asarray(): the elements must be copied")
    return _core.to_gpu(values, None, stream)
