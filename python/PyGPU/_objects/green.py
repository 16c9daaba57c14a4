"""PyGPU.GreenContext: a part of a device's multiprocessors, with streams that run on it alone."""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from operator import index

from PyGPU import _backend, gpuarray
from PyGPU._arrays.devices import device as entered
from PyGPU._errors import GPUError
from PyGPU._kernels import driver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, SupportsIndex

    from typing_extensions import Self

# What finalisers leave: they may run where GPU calls are forbidden.
_dropped: deque[Any] = deque()


class _OwnStream:
    """A stream of a green context, which it keeps and ends before it."""

    __slots__ = ("_context", "_handle")

    def __init__(self, handle: int, context: GreenContext) -> None:
        self._handle: Any = _backend.runtime(False).cudaStream_t(handle)._own_()
        self._context: Any = context

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, int(self._handle)

    def __del__(self) -> None:
        self._handle = None
        self._context = None


class GreenContext:
    """Some multiprocessors of a device, for work that must not wait for other work (CUDA 12.4).

    small, rest = PyGPU.GreenContext.split(8)
    with small.create_stream():
        kernel(a, grid=64, block=256)    # on at most 8 multiprocessors

    Memory, modules and events are those of the device's ordinary context. Streams keep their
    context. Raises GPUError. https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GREEN__CONTEXTS.html
    """

    __slots__ = ("__weakref__", "_handle", "device_id", "sm_count")
    _c_struct_: ClassVar[str]  # by which C's functions know it; set with the first one
    _drop = _dropped.append  # at the interpreter's end the module's names are gone

    def __init__(self, resource: Any, device: SupportsIndex | None = None) -> None:
        """`resource` is a CUdevResource of multiprocessors; split() makes them of numbers."""
        self._handle: Any = None
        _sweep()
        number = _backend.runtime(True).cudaGetDevice() if device is None else index(device)
        self.device_id: int = number
        self.sm_count: int = resource.sm.smCount
        default = driver.constant("CU_GREEN_CTX_DEFAULT_STREAM")  # C wants it
        with driver.context(number):
            described = driver.call("cuDevResourceGenerateDesc")([resource], 1)
            self._handle = driver.call("cuGreenCtxCreate")(described, number, default)
        GreenContext._c_struct_ = type(self._handle)._c_struct_

    @classmethod
    def split(cls, *counts: int, device: SupportsIndex | None = None) -> list[Self]:
        """One with at least so many multiprocessors for each number, and one with the rest.

        A device gives them in groups: `sm_count` may be more than was asked for. The last one is
        missing if nothing is left. GPUError for more than there are.
        """
        driver.driver()  # initialises it
        number = _backend.runtime(True).cudaGetDevice() if device is None else index(device)
        kind = driver.constant("CU_DEV_RESOURCE_TYPE_SM")
        split = driver.call("cuDevSmResourceSplitByCount")
        parts = []
        with driver.context(number):
            rest = driver.call("cuDeviceGetDevResource")(number, kind)
            for count in counts:
                (part,), rest = split(rest, 0, index(count), nbGroups=1)
                parts.append(part)
        if rest.sm.smCount:
            parts.append(rest)
        return [cls(part, number) for part in parts]

    @property
    def handle(self) -> Any:
        """Its CUgreenCtx. ValueError after close()."""
        if self._handle is None:
            raise ValueError("GreenContext: it is closed")
        return self._handle

    def create_stream(self, priority: int = 0) -> gpuarray.Stream:
        """A PyGPU.Stream whose kernels run on its multiprocessors. It doesn't wait for others."""
        flags = driver.constant("CU_STREAM_NON_BLOCKING")  # C wants it
        with entered(self.device_id):
            made = driver.call("cuGreenCtxStreamCreate")(self.handle, flags, priority)
            return gpuarray.Stream.of(_OwnStream(int(made), self))

    def record(self, event: gpuarray.Event) -> gpuarray.Event:
        """Mark all work of its streams so far by an event, and return the event."""
        with entered(self.device_id):
            driver.call("cuGreenCtxRecordEvent")(self.handle, event)
        return event

    def wait(self, event: gpuarray.Event) -> None:
        """Let later work of all its streams wait for an event."""
        with entered(self.device_id):
            driver.call("cuGreenCtxWaitEvent")(self.handle, event)

    def close(self) -> None:
        """End it; its streams must have ended. A second call does nothing."""
        handle, self._handle = self._handle, None
        if handle is not None:
            driver.call("cuGreenCtxDestroy")(handle)

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:
            self._drop(self._handle)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __int__(self) -> int:
        return int(self.handle)

    def __repr__(self) -> str:
        state = "closed" if self._handle is None else f"{self.sm_count} multiprocessors"
        return f"<PyGPU.GreenContext of device {self.device_id}, {state}>"


GreenContext.__module__ = "PyGPU"


def _sweep() -> None:
    """End what nobody holds any more."""
    while _dropped:
        with suppress(IndexError, GPUError), driver.context():  # breaks no capture of others
            driver.call("cuGreenCtxDestroy")(_dropped.popleft())
