"""PyGPU.Device: what a device is, and choosing it."""

from __future__ import annotations

import uuid
from typing import NamedTuple

from PyGPU import _backend, gpuarray
from PyGPU._errors import GPUError
from PyGPU._names import portable
from PyGPU._names.elsewhere import Elsewhere, HidesElsewhere
from PyGPU._objects.pool import MemoryPool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, SupportsIndex

_ATTRIBUTE = "CU_DEVICE_ATTRIBUTE_"


class ComputeCapability(NamedTuple):
    """The generation of a device's processors: (9, 0) is an H100's."""

    major: int
    minor: int


class DeviceProperties:
    """What a device can do: fields of cudaDeviceProp by C's names, and the driver's attributes.

    An attribute has its name in lower case: CU_DEVICE_ATTRIBUTE_WARP_SIZE is `warp_size`.
    """

    __slots__ = ("_device", "_struct")

    def __init__(self, device: int) -> None:
        self._device = device
        self._struct: Any = _backend.runtime(True).cudaGetDeviceProperties(device)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if not name.islower() or hasattr(self._struct, name):
            return getattr(self._struct, name)
        try:
            number = portable.find(_ATTRIBUTE + name.upper(), raising=False)
            return portable.find("cuDeviceGetAttribute", raising=True)(number, self._device)
        except AttributeError:
            raise AttributeError(
                f"PyGPU.Device: there is no property {name!r}: dir(device.properties) lists C's "
                f"names, and {_ATTRIBUTE}WARP_SIZE is warp_size"
            ) from None
        except GPUError as error:
            raise AttributeError(f"PyGPU.Device: no property {name!r} here: {error}") from None

    def __dir__(self) -> list[str]:
        fields = [name for name in dir(self._struct) if not name.startswith("_")]
        return [*object.__dir__(self), *fields]

    def __repr__(self) -> str:
        return f"<properties of PyGPU.Device {self._device}>"


class Device(HidesElsewhere):
    """A device by its number; without one, the current device.

    `with Device(1):` makes it current, and restores the earlier one at the end. It goes wherever
    a device's number is due.

    Raises GPUError for a device that isn't there.
    """

    __slots__ = ("_entered", "device_id")

    def __init__(self, device_id: SupportsIndex | None = None) -> None:
        runtime, names = _backend.runtime(True), _backend.runtime(False)
        number = runtime.cudaGetDevice() if device_id is None else device_id
        self._entered = gpuarray.device(number)
        self.device_id: int = self._entered.number
        runtime.cudaDeviceGetAttribute(names.cudaDevAttrWarpSize, self.device_id)

    @classmethod
    def all(cls) -> tuple[Device, ...]:
        """All devices of this machine."""
        return tuple(cls(number) for number in range(_backend.runtime(True).cudaGetDeviceCount()))

    @classmethod
    def get_all_devices(cls) -> tuple[Device, ...]:
        """The same, as cuda.core calls it."""
        return cls.all()

    @property
    def properties(self) -> DeviceProperties:
        """What it can do, by names of cudaDeviceProp and of the driver's attributes."""
        return DeviceProperties(self.device_id)

    @property
    def name(self) -> str:
        """Its name."""
        name: str = self.properties.name
        return name

    @property
    def uuid(self) -> str:
        """Its identifier, as nvidia-smi prints it behind "GPU-"."""
        return str(uuid.UUID(bytes=bytes(self.properties.uuid)))

    @property
    def pci_bus_id(self) -> str:
        """Its PCI address: "0000:01:00.0"."""
        address: str = _backend.runtime(True).cudaDeviceGetPCIBusId(self.device_id)
        return address

    @property
    def compute_capability(self) -> ComputeCapability:
        """The generation of its processors, (major, minor)."""
        properties = self.properties
        return ComputeCapability(properties.major, properties.minor)

    @property
    def arch(self) -> str:
        """The same as text: "90"."""
        return "{}{}".format(*self.compute_capability)

    @property
    def memory(self) -> gpuarray.MemoryInfo:
        """Its memory in bytes: free, total, and what PyGPU uses of it."""
        return gpuarray.memory_info(self.device_id)

    @property
    def is_current(self) -> bool:
        """Whether it is this thread's current device."""
        return bool(_backend.runtime(True).cudaGetDevice() == self.device_id)

    @property
    def default_memory_pool(self) -> MemoryPool:
        """The pool that cudaMallocAsync uses unless memory_pool is another."""
        return MemoryPool._of("cudaDeviceGetDefaultMemPool", self.device_id)

    @property
    def memory_pool(self) -> MemoryPool:
        """The pool that cudaMallocAsync uses. PyGPU's arrays have one of their own."""
        return MemoryPool._of("cudaDeviceGetMemPool", self.device_id)

    @memory_pool.setter
    def memory_pool(self, pool: MemoryPool) -> None:
        _backend.runtime(True).cudaDeviceSetMemPool(self.device_id, pool)

    def set_current(self) -> None:
        """Make it this thread's current device."""
        _backend.runtime(True).cudaSetDevice(self.device_id)

    def synchronize(self) -> None:
        """Wait for all its work."""
        with self:
            _backend.runtime(True).cudaDeviceSynchronize()

    sync = synchronize  # as cuda.core calls it

    def reset(self) -> None:
        """End all that this process has on it, for every library: memory, streams, modules."""
        with self:
            _backend.runtime(True).cudaDeviceReset()

    def can_access_peer(self, peer: SupportsIndex) -> bool:
        """Whether its kernels can be allowed to use another device's memory."""
        return bool(_backend.runtime(True).cudaDeviceCanAccessPeer(self.device_id, int(peer)))

    def create_stream(self, non_blocking: bool = False, priority: int = 0) -> gpuarray.Stream:
        """A PyGPU.Stream on it."""
        with self:
            return gpuarray.Stream(non_blocking, priority)

    def create_event(self, timing: bool = True) -> gpuarray.Event:
        """A PyGPU.Event on it."""
        with self:
            event = gpuarray.Event(timing)
            int(event)  # makes it now, on this device
            return event

    def allocate(self, size: int, *, stream: Any = None) -> gpuarray.DeviceMemory:
        """Memory on it, from PyGPU's pool."""
        with self:
            return gpuarray.DeviceMemory(size, stream)

    # Of CuPy's and cuda.core's classes.
    attributes = Elsewhere("device.properties has them, under the driver's names and C's")
    create_graph_builder = Elsewhere("with stream.capture() as graph: records a stream's work")
    default_stream = Elsewhere("PyGPU.Stream.of(0) is it")
    id = Elsewhere("device.device_id is its number")
    mem_info = Elsewhere("device.memory has the free and the total bytes")
    memory_resource = Elsewhere("device.memory_pool is the pool of cudaMallocAsync")
    use = Elsewhere("device.set_current() makes it current; `with device:` does for a block")

    def __enter__(self) -> Device:
        self._entered.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self._entered.__exit__(*exception)

    def __index__(self) -> int:
        return self.device_id

    __int__ = __index__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and other.device_id == self.device_id

    def __hash__(self) -> int:
        return hash(("PyGPU.Device", self.device_id))

    def __reduce__(self) -> tuple[type[Device], tuple[int]]:
        return Device, (self.device_id,)

    def __repr__(self) -> str:
        return f"<PyGPU.Device {self.device_id}: {self.name}>"


Device.__module__ = "PyGPU"
