"""PyGPU.MemoryPool: memory of a device, allocated and freed in the order of streams."""

from __future__ import annotations

from PyGPU import _backend, gpuarray

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, SupportsIndex

    from typing_extensions import Self


def _attribute(name: str, about: str, *, settable: bool = False) -> property:
    """A property for one of cudaMemPoolAttr."""

    def number() -> Any:
        return getattr(_backend.runtime(False), name)

    def read(pool: MemoryPool) -> int:
        value: int = _backend.runtime(True).cudaMemPoolGetAttribute(pool, number())
        return value

    def write(pool: MemoryPool, value: int) -> None:
        _backend.runtime(True).cudaMemPoolSetAttribute(pool, number(), value)

    return property(read, write if settable else None, doc=about)


class _Allocator:
    """Takes memory from a pool on a stream, and gives it back there."""

    __slots__ = ("_pool", "_stream")

    def __init__(self, pool: MemoryPool, stream: gpuarray.Stream) -> None:
        self._pool, self._stream = pool, stream

    def allocate(self, size: int) -> int:
        allocate = _backend.runtime(True).cudaMallocFromPoolAsync
        address: int = allocate(size, self._pool, self._stream)
        return address

    def deallocate(self, address: int, size: int) -> None:
        _backend.runtime(True).cudaFreeAsync(address, self._stream)


class _Importer(_Allocator):
    """Takes memory that another process has allocated from a pool."""

    __slots__ = ("_exported",)

    def __init__(self, pool: MemoryPool, stream: gpuarray.Stream, exported: bytes) -> None:
        super().__init__(pool, stream)
        self._exported = exported

    def allocate(self, size: int) -> int:
        data = _backend.runtime(False).cudaMemPoolPtrExportData.from_bytes(self._exported)
        address: int = _backend.runtime(True).cudaMemPoolImportPointer(self._pool, data)
        return address


class MemoryPool:
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

    __slots__ = ("__weakref__", "_handle", "device_id")
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

    @property
    def handle(self) -> Any:
        """Its cudaMemPool_t. ValueError after close()."""
        if self._handle is None:
            raise ValueError("MemoryPool: it is closed")
        return self._handle

    def allocate(self, size: int, *, stream: Any = None) -> gpuarray.DeviceMemory:
        """Memory from it, on a stream, by default the current one."""
        own = _Allocator(self, gpuarray.Stream.of(stream))
        return gpuarray.DeviceMemory(size, stream, allocator=own)

    def __call__(self, size: int) -> gpuarray.DeviceMemory:
        """The same, as arrays ask their allocators."""
        return self.allocate(size)

    def trim(self, keep: int = 0) -> None:
        """Give unused memory back to the device, down to so many bytes in the pool."""
        _backend.runtime(True).cudaMemPoolTrimTo(self, keep)

    used_mem_current = _attribute("cudaMemPoolAttrUsedMemCurrent", "Bytes in use.")
    used_mem_high = _attribute(
        "cudaMemPoolAttrUsedMemHigh", "The most bytes in use so far; 0 resets it.", settable=True
    )
    reserved_mem_current = _attribute(
        "cudaMemPoolAttrReservedMemCurrent", "Bytes that it has of the device, in use or not."
    )
    reserved_mem_high = _attribute(
        "cudaMemPoolAttrReservedMemHigh",
        "The most bytes that it had so far; 0 resets it.",
        settable=True,
    )
    release_threshold = _attribute(
        "cudaMemPoolAttrReleaseThreshold",
        "The bytes that it keeps unused, until the next wait.",
        settable=True,
    )

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
        own = _Importer(self, gpuarray.Stream.of(None), exported)
        return gpuarray.DeviceMemory(size, allocator=own)

    def close(self) -> None:
        """End it; its memory stays while arrays use it."""
        self._handle = None

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
