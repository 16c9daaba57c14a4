"""Choosing the device of new arrays, and waiting for what is queued."""

from __future__ import annotations

from _thread import _local

from PyGPU import _backend
from PyGPU._arrays import base as _core
from PyGPU._arrays import sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class last_error_kept:  # noqa: N801, quicker than a context manager of a generator
    """A failure inside the block raises, but isn't left behind as the thread's last error."""

    __slots__ = ("_earlier",)

    def __enter__(self) -> None:
        self._earlier = _backend.runtime(False).cudaPeekAtLastError()

    def __exit__(self, kind: object, *_: object) -> None:
        if kind and not self._earlier:
            _backend.runtime(False).cudaGetLastError()


class _Entered(_local):
    """The devices that were current before this thread's with-blocks, the innermost last."""

    def __init__(self) -> None:
        self.before: list[int] = []


class device:  # noqa: N801, users call it like a function
    """`with PyGPU.device(1):` makes a device current, and restores the earlier one at the end.

    One object may be used several times, also nested, and by several threads. GPUError for a device
    that isn't there.
    """

    __slots__ = ("_entered", "number")

    def __init__(self, number: Any) -> None:
        self.number = sequence.number(number, "device(): a device's number")
        self._entered = _Entered()

    def __enter__(self) -> device:
        runtime = _backend.runtime(True)
        with last_error_kept():
            before = runtime.cudaGetDevice()
            # Also if it is current: a new thread has device 0, but the driver has no context there.
            runtime.cudaSetDevice(self.number)
        self._entered.before.append(before)
        return self

    def __exit__(self, *_: object) -> None:
        with last_error_kept():
            _backend.runtime(True).cudaSetDevice(self._entered.before.pop())

    def __repr__(self) -> str:
        return f"<PyGPU.device {self.number}>"


def ready(array: Any) -> bool:
    """Whether PyGPU's queued work on an array is done: a GPUArray, or a numpy array.

    For the arrays that `get_async()` returns and `set_async()` takes. TypeError if it isn't an
    array, GPUError if the work failed.
    """
    if isinstance(array, _core.Array):
        return bool(array._ready(False))
    return bool(_core.host_ready(_of_host(array, "ready()"), False))


def wait(array: Any) -> Any:
    """Waits until `ready(array)`, and returns the array. GPUError if the work failed."""
    if isinstance(array, _core.Array):
        array._ready(True)
    else:
        _core.host_ready(_of_host(array, "wait()"), True)
    return array


def _of_host(array: Any, call: str) -> Any:
    if not hasattr(array, "__array_interface__"):
        raise TypeError(
            f"{call}: the argument must be a GPUArray or a numpy array, not {type(array).__name__}"
        )
    return array
