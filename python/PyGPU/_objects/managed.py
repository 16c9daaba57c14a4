"""PyGPU.ManagedMemory: memory that the host and devices share, with advice on its place."""

from __future__ import annotations

from operator import index
from typing import NamedTuple

import numpy as np

from PyGPU import _backend, gpuarray
from PyGPU._arrays.pinned import without_objects

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, SupportsIndex, TypeAlias

    from typing_extensions import Self

    _Location: TypeAlias = "SupportsIndex | Host"  # a device, by its number or object, or the host


class Host(NamedTuple):
    """The host as a place of memory; `numa_id` names one of its NUMA nodes (CUDA 12.2)."""

    numa_id: int | None = None


class ManagedMemory:
    """Managed memory: one address for the host and all devices, and pages that move.

    memory = PyGPU.ManagedMemory(4000)
    x = memory.host_array(1000, "f4")     # numpy's, and
    a = memory.array(1000, "f4")          # PyGPU's array on the same bytes
    memory.prefetch(PyGPU.Device(), stream=stream)

    Wait for a device's work before the host reads or writes. Advice changes where pages are, and
    so the speed, but no result. Places are devices (a number, a PyGPU.Device) and PyGPU.Host().
    Devices that can't move pages (`concurrent_managed_access` is 0) refuse advice with a GPUError.
    The memory lives as long as arrays use it.
    """

    __slots__ = ("__weakref__", "_memory")

    def __init__(self, size: int, *, preferred_location: _Location | None = None) -> None:
        self._memory = gpuarray.HostMemory(size, True)
        if preferred_location is not None:
            self.preferred_location = preferred_location

    @classmethod
    def of(cls, array: np.ndarray[Any, Any]) -> Self:
        """The memory of an array of managed_empty() or managed_zeros()."""
        below: Any = array
        while below is not None and not isinstance(below, gpuarray.HostMemory):
            below = below.obj if isinstance(below, memoryview) else getattr(below, "base", None)
        if below is None or not below.managed:
            raise TypeError("ManagedMemory.of(): the array is not in PyGPU's managed memory")
        self = cls.__new__(cls)
        self._memory = below
        return self

    @property
    def size(self) -> int:
        """Its bytes."""
        return self._memory.size

    def host_array(
        self, shape: int | Sequence[int], dtype: Any = float, *, offset: int = 0
    ) -> np.ndarray[Any, Any]:
        """A numpy array on it, `offset` bytes from its begin."""
        memory: Any = self._memory
        bytes_ = np.frombuffer(memory, "u1")  # unlike np.ndarray(), it keeps the buffer
        array: np.ndarray[Any, Any] = np.ndarray(shape, without_objects(dtype), bytes_, offset)
        return array

    def array(
        self, shape: int | Sequence[int], dtype: Any = float, *, offset: int = 0
    ) -> gpuarray.GPUArray:
        """A PyGPU array on it, `offset` bytes from its begin."""
        within = self.host_array(shape, dtype, offset=offset)  # checks that it fits
        bytes_ = gpuarray.GPUArray(self.size, "u1", gpudata=self._memory)
        part: gpuarray.GPUArray = bytes_[offset : offset + within.nbytes].view(within.dtype)
        return part.reshape(within.shape)

    # ---- Advice ----------------------------------------------------------------------------------

    @property
    def read_mostly(self) -> bool:
        """Whether each device that reads may have a copy of its own; writing ends the copies."""
        return bool(self._ask("ReadMostly"))

    @read_mostly.setter
    def read_mostly(self, on: bool) -> None:
        self._advise(f"{'Set' if on else 'Unset'}ReadMostly", 0)

    @property
    def preferred_location(self) -> int | Host | None:
        """Where pages should be: a device's number, Host(), or None for no place."""
        return _place(self._ask("PreferredLocation"))

    @preferred_location.setter
    def preferred_location(self, place: _Location | None) -> None:
        if place is None:
            self._advise("UnsetPreferredLocation", 0)
        else:
            self._advise("SetPreferredLocation", place)

    @property
    def accessed_by(self) -> frozenset[int | Host]:
        """Who keeps the pages mapped, so that an access never makes them move."""
        room = 4 * (_backend.runtime(True).cudaGetDeviceCount() + 1)
        places = map(_place, self._ask("AccessedBy", dataSize=room))
        return frozenset(one for one in places if one is not None)

    @accessed_by.setter
    def accessed_by(self, places: Iterable[_Location]) -> None:
        wanted = {place if isinstance(place, Host) else index(place) for place in places}
        before = self.accessed_by
        for place in before - wanted:
            self._advise("UnsetAccessedBy", place)
        for place in wanted - before:
            self._advise("SetAccessedBy", place)

    @property
    def last_prefetch_location(self) -> int | Host | None:
        """Where the last prefetch() went, if it was of all pages."""
        return _place(self._ask("LastPrefetchLocation"))

    # ---- Moving ----------------------------------------------------------------------------------

    def prefetch(self, place: _Location | None = None, *, stream: Any = None) -> None:
        """Queue moving all pages to a place, by default the current device."""
        runtime = _backend.runtime(True)
        if place is None:
            place = runtime.cudaGetDevice()
        if stream is None:
            stream = gpuarray.Stream.of(None)
        runtime.cudaMemPrefetchAsync(self, self.size, _location(place), 0, stream)

    def discard(self, *, stream: Any) -> None:
        """Queue that the contents aren't needed any more: pages needn't be moved (CUDA 13).

        C refuses the legacy default stream.
        """
        discard = _backend.runtime(True).cudaMemDiscardBatchAsync
        discard([self], [self.size], 1, 0, stream)

    def discard_prefetch(self, place: _Location | None = None, *, stream: Any) -> None:
        """discard() and prefetch() in one: room at that place, without a move (CUDA 13)."""
        runtime = _backend.runtime(True)
        if place is None:
            place = runtime.cudaGetDevice()
        discard, sizes = runtime.cudaMemDiscardAndPrefetchBatchAsync, [self.size]
        discard([self], sizes, 1, [_location(place)], [0], 1, 0, stream)

    def close(self) -> None:
        """Free it. Arrays of PyGPU on it can't be used then. BufferError while numpy's use it."""
        self._memory.free()

    def _ask(self, name: str, **size: int) -> Any:
        attribute = getattr(_backend.runtime(False), f"cudaMemRangeAttribute{name}")
        return _backend.runtime(True).cudaMemRangeGetAttribute(attribute, self, self.size, **size)

    def _advise(self, name: str, place: _Location) -> None:
        advice = getattr(_backend.runtime(False), f"cudaMemAdvise{name}")
        _backend.runtime(True).cudaMemAdvise(self, self.size, advice, _location(place))

    def __int__(self) -> int:
        return int(self._memory)

    __index__ = __int__

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "closed" if self._memory.freed else f"{self.size} bytes"
        return f"<PyGPU.ManagedMemory, {state}>"


Host.__module__ = ManagedMemory.__module__ = "PyGPU"


def _location(place: _Location) -> dict[str, Any]:
    names = _backend.runtime(False)
    if not isinstance(place, Host):
        return {"type": names.cudaMemLocationTypeDevice, "id": index(place)}
    if place.numa_id is None:
        return {"type": names.cudaMemLocationTypeHost, "id": 0}
    return {"type": names.cudaMemLocationTypeHostNuma, "id": place.numa_id}


def _place(number: int) -> int | Host | None:
    """A place by C's number: devices from 0 on, cudaCpuDeviceId, cudaInvalidDeviceId."""
    return number if number >= 0 else Host() if number == -1 else None
