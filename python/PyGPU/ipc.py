"""Arrays between processes of one machine: `share` in one, `open` in another.

    a = PyGPU.to_gpu(values, allocator=PyGPU.ipc.allocator)
    queue.put(PyGPU.ipc.share(a))     # in one process: small, and pickles

    b = PyGPU.ipc.open(queue.get())   # in another one: the same memory

Both processes use the same memory: a process that writes must notify the other. Keep the array
until the other process is done with it. NVIDIA's manual: CUDA runtime API, cudaIpcGetMemHandle.
"""

from __future__ import annotations

import itertools as _itertools
import os as _os
import weakref as _weakref
from typing import Any as _Any
from typing import NamedTuple as _NamedTuple

from PyGPU import _backend
from PyGPU import gpuarray as _gpuarray
from PyGPU._arrays import base as _arrays
from PyGPU._arrays.array import GPUArray as _GPUArray
from PyGPU._arrays.devices import last_error_kept as _last_error_kept
from PyGPU._errors import GPUError as _GPUError
from PyGPU._kernels import driver as _driver

__all__ = ["Shared", "allocator", "open", "share"]

_NO_TIMING, _INTERPROCESS = 2, 4
_LAZY_PEER_ACCESS = 1
_INVALID_VALUE = 1
_NO_RANGE = 201, 500  # what drivers say of memory that they haven't allocated

_numbers = _itertools.count()
_own: _weakref.WeakValueDictionary[int, _GPUArray] = _weakref.WeakValueDictionary()
_token = _os.urandom(16)  # sets this process apart from those with its number in other containers
# One for each device, recorded anew by each share(). It is not destroyed: another process may be
# about to open it.
_events: dict[int, _Any] = {}


class _Facts(_NamedTuple):
    memory: bytes
    event: bytes
    allocated: int
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    flipped: tuple[bool, ...]
    dtype: _Any
    readonly: bool
    bus_id: str
    process: int
    token: bytes
    number: int


class Shared:
    """What another process needs to open an array: it pickles, also for queues and pipes.

    The object that share() returned keeps the array alive; its copies don't.
    """

    __slots__ = ("_array", "_facts")

    def __init__(self, facts: _Facts, array: _GPUArray | None = None) -> None:
        self._facts, self._array = facts, array

    def __reduce__(self) -> _Any:
        return Shared, (self._facts,)

    def __repr__(self) -> str:
        facts = self._facts
        return (
            f"<PyGPU.ipc.Shared {facts.dtype} {facts.shape} of process {facts.process}, "
            f"device {facts.bus_id}>"
        )


def allocator(nbytes: int) -> _gpuarray.DeviceMemory:
    """Memory outside pools, for `allocator=` of arrays: other processes can open it. GPUError."""
    memory: _gpuarray.DeviceMemory = _arrays.plain_memory(nbytes)
    return memory


def share(array: _GPUArray) -> Shared:
    """What another process of this machine, and of this user, needs to open an array.

    Work of that process comes after all work that is queued on the array now. ValueError for memory
    that another process can't open: memory of pools (PyGPU's own, too), page-locked and managed
    memory. Make the array with `allocator=PyGPU.ipc.allocator`. TypeError if it isn't a GPUArray.
    GPUError.
    """
    if not isinstance(array, _GPUArray):
        raise TypeError(
            f"ipc.share(): parameter 'array' must be a GPUArray, not {type(array).__name__}"
        )
    checked = _backend.runtime(True)
    flipped = tuple(stride < 0 for stride in array.strides)
    whole = _turned(array, flipped)
    if not whole.size:
        raise ValueError("ipc.share(): an empty array has no memory to share")
    with _gpuarray.device(array.device):
        _driver.call("cuInit")(0)
        try:
            with _last_error_kept():
                base, allocated = _driver.call("cuMemGetAddressRange")(whole.ptr)
                memory = checked.cudaIpcGetMemHandle(int(base))
        except _GPUError as error:
            if int(error.error) not in (_INVALID_VALUE, *_NO_RANGE):
                raise
            raise ValueError(
                "ipc.share(): other processes can't open the array's memory: it is of a pool, "
                "page-locked or managed; make the array with allocator=PyGPU.ipc.allocator"
            ) from None
        with _gpuarray.Stream(True) as stream:
            _arrays.order_export(whole.gpudata, stream)
            event = _recorded(array.device, stream)
        number = next(_numbers)
        facts = _Facts(
            bytes(memory.reserved),
            bytes(checked.cudaIpcGetEventHandle(event).reserved),
            allocated,
            whole.ptr - int(base),
            whole.shape,
            whole.strides,
            flipped,
            whole.dtype,
            _arrays.is_readonly(whole.gpudata),
            checked.cudaDeviceGetPCIBusId(array.device),
            _os.getpid(),
            _token,
            number,
        )
    _own[number] = array
    return Shared(facts, array)


def open(shared: Shared) -> _GPUArray:
    """The array that another process shares, on the same memory.

    Work of this process comes after the work that was queued at the other one's share(). The
    process that shares gets the array itself. A read-only array is read-only here, too. The memory
    stays until both processes release it. ValueError if it is released already, or if the device
    isn't visible here. TypeError. GPUError.
    """
    if not isinstance(shared, Shared):
        raise TypeError(
            f"ipc.open(): parameter 'shared' must be what share() returned, not "
            f"{type(shared).__name__}"
        )
    checked, types = _backend.runtime(True), _backend.runtime(False)
    facts = shared._facts
    if (facts.process, facts.token) == (_os.getpid(), _token):
        if (own := _own.get(facts.number)) is None:
            raise ValueError("ipc.open(): this process doesn't share the array any more")
        return own
    try:
        with _last_error_kept():
            device = checked.cudaDeviceGetByPCIBusId(facts.bus_id)
    except _GPUError:
        raise ValueError(f"ipc.open(): device {facts.bus_id} isn't visible here") from None
    with _gpuarray.device(device):
        try:
            with _last_error_kept():
                base = checked.cudaIpcOpenMemHandle(
                    types.cudaIpcMemHandle_t(facts.memory), _LAZY_PEER_ACCESS
                )
        except _GPUError as error:
            if int(error.error) != _INVALID_VALUE:
                raise
            raise ValueError(
                f"ipc.open(): process {facts.process} doesn't share the array any more"
            ) from None
        close, on = checked.cudaIpcCloseMemHandle, _gpuarray.device

        def end() -> None:
            with on(device):
                close(base)

        memory = _arrays.lent_memory(
            int(base) + facts.offset, facts.allocated - facts.offset, device, end, facts.readonly
        )
        event = checked.cudaIpcOpenEventHandle(types.cudaIpcEventHandle_t(facts.event))
        _arrays.order_import(memory, int(event))
        checked.cudaEventDestroy(event)
    array = _GPUArray(facts.shape, facts.dtype, gpudata=memory, strides=facts.strides)
    return _turned(array, facts.flipped)


def _recorded(device: int, stream: _Any) -> _Any:
    """The device's event, recorded on a stream; a new event if a reset destroyed the old one."""
    checked = _backend.runtime(True)
    if (event := _events.get(device)) is not None:
        try:
            with _last_error_kept():
                checked.cudaEventRecord(event, stream)
            return event
        except _GPUError:
            pass
    event = _events[device] = _backend.runtime(False).cudaEvent_t(flags=_NO_TIMING | _INTERPROCESS)
    checked.cudaEventRecord(event, stream)
    return event


def _turned(array: _GPUArray, flipped: tuple[bool, ...]) -> _GPUArray:
    """A view with the flipped axes reversed, so that its memory starts at the lowest address."""
    turned: _GPUArray = array[tuple(slice(None, None, -1 if flip else 1) for flip in flipped)]
    return turned
