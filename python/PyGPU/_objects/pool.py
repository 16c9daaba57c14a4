"""PyGPU.MemoryPool: memory of a device, allocated and freed in the order of streams."""

from __future__ import annotations

from typing import overload

from PyGPU import _backend, gpuarray
from PyGPU._kernels import driver
from PyGPU._names.elsewhere import Elsewhere, HidesElsewhere

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, SupportsIndex

    from typing_extensions import Self


class _Attribute:
    """An attribute of the class MemoryPool for one of cudaMemPoolAttr."""

    def __init__(self, name: str, about: str) -> None:
        self._name = name
        self.__doc__ = about

    @overload
    def __get__(self, pool: None, owner: object = None) -> Self: ...
    @overload
    def __get__(self, pool: MemoryPool, owner: object = None) -> int: ...
    def __get__(self, pool: MemoryPool | None, owner: object = None) -> Self | int:
        if pool is None:
            return self
        value: int = _backend.runtime(True).cudaMemPoolGetAttribute(pool, self._number())
        return value

    def _number(self) -> Any:
        return getattr(_backend.runtime(False), self._name)


class _Settable(_Attribute):
    """One that can be set."""

    def __set__(self, pool: MemoryPool, value: int) -> None:
        _backend.runtime(True).cudaMemPoolSetAttribute(pool, self._number(), value)


class _Importer:
    """Memory that another process has allocated from a pool, as an allocator of that one piece."""

    __slots__ = ("_exported", "_pool")

    def __init__(self, pool: MemoryPool, exported: bytes) -> None:
        self._pool, self._exported = pool, exported

    def deallocate(self, address: int, size: int) -> None:
        # Finalisers come here, and a free on the default stream could break a capture of others.
        with driver.context(self._pool.device_id):
            _backend.runtime(True).cudaFree(address)

    def allocate(self, size: int) -> int:
        data = _backend.runtime(False).cudaMemPoolPtrExportData.from_bytes(self._exported)
        address: int = _backend.runtime(True).cudaMemPoolImportPointer(self._pool, data)
        return address


class MemoryPool(HidesElsewhere):
    """A pool of a device's memory, by default of the current device's.

    pool = PyGPU.MemoryPool(max_size=1 << 30)
    a = PyGPU.empty(1000, "f4", allocator=pool)

    device: a number, or a PyGPU.Device
    max_size: the most bytes that it may have; 0 is as many as there are (CUDA 12.2)
    release_threshold: the bytes that it keeps when nothing uses them, until the next wait
    ipc: True for a pool whose memory other processes may use; see export()

    Its memory belongs to the device, and lives as long as arrays use it. A MemoryPool goes where C
    takes a cudaMemPool_t. Raises GPUError.
    """

    __slots__ = ("__weakref__", "_c_pool_", "_handle", "device_id")
    _c_struct_: ClassVar[str]  # by which C's functions know it; set with the first pool

    def __init__(
        self,
        device: SupportsIndex | None = None,
        *,
        max_size: int = 0,
        release_threshold: int | None = None,
        ipc: bool = False,
    ) -> None:
        names = _backend.runtime(False)
        number = _backend.runtime(True).cudaGetDevice() if device is None else device.__index__()
        handles = "PosixFileDescriptor" if ipc else "None"
        properties = {
            "allocType": names.cudaMemAllocationTypePinned,
            "handleTypes": getattr(names, f"cudaMemHandleType{handles}"),
            "location": {"type": names.cudaMemLocationTypeDevice, "id": number},
        }
        if max_size:
            properties["maxSize"] = max_size
        self._take(names.cudaMemPool_t(poolProps=properties), number)
        if release_threshold is not None:
            self.release_threshold = release_threshold

    @classmethod
    def _of(cls, function: str, device: int) -> Self:
        """A pool of the runtime's own."""
        self = cls.__new__(cls)
        self._take(getattr(_backend.runtime(True), function)(device), device)
        return self

    def _take(self, handle: Any, device: int) -> None:
        if "_c_struct_" not in vars(MemoryPool):
            MemoryPool._c_struct_ = type(handle)._c_struct_
        self._handle = handle
        self.device_id = device
        # What PyGPU's arrays ask an allocator for.
        self._c_pool_: tuple[int, int] | None = int(handle), device

    @property
    def handle(self) -> Any:
        """Its cudaMemPool_t. ValueError after close()."""
        if self._handle is None:
            raise ValueError("MemoryPool: it is closed")
        return self._handle

    def allocate(self, size: int, *, stream: Any = None) -> gpuarray.DeviceMemory:
        """Memory from it, on a stream, by default the current one."""
        return gpuarray.DeviceMemory(size, stream, self)

    def __call__(self, size: int) -> gpuarray.DeviceMemory:
        """The same, as allocators are asked."""
        return self.allocate(size)

    def trim(self, keep: int = 0) -> None:
        """Give unused memory back to the device, down to so many bytes in the pool."""
        _backend.runtime(True).cudaMemPoolTrimTo(self, keep)

    used_mem_current = _Attribute("cudaMemPoolAttrUsedMemCurrent", "Bytes in use.")
    used_mem_high = _Settable(
        "cudaMemPoolAttrUsedMemHigh", "The most bytes in use so far; setting 0 starts anew."
    )
    reserved_mem_current = _Attribute(
        "cudaMemPoolAttrReservedMemCurrent", "Bytes that it has of the device, in use or not."
    )
    reserved_mem_high = _Settable(
        "cudaMemPoolAttrReservedMemHigh", "The most bytes that it had; setting 0 starts anew."
    )
    release_threshold = _Settable(
        "cudaMemPoolAttrReleaseThreshold", "The bytes that it keeps unused, until the next wait."
    )

    # Of CuPy's and cuda.core's classes.
    attributes = Elsewhere("pool.used_mem_current, pool.reserved_mem_high and others are they")
    deallocate = Elsewhere("memory.free() gives memory back, and so does its last user")
    free_all_blocks = Elsewhere("pool.trim() gives unused memory back to the device")
    malloc = Elsewhere("pool.allocate(size) does it")
    set_limit = Elsewhere("PyGPU.MemoryPool(max_size=bytes) is limited from the start")
    total_bytes = Elsewhere("pool.reserved_mem_current is the number")
    used_bytes = Elsewhere("pool.used_mem_current is the number")

    def allow(self, device: SupportsIndex, *, write: bool = True) -> None:
        """Let kernels of another device read its memory, and write it."""
        self._set_access(device, "ReadWrite" if write else "Read")

    def forbid(self, device: SupportsIndex) -> None:
        """Undo allow()."""
        self._set_access(device, "None")

    def _set_access(self, device: SupportsIndex, access: str) -> None:
        names = _backend.runtime(False)
        location = {"type": names.cudaMemLocationTypeDevice, "id": device.__index__()}
        flags = getattr(names, f"cudaMemAccessFlagsProt{access}")
        asked = {"location": location, "flags": flags}
        _backend.runtime(True).cudaMemPoolSetAccess(self, [asked], 1)

    def export(self) -> int:
        """A file descriptor for import_pool() in another process; the caller closes it."""
        names = _backend.runtime(False)
        kind = names.cudaMemHandleTypePosixFileDescriptor
        share = _backend.runtime(True).cudaMemPoolExportToShareableHandle
        descriptor: int = share(self, kind, 0)
        return descriptor

    @classmethod
    def import_pool(cls, descriptor: int, device: SupportsIndex | None = None) -> Self:
        """The pool that another process exported; it can be asked for that process's memory."""
        names, runtime = _backend.runtime(False), _backend.runtime(True)
        kind = names.cudaMemHandleTypePosixFileDescriptor
        handle = runtime.cudaMemPoolImportFromShareableHandle(descriptor, kind, 0)
        self = cls.__new__(cls)
        number = runtime.cudaGetDevice() if device is None else device.__index__()
        self._take(handle._own_(), number)
        return self

    def export_memory(self, memory: Any) -> bytes:
        """What import_memory() needs in the other process; the memory must outlive its use."""
        return bytes(_backend.runtime(True).cudaMemPoolExportPointer(memory))

    def import_memory(self, exported: bytes, size: int) -> gpuarray.DeviceMemory:
        """Memory of the process that exported this pool, by what export_memory() gave there.

        It must be freed here before it is freed there.
        """
        return gpuarray.DeviceMemory(size, allocator=_Importer(self, exported))

    def close(self) -> None:
        """End it; its memory stays while arrays use it."""
        self._handle = self._c_pool_ = None

    def __int__(self) -> int:
        return int(self.handle)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MemoryPool) and other._handle == self._handle

    def __hash__(self) -> int:
        return hash(self._handle)

    def __repr__(self) -> str:
        if self._handle is None:
            return "<PyGPU.MemoryPool, closed>"
        sizes = f"{self.used_mem_current} of {self.reserved_mem_current} bytes in use"
        return f"<PyGPU.MemoryPool of device {self.device_id}, {sizes}>"


MemoryPool.__module__ = "PyGPU"
