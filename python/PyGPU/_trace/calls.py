"""What is known of a recorded call, and of what a device has run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

# Parameters that say how many bytes a call moves, in the vendors' words.
_BYTES = ("count", "sizeBytes", "ByteCount")
_EXTENT = ("width", "height", "depth")


@dataclass
class Call:
    """A call of a function of an API. Times are nanoseconds of time.monotonic_ns().

    `arguments` and `results` are by name: numbers, texts, the names of enumerators, fields of
    structs; addresses are texts such as "0x7f10", and None is null. `duration` and `error` are None
    for a call that has not returned. `stream` is the address of the stream of a call that takes
    one, 0 for the default stream. `own`: PyGPU made the call for itself, for an array or a kernel.
    `file` is "" where no Python code is known.
    """

    api: str
    name: str
    arguments: dict[str, Any]
    start: int
    thread: int
    file: str = ""
    line: int = 0
    function: str = ""
    own: bool = False
    results: dict[str, Any] = field(default_factory=dict)
    duration: int | None = None
    status: int | None = None
    error: str | None = None
    stream: int | None = None

    @property
    def place(self) -> str:
        """The caller's line: "train.py:12 in step"; "" where it isn't known."""
        return f"{self.file}:{self.line} in {self.function}" if self.file else ""

    @property
    def bytes_moved(self) -> int:
        """How many bytes a copy or set moves; 0 for other calls."""
        if "memcpy" not in self.name.lower() and "memset" not in self.name.lower():
            return 0
        for name in _BYTES:
            if isinstance(count := self.arguments.get(name), int):
                return count
        sizes = [self.arguments[name] for name in _EXTENT if name in self.arguments]
        moved = 1
        for size in sizes:
            moved *= size if isinstance(size, int) else 0
        return moved if sizes else 0

    @property
    def launches(self) -> bool:
        """Whether it has queued a kernel, or a graph, on one of NVIDIA's GPUs."""
        by_name = "Launch" in self.name and "HostFunc" not in self.name
        return by_name and self.api in ("cuda", "cu") and self.status == 0

    @property
    def waits(self) -> bool:
        """Whether it is a function that waits for the device."""
        return "Synchronize" in self.name


@dataclass
class DeviceWork:
    """A kernel, copy or set that has run on a device; times as in Call.

    `kind` is "kernel", "copy" or "set", and `bytes` what the last two moved. `stream` is a number
    of the stream's, unique in its context: not the address that calls take. `thread`, `launched`
    and `caller` are the thread, the start and the place of the call that queued it, None and ""
    where that isn't known.
    """

    name: str
    start: int
    duration: int
    device: int
    stream: int
    kind: str = "kernel"
    bytes: int = 0
    context: int = 0
    thread: int | None = None
    launched: int | None = None
    caller: str = ""


KINDS = ("kernel", "copy", "set")
Event = Call | DeviceWork
