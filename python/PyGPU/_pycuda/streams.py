"""PyCUDA's Stream and Event, over PyGPU's."""

from __future__ import annotations

from typing import Any

from PyGPU import gpuarray

_DISABLE_TIMING, _INTERPROCESS = 2, 4


class Stream:
    """A queue of work; PyGPU.Stream under PyCUDA's names. Every function of PyGPU takes it.

    `flags` is 0 or CU_STREAM_NON_BLOCKING (1). The default stream doesn't wait for the latter.
    """

    def __init__(self, flags: int = 0, priority: int = 0) -> None:
        if int(flags) not in (0, 1):
            raise ValueError(f"Stream(): flags are 0 or 1 (non-blocking), not {flags!r}")
        self.stream = gpuarray.Stream(bool(flags), priority)

    @property
    def handle(self) -> int:
        """The runtime's stream, as an int."""
        return self.stream.handle

    def synchronize(self) -> None:
        """Wait for all its work."""
        self.stream.synchronize()

    def is_done(self) -> bool:
        """Whether all its work is done."""
        return self.stream.query()

    def wait_for_event(self, evt: Event) -> None:
        """Let what is queued from now on wait for the event."""
        self.stream.wait(evt.event)

    def __cuda_stream__(self) -> tuple[int, int]:
        return self.stream.__cuda_stream__()

    def __repr__(self) -> str:
        return f"<PyGPU.driver.Stream {self.handle:#x}>"


class Event:
    """A point in the work of a stream; PyGPU.Event under PyCUDA's names.

    `flags` are of event_flags. BLOCKING_SYNC changes nothing: the device's own flags decide how the
    host waits.
    """

    def __init__(self, flags: Any = 0) -> None:
        bits = int(flags)
        if bits & _INTERPROCESS or bits >> 3:
            raise ValueError(
                "Event(): events between processes are made by PyGPU.cudaEventCreateWithFlags, and "
                "shared by cudaIpcGetEventHandle"
            )
        self.event = gpuarray.Event(timing=not bits & _DISABLE_TIMING)

    def record(self, stream: Any = None) -> Event:
        """Mark the work queued on the stream; None is the current one. Returns the event."""
        self.event.record(stream)
        return self

    def synchronize(self) -> Event:
        """Wait for it. Returns the event."""
        self.event.synchronize()
        return self

    def query(self) -> bool:
        """Whether the work before it is done."""
        return self.event.query()

    def time_since(self, event: Event) -> float:
        """Milliseconds from another event to this one. GPUError until both are reached."""
        return self.event.time_since(event.event)

    def time_till(self, event: Event) -> float:
        """Milliseconds from this event to another one. GPUError until both are reached."""
        return self.event.time_till(event.event)

    def __int__(self) -> int:
        return int(self.event)
