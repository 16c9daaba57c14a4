"""PyGPU.VirtualMemory: addresses that are reserved once, and get memory piece by piece."""

from __future__ import annotations

import math
from operator import index

from PyGPU import _backend, gpuarray
from PyGPU._arrays.devices import device as entered
from PyGPU._arrays.sequence import numbers
from PyGPU._kernels import driver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, SupportsIndex

    import numpy as np
    from typing_extensions import Self


class _Range:
    """Reserved addresses and what is mapped there, as an allocator of that one piece of memory.

    It lives as long as arrays use it. `pieces` are the physical memory, (handle, bytes).
    """

    __slots__ = ("address", "device", "pieces", "reserved")

    def __init__(self, reserved: int, device: int) -> None:
        self.device, self.reserved = device, reserved
        self.pieces: list[tuple[int, int]] = []
        self.address: int = driver.call("cuMemAddressReserve")(reserved, 0, 0, 0)

    @property
    def mapped(self) -> int:
        return sum(size for _, size in self.pieces)

    def map(self, handle: int, size: int, access: list[dict[str, Any]]) -> None:
        """Map physical memory behind the last piece; the handle is released if that fails."""
        place = self.address + self.mapped
        try:
            driver.call("cuMemMap")(place, size, 0, handle, 0)
            try:
                self.allow(place, size, access)
            except BaseException:
                driver.call("cuMemUnmap")(place, size)
                raise
        except BaseException:
            driver.call("cuMemRelease")(handle)
            raise
        self.pieces.append((handle, size))

    @staticmethod
    def allow(place: int, size: int, access: list[dict[str, Any]]) -> None:
        driver.call("cuMemSetAccess")(place, size, access, len(access))

    def allocate(self, size: int) -> int:
        return self.address

    def deallocate(self, address: int, size: int) -> None:
        """End it. C asks that nothing uses the memory any more, so this waits for the device."""
        with driver.context(self.device):
            driver.wait_for_device()
            while self.pieces:
                handle, size = self.pieces.pop()
                driver.call("cuMemUnmap")(address + self.mapped, size)
                driver.call("cuMemRelease")(handle)
            driver.call("cuMemAddressFree")(address, self.reserved)


class VirtualMemory:
    """Memory of a device that grows without a copy: its addresses are reserved, and so remain.

    with PyGPU.VirtualMemory(1 << 40) as memory:    # addresses alone cost no memory
        memory.grow(1 << 20)
        a = memory.array(1000, "f4")
        memory.grow(1 << 30)                        # `a`, and the address, stay as they are

    reserve: the bytes of addresses, which the memory can't outgrow
    size: the bytes that have memory at once, as by grow()
    device: a number, or a PyGPU.Device; by default the current device
    ipc: True for memory that other processes may use; see export()

    Sizes are rounded up to the device's `granularity`. The memory lives as long as arrays use it.
    int() is its address. One thread at a time may change it. Raises GPUError.
    """

    __slots__ = ("__weakref__", "_allowed", "_ipc", "_memory", "_range", "device_id", "granularity")

    def __init__(
        self,
        reserve: int,
        size: int = 0,
        *,
        device: SupportsIndex | None = None,
        ipc: bool = False,
    ) -> None:
        wanted, size = index(reserve), index(size)
        if wanted <= 0 or not 0 <= size <= wanted:
            text = f"VirtualMemory: {size} of {wanted} bytes: both must be sizes, reserve at least"
            raise ValueError(f"{text} size and 1")
        driver.driver()  # initialises it
        runtime = _backend.runtime(True)
        self.device_id: int = runtime.cudaGetDevice() if device is None else index(device)
        self._ipc = bool(ipc)
        self._allowed: dict[int, Any] = {}
        with entered(self.device_id), driver.context():
            ask = driver.call("cuMemGetAllocationGranularity")
            least = driver.constant("CU_MEM_ALLOC_GRANULARITY_RECOMMENDED")
            self.granularity: int = ask(self._properties(), least)
            self._range = _Range(self._rounded(wanted), self.device_id)
            self._memory = gpuarray.DeviceMemory(self._range.reserved, allocator=self._range)
        self._allow(self.device_id, "READWRITE")
        if size:
            try:
                self.grow(size)
            except BaseException:
                self.close()
                raise

    @property
    def size(self) -> int:
        """The bytes that have memory, from the address on."""
        return self._range.mapped

    @property
    def reserved(self) -> int:
        """The bytes that it can have."""
        return self._range.reserved

    @property
    def freed(self) -> bool:
        """Whether close() was called."""
        return self._memory.freed

    def grow(self, size: int) -> None:
        """Have memory for at least so many bytes in all; nothing is copied, and nothing shrinks.

        MemoryError if the device has no more. ValueError for more than was reserved.
        """
        more = self._rounded(index(size)) - self.size
        self._check(more)
        if more > 0:
            with entered(self.device_id), driver.context():
                handle = driver.call("cuMemCreate")(more, self._properties(), 0)
                self._range.map(handle, more, list(self._allowed.values()))

    def array(
        self,
        shape: int | Sequence[int],
        dtype: Any = float,
        *,
        offset: int = 0,
        order: str = "C",
    ) -> gpuarray.GPUArray:
        """An array on it, `offset` bytes from its begin. It isn't filled.

        ValueError if it would end behind `size`, or for an offset that the dtype can't have.
        """
        self._check(0)
        kind: np.dtype[Any] = gpuarray.empty(0, dtype).dtype
        extents, offset = numbers(shape, "parameter 'shape'"), index(offset)
        end = offset + math.prod(extents) * kind.itemsize
        if min(extents, default=0) < 0 or not 0 <= offset <= end <= self.size:
            text = f"an array of shape {shape!r} at byte {offset} does not fit into {self.size}"
            raise ValueError(f"VirtualMemory.array(): {text} bytes: grow() it first")
        if offset % (kind.alignment or 1):
            text = f"offset {offset} is no multiple of {kind.alignment}, which {kind} needs"
            raise ValueError(f"VirtualMemory.array(): {text}")
        whole = gpuarray.GPUArray(self.size, "u1", gpudata=self._memory)
        part: gpuarray.GPUArray = whole[offset:end].view(kind)
        return part.reshape(extents, order=order)

    def allow(self, device: SupportsIndex, *, write: bool = True) -> None:
        """Let kernels of another device read its memory, and write it, also what it grows by."""
        self._allow(index(device), "READWRITE" if write else "READ")

    def forbid(self, device: SupportsIndex) -> None:
        """Undo allow()."""
        self._allow(index(device), "NONE")

    def _allow(self, device: int, access: str) -> None:
        flags = driver.constant(f"CU_MEM_ACCESS_FLAGS_PROT_{access}")
        one = {"location": _location(device), "flags": flags}
        if self.size:
            with entered(self.device_id), driver.context():
                self._range.allow(self._range.address, self.size, [one])
        self._allowed[device] = one

    def export(self) -> list[tuple[int, int]]:
        """What import_memory() needs in another process: (file descriptor, bytes) of each piece.

        The descriptors are to be sent, and then closed by the caller. It must be made with `ipc`.
        """
        share = driver.call("cuMemExportToShareableHandle")
        kind = driver.constant("CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR")
        with entered(self.device_id), driver.context():
            return [(share(handle, kind, 0), size) for handle, size in self._range.pieces]

    @classmethod
    def import_memory(
        cls,
        pieces: Iterable[tuple[int, int]],
        *,
        reserve: int = 0,
        device: SupportsIndex | None = None,
    ) -> Self:
        """The memory that another process exported, at an address of this process.

        `reserve` is for what it grows by later; import_more() takes that.
        """
        pieces = list(pieces)
        total = sum(size for _, size in pieces)
        self = cls(max(index(reserve), total), device=device, ipc=True)
        try:
            self.import_more(pieces)
        except BaseException:
            self.close()
            raise
        return self

    def import_more(self, pieces: Iterable[tuple[int, int]]) -> None:
        """Map further pieces that another process exported behind those that are there."""
        take = driver.call("cuMemImportFromShareableHandle")
        kind = driver.constant("CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR")
        with entered(self.device_id), driver.context():
            for descriptor, size in pieces:
                self._check(size)
                handle = take(descriptor, kind)
                self._range.map(handle, size, list(self._allowed.values()))

    def close(self) -> None:
        """Wait for the device, and give memory and addresses back. Arrays on it end, too."""
        self._memory.free()

    def _properties(self) -> dict[str, Any]:
        kind = "POSIX_FILE_DESCRIPTOR" if self._ipc else "NONE"
        return {
            "type": driver.constant("CU_MEM_ALLOCATION_TYPE_PINNED"),
            "location": _location(self.device_id),
            "requestedHandleTypes": driver.constant(f"CU_MEM_HANDLE_TYPE_{kind}"),
        }

    def _rounded(self, size: int) -> int:
        return -(-size // self.granularity) * self.granularity

    def _check(self, more: int) -> None:
        if self.freed:
            raise ValueError("VirtualMemory: it is closed")
        if more > self.reserved - self.size:
            text = f"{self.size + more} bytes are more than the {self.reserved} that are reserved"
            raise ValueError(f"VirtualMemory: {text}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __int__(self) -> int:
        return int(self._memory)

    __index__ = __int__

    def __repr__(self) -> str:
        state = "closed" if self.freed else f"{self.size} of {self.reserved} bytes have memory"
        return f"<PyGPU.VirtualMemory of device {self.device_id}, {state}>"


VirtualMemory.__module__ = "PyGPU"


def _location(device: int) -> dict[str, Any]:
    return {"type": driver.constant("CU_MEM_LOCATION_TYPE_DEVICE"), "id": device}
