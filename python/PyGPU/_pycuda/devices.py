"""PyCUDA's Device and Context, on the devices' primary contexts."""

from __future__ import annotations

import threading
from typing import Any

from PyGPU import _backend
from PyGPU._kernels import driver
from PyGPU._pycuda.constants import device_attribute
from PyGPU._pycuda.errors import invalid_context


def init(flags: int = 0) -> None:
    """Initialise the driver. Other calls do so by themselves."""
    driver.call("cuInit")(flags)


def get_version() -> tuple[int, int, int]:
    """The release of the runtime in use; PyCUDA has that of its own build."""
    version: int = driver.call("cudaRuntimeGetVersion")()
    major, minor = _backend.api().version
    return version // major, version % major // minor, version % minor


def get_driver_version() -> int:
    """The newest CUDA that the driver serves, as 12040; on AMD the driver's own number."""
    version: int = driver.call("cudaDriverGetVersion")()
    return version


class _Attribute(int):
    """A member of device_attribute: the enumerators of Python print as numbers."""

    name: str

    def __new__(cls, number: int, name: str) -> _Attribute:
        self = super().__new__(cls, number)
        self.name = name
        return self

    def __str__(self) -> str:
        return self.name

    def __format__(self, spec: str) -> str:
        return format(self.name, spec)

    def __repr__(self) -> str:
        return f"device_attribute.{self.name}"


class Device:
    """A device, by its number or by its PCI address.

    Its attributes have lower-case names: `Device(0).warp_size`.
    """

    def __init__(self, number: int | str) -> None:
        init()
        name = "cuDeviceGetByPCIBusId" if isinstance(number, str) else "cuDeviceGet"
        self.number = int(driver.call(name)(number))

    @staticmethod
    def count() -> int:
        """How many devices there are."""
        count: int = driver.call("cudaGetDeviceCount")()
        return count

    def name(self) -> str:
        """Its name."""
        name: str = driver.call("cuDeviceGetName")(self.number)
        return name

    def pci_bus_id(self) -> str:
        """Its PCI address."""
        address: str = driver.call("cuDeviceGetPCIBusId")(self.number)
        return address

    def compute_capability(self) -> tuple[int, int]:
        """(major, minor)."""
        wanted = device_attribute
        major = self.get_attribute(wanted.COMPUTE_CAPABILITY_MAJOR)
        return major, self.get_attribute(wanted.COMPUTE_CAPABILITY_MINOR)

    def total_memory(self) -> int:
        """Its memory in bytes."""
        size: int = driver.call("cuDeviceTotalMem")(self.number)
        return size

    def get_attribute(self, attr: Any) -> int:
        """The value of one of device_attribute."""
        value: int = driver.call("cuDeviceGetAttribute")(attr, self.number)
        return value

    def get_attributes(self) -> dict[Any, int]:
        """All attributes that the driver knows, by members of device_attribute.

        A member prints as its name there, as with PyCUDA.
        """
        from PyGPU._errors import GPUError

        values = {}
        for name in dir(device_attribute):
            try:
                attribute = getattr(device_attribute, name)
                values[_Attribute(attribute, name)] = self.get_attribute(attribute)
            except (AttributeError, GPUError):  # of another release
                continue
        return values

    def __getattr__(self, name: str) -> int:
        if name.startswith("_") or not name.islower():
            raise AttributeError(f"Device has no attribute {name!r}")
        return self.get_attribute(getattr(device_attribute, name.upper()))

    def make_context(self, flags: Any = 0) -> Context:
        """The device's primary context, pushed on this thread; `flags` changes nothing."""
        context = Context(self.number)
        context.push()
        return context

    def retain_primary_context(self) -> Context:
        """The device's primary context, without making it current."""
        return Context(self.number)

    def can_access_peer(self, dev: Device) -> bool:
        """Whether kernels on this device can read the other device's memory."""
        return bool(driver.call("cudaDeviceCanAccessPeer")(self.number, dev.number))

    def __int__(self) -> int:
        return self.number

    __index__ = __int__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and other.number == self.number

    def __hash__(self) -> int:
        return hash(("device", self.number))

    def __repr__(self) -> str:
        return f"<PyGPU.driver.Device {self.number}>"


class _Stack(threading.local):
    """The contexts that a thread has pushed, each with the device that was current before."""

    def __init__(self) -> None:
        self.pushed: list[tuple[Context, int]] = []


_stack = _Stack()


class Context:
    """A device's primary context, which the runtime and all libraries use.

    PyCUDA makes a context of its own. Here push() makes the device current on this thread, and
    pop() makes the previous device current again. The context lives as long as the process.
    """

    def __init__(self, device: int) -> None:
        self._device = device

    @property
    def handle(self) -> int:
        """The driver's context (CUcontext), as an int."""
        before: int = driver.call("cudaGetDevice")()
        try:
            driver.call("cudaSetDevice")(self._device)
            init()
            driver.enter_context()
            return int(driver.call("cuCtxGetCurrent")())
        finally:
            driver.call("cudaSetDevice")(before)

    def push(self) -> None:
        """Make its device current on this thread."""
        before: int = driver.call("cudaGetDevice")()
        driver.call("cudaSetDevice")(self._device)
        driver.enter_context()
        _stack.pushed.append((self, before))

    @staticmethod
    def pop() -> None:
        """Make the previous device current. Raises LogicError if nothing was pushed."""
        if not _stack.pushed:
            raise invalid_context("Context.pop()", "no context was pushed on this thread")
        _, before = _stack.pushed.pop()
        driver.call("cudaSetDevice")(before)

    def detach(self) -> None:
        """Pop it if it is current. The context stays, because other libraries use it."""
        if _stack.pushed and _stack.pushed[-1][0] is self:
            self.pop()

    @staticmethod
    def get_current() -> Context:
        """The context of the current device."""
        return Context(driver.call("cudaGetDevice")())

    @staticmethod
    def get_device() -> Device:
        """The current device."""
        return Device(driver.call("cudaGetDevice")())

    @staticmethod
    def synchronize() -> None:
        """Wait for all work of the current device."""
        driver.call("cudaDeviceSynchronize")()

    @staticmethod
    def set_limit(limit: Any, value: int) -> None:
        """Set a limit of the current device, named by a member of `limit`."""
        driver.call("cudaDeviceSetLimit")(int(limit), value)

    @staticmethod
    def get_limit(limit: Any) -> int:
        """A limit of the current device, named by a member of `limit`."""
        value: int = driver.call("cudaDeviceGetLimit")(int(limit))
        return value

    @staticmethod
    def set_cache_config(cc: Any) -> None:
        """Prefer shared memory or cache, by `func_cache`."""
        driver.call("cudaDeviceSetCacheConfig")(int(cc))

    @staticmethod
    def get_cache_config() -> Any:
        """Whether shared memory or cache is preferred: equal to a member of `func_cache`."""
        return driver.call("cudaDeviceGetCacheConfig")()

    @staticmethod
    def set_shared_config(sc: Any) -> None:
        """Set the width of shared memory's banks, by `shared_config`."""
        driver.call("cudaDeviceSetSharedMemConfig")(int(sc))

    @staticmethod
    def get_shared_config() -> Any:
        """The width of shared memory's banks: equal to a member of `shared_config`."""
        return driver.call("cudaDeviceGetSharedMemConfig")()

    def get_api_version(self) -> int:
        """The version of the driver's API that it was made with."""
        version: int = driver.call("cuCtxGetApiVersion")(self.handle)
        return version

    def enable_peer_access(self, peer: Context, flags: int = 0) -> None:
        """Let kernels of the current device use the peer's memory."""
        driver.call("cudaDeviceEnablePeerAccess")(peer._device, flags)

    def disable_peer_access(self, peer: Context, flags: int = 0) -> None:
        """Undo enable_peer_access()."""
        driver.call("cudaDeviceDisablePeerAccess")(peer._device)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Context) and other._device == self._device

    def __hash__(self) -> int:
        return hash(("context", self._device))

    def __repr__(self) -> str:
        return f"<PyGPU.driver.Context of device {self._device}>"


def context_device(context: Context | None) -> int:
    """The number of a context's device; None is the current device."""
    if context is not None:
        return context._device
    current: int = driver.call("cudaGetDevice")()
    return current
