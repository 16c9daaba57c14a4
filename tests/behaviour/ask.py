"""Asks a runtime every row of the behaviour table. A program, since a bad row may end the process.

    python tests/behaviour/ask.py cuda|hip|cu [FIRST ROW]

Prints one JSON object per line: first the driver, runtime and device, then for each row its key,
before the row is asked, and its answer.
"""

from __future__ import annotations

import ctypes
import json
import mmap
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
import table

import PyGPU


class Flag:
    """A gate in pinned memory: a value that streams wait for."""

    def __init__(self, address: int, value: int) -> None:
        self.address, self.value = address, value

    def set(self) -> None:
        """Write the value."""
        ctypes.c_uint64.from_address(self.address).value = self.value


class Stage:
    """The names that rows may use besides the runtime's functions, and what to clean up."""

    def __init__(self, api: str) -> None:
        self.api = api
        self.gpu = getattr(PyGPU, api)
        self.gates: list[threading.Event | Flag] = []
        self.ends: list[Callable[[], object]] = []
        self.kept: list[object] = []

    def who(self) -> dict[str, Any]:
        """Describes the driver, the runtime and the devices."""
        return {
            "driver": self.call("DriverGetVersion"),
            "runtime": self.call("RuntimeGetVersion"),
            "device": str(self.call("GetDeviceProperties", 0).name),
            "devices": self.call("GetDeviceCount"),
        }

    def last_error(self) -> Any:
        """The last failure that the runtime remembers."""
        return self.gpu_call("PeekAtLastError")

    def call(self, name: str, *arguments: object) -> Any:
        """The values of a call that must succeed."""
        result = getattr(self.gpu, self.api + name)(*arguments)
        *values, error = result if isinstance(result, tuple) else (result,)
        if error:
            raise RuntimeError(f"{self.api}{name}: {error}")
        return values[0] if values else None

    def undo(self, name: str, *arguments: object) -> None:
        """Queue a call for when the row is over."""
        self.ends.append(lambda: getattr(self.gpu, self.api + name)(*arguments))

    def dev(self, size: int) -> int:
        """Device memory."""
        pointer = self.call("Malloc", size)
        self.undo("Free", pointer)
        return pointer

    def dev_async(self, size: int) -> int:
        """Device memory of the default pool."""
        pointer = self.call("MallocAsync", size, None)
        self.undo("FreeAsync", pointer, None)
        return pointer

    def pinned(self, size: int, flags: int = 0) -> int:
        """Pinned host memory."""
        pointer = self.call("HostAlloc", size, flags)
        self.undo("FreeHost", pointer)
        return pointer

    def managed(self, size: int) -> int:
        """Managed memory."""
        pointer = self.call("MallocManaged", size, 1)
        self.undo("Free", pointer)
        return pointer

    def host(self, size: int, fill: int = 0) -> np.ndarray:
        """Ordinary memory; `fill` makes all bytes different."""
        array = np.zeros(size, dtype=np.uint8)
        if fill:
            array[:] = (np.arange(size) * fill + fill) & 0xFF
        return array

    def pages(self, count: int) -> int:
        """The address of whole pages in ordinary memory."""
        memory = mmap.mmap(-1, count * mmap.PAGESIZE)
        self.kept.append(memory)
        address = np.frombuffer(memory, dtype=np.uint8).ctypes.data
        self.undo("HostUnregister", address)
        return int(address)

    def stale(self, size: int) -> int:
        """The address of device memory that was freed."""
        pointer = self.call("Malloc", size)
        self.call("Free", pointer)
        return pointer

    def stream(self, flags: int = 0) -> Any:
        """A stream; 1 is a non-blocking one."""
        handle = self.call("StreamCreateWithFlags", flags)
        self.undo("StreamDestroy", handle)
        return handle

    def event(self, flags: int = 0) -> Any:
        """An event."""
        handle = self.call("EventCreateWithFlags", flags)
        self.undo("EventDestroy", handle)
        return handle

    def stale_stream(self) -> Any:
        """A stream that was destroyed."""
        handle = self.call("StreamCreateWithFlags", 0)
        address = int(handle)
        self.call("StreamDestroy", handle)
        return address

    def stale_event(self) -> Any:
        """An event that was destroyed."""
        handle = self.call("EventCreateWithFlags", 0)
        address = int(handle)
        self.call("EventDestroy", handle)
        return getattr(self.gpu, f"{self.api}Event_t")(address)

    def capturing(self, mode: int = 2, flags: int = 1) -> Any:
        """A stream that captures, in a mode of CUDA's."""
        handle = self.stream(flags)
        self.call("StreamBeginCapture", handle, mode)
        self.undo("StreamEndCapture", handle)
        return handle

    def graph(self) -> Any:
        """An empty graph."""
        handle = self.call("GraphCreate", 0)
        self.undo("GraphDestroy", handle)
        return handle

    def node(self, graph: Any, *after: Any) -> Any:
        """A node that does nothing."""
        return self.call("GraphAddEmptyNode", graph, list(after) or None, len(after))

    def executable(self, graph: Any) -> Any:
        """An executable graph."""
        handle = self.call("GraphInstantiateWithFlags", graph, 0)
        self.undo("GraphExecDestroy", handle)
        return handle

    def pool(self) -> Any:
        """A memory pool on device 0."""
        handle = self.call("MemPoolCreate", {"allocType": 1, "location": (1, 0)})
        self.undo("MemPoolDestroy", handle)
        return handle

    def array(self, channels: Any, width: int, height: int) -> Any:
        """An array."""
        handle = self.call("MallocArray", channels, width, height, 0)
        self.undo("FreeArray", handle)
        return handle

    def read(self, pointer: int, size: int) -> bytes:
        """The bytes in device memory."""
        back = np.zeros(size, dtype=np.uint8)
        self.call("Memcpy", back, pointer, size, 2)
        return bytes(back)

    def gate(self, stream: Any) -> None:
        """Let a stream wait until open_gates()."""
        gate = threading.Event()
        self.gates.append(gate)
        self.call("LaunchHostFunc", stream, lambda _: gate.wait(), None)

    def flag(self, value: int) -> int:
        """Pinned memory with a zero, where open_gates() writes a value."""
        address = self.pinned(8)
        ctypes.memset(address, 0, 8)
        self.gates.append(Flag(address, value))
        return address

    def out(self, size: int) -> ctypes.Array[ctypes.c_char]:
        """Memory that C writes to; raw() returns it as a number."""
        return ctypes.create_string_buffer(size)

    def filled(self, size: int) -> ctypes.Array[ctypes.c_char]:
        """The same, full of ones, which show which bytes C wrote."""
        return ctypes.create_string_buffer(b"\xff" * size, size)

    def left(self, value: int, size: int, whole: int) -> int:
        """What `filled(whole)` reads as after a value of `size` bytes was written there."""
        return int.from_bytes(
            value.to_bytes(size, sys.byteorder, signed=value < 0) + b"\xff" * (whole - size),
            sys.byteorder,
            signed=True,
        )

    def unmapped(self, count: int) -> int:
        """The address of whole pages that are no longer mapped."""
        memory = mmap.mmap(-1, count * mmap.PAGESIZE)
        view = np.frombuffer(memory, dtype=np.uint8)
        address = int(view.ctypes.data)
        del view
        memory.close()
        return address

    def half_mapped(self, count: int) -> int:
        """The address of whole pages in ordinary memory, the last of which is no longer mapped."""
        memory = mmap.mmap(-1, count * mmap.PAGESIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        address = int(np.frombuffer(memory, dtype=np.uint8).ctypes.data)
        memory.resize((count - 1) * mmap.PAGESIZE)
        self.kept.append(memory)
        return address

    def read_only_pages(self, count: int) -> int:
        """The address of whole pages that may not be written."""
        memory = mmap.mmap(-1, count * mmap.PAGESIZE, prot=mmap.PROT_READ)
        self.kept.append(memory)
        return int(np.frombuffer(memory, dtype=np.uint8).ctypes.data)

    def returns(self, function: Callable[..., Any], *arguments: object, within: float = 3) -> bool:
        """Whether a call returns while the gates are closed; then they open."""
        thread = threading.Thread(target=function, args=arguments)
        thread.start()
        thread.join(within)
        returned = not thread.is_alive()
        self.open_gates()
        thread.join()
        return returned

    def waits(self, function: Callable[..., Any], *arguments: object) -> bool:
        """Whether a call returns only once the gates are open."""
        return not self.returns(function, *arguments, within=0.3)

    def raw(self, name: str, *arguments: Any) -> tuple[Any, ...]:
        """A call of the C function: what it wrote to out() memory, and the status."""
        function = ctypes.CFUNCTYPE(ctypes.c_int)(self.gpu.address(name))
        passed = [
            ctypes.c_void_p(int(one))
            if not isinstance(one, (bytes, ctypes.Array)) and hasattr(one, "__int__")
            else one
            for one in arguments
        ]
        code = function(*passed)
        written = [bytes(one) for one in arguments if isinstance(one, ctypes.Array)]
        return (*(int.from_bytes(one, sys.byteorder, signed=True) for one in written), code)

    def ptx(self) -> bytes:
        """Device code: a kernel k with two parameters, and a variable g with the value 7."""
        return b"""
            .version 7.0
            .target sm_52
            .address_size 64
            .visible .global .align 4 .u32 g = 7;
            .visible .entry k(.param .u32 n, .param .u64 pointer) { ret; }
        """

    def library(self) -> Any:
        """That code as a library of CUDA."""
        handle = self.call("LibraryLoadData", self.ptx(), [], [], 0, [], [], 0)
        self.undo("LibraryUnload", handle)
        return handle

    def module(self) -> Any:
        """That code as a module of HIP."""
        handle = self.call("ModuleLoadData", self.ptx())
        self.undo("ModuleUnload", handle)
        return handle

    def open_gates(self) -> None:
        """Let all streams continue."""
        for gate in self.gates:
            gate.set()

    def in_thread(self, function: Callable[..., Any], *arguments: object) -> Any:
        """The result of a call made on a new thread."""
        results: list[Any] = []
        thread = threading.Thread(target=lambda: results.append(function(*arguments)))
        thread.start()
        thread.join()
        return results[0]

    def status(self, good: bool) -> int:
        """A status of 0 for a true value, for functions without a status."""
        return 0 if good else -1

    def as_int(self, value: Any) -> int:
        """A value that came as memory or as a number, as an int."""
        if isinstance(value, int):
            return value
        return int.from_bytes(bytes(value)[:4], sys.byteorder, signed=True)

    def clear(self, keep: bool) -> None:
        """Undo what the row did; with `keep` the row's objects are already gone."""
        self.open_gates()
        self.gpu_call("DeviceSynchronize")
        self.gpu_call("SetDevice", 0)
        for end in reversed([] if keep else self.ends):
            end()
        self.gpu_call("DeviceSynchronize")
        self.gpu_call("DeviceDisablePeerAccess", 1)
        self.gpu_call("GetLastError")
        self.gates, self.ends, self.kept = [], [], []

    def gpu_call(self, name: str, *arguments: object) -> Any:
        """A call whose status is ignored."""
        return getattr(self.gpu, self.api + name)(*arguments)


class DriverStage(Stage):
    """The same for the driver API, on device 0's primary context."""

    def __init__(self) -> None:
        super().__init__("cu")
        self.call("Init", 0)
        self.primary = self.call("DevicePrimaryCtxRetain", 0)
        self.call("CtxSetCurrent", self.primary)

    def who(self) -> dict[str, Any]:
        """Describes the driver, which also counts as the runtime."""
        version = self.call("DriverGetVersion")
        return {
            "driver": version,
            "runtime": version,
            "device": self.call("DeviceGetName", 0),
            "devices": self.call("DeviceGetCount"),
        }

    def last_error(self) -> None:
        """The driver remembers no failure."""

    def dev(self, size: int) -> int:
        """Device memory."""
        pointer = self.call("MemAlloc", size)
        self.undo("MemFree", pointer)
        return pointer

    def pinned(self, size: int, flags: int = 0) -> int:
        """Pinned host memory."""
        pointer = self.call("MemHostAlloc", size, flags)
        self.undo("MemFreeHost", pointer)
        return pointer

    def managed(self, size: int) -> int:
        """Managed memory."""
        pointer = self.call("MemAllocManaged", size, 1)
        self.undo("MemFree", pointer)
        return pointer

    def pages(self, count: int) -> int:
        """The address of whole pages of ordinary memory."""
        address = super().pages(count)
        self.ends.pop()
        self.undo("MemHostUnregister", address)
        return address

    def stale(self, size: int) -> int:
        """The address of device memory that was freed."""
        pointer = self.call("MemAlloc", size)
        self.call("MemFree", pointer)
        return pointer

    def stream(self, flags: int = 1) -> Any:
        """A stream; 0 is a blocking one."""
        handle = self.call("StreamCreate", flags)
        self.undo("StreamDestroy", handle)
        return handle

    def event(self, flags: int = 0) -> Any:
        """An event."""
        handle = self.call("EventCreate", flags)
        self.undo("EventDestroy", handle)
        return handle

    def read(self, pointer: int, size: int) -> bytes:
        """The bytes in device memory."""
        back = np.zeros(size, dtype=np.uint8)
        self.call("MemcpyDtoH", back, pointer, size)
        return bytes(back)

    def context(self) -> Any:
        """A new context, which is current."""
        handle = self.call("CtxCreate", None, 0, 0)
        self.undo("CtxDestroy", handle)
        return handle

    def resource(self, count: int | None = None) -> Any:
        """All multiprocessors of the device, or a group of so many."""
        whole = self.call("DeviceGetDevResource", 0, 1)
        return whole if count is None else self.groups(whole, count, 1)[0]

    def groups(self, whole: Any, count: int, number: int) -> Any:
        """Groups of so many multiprocessors."""
        return self.gpu.cuDevSmResourceSplitByCount(whole, 0, count, nbGroups=number)[0]

    def description(self, *resources: Any) -> Any:
        """What a green context is made from."""
        return self.call("DevResourceGenerateDesc", list(resources), len(resources))

    def green(self, *resources: Any) -> Any:
        """A green context of these resources, or of the whole device."""
        wanted = self.description(*(resources or [self.resource()]))
        handle = self.call("GreenCtxCreate", wanted, 0, 1)
        self.undo("GreenCtxDestroy", handle)
        return handle

    def stale_context(self) -> Any:
        """A context that was destroyed."""
        handle = self.call("CtxCreate", None, 0, 0)
        address = int(handle)
        self.call("CtxDestroy", handle)
        return address

    def without_context(self) -> None:
        """Make no context current."""
        self.call("CtxSetCurrent", None)

    def clear(self, keep: bool) -> None:
        """Undo what the row did, and make the primary context current as at the start."""
        self.open_gates()
        while not self.gpu_call("CtxPopCurrent")[1]:
            pass
        self.call("CtxSetCurrent", self.primary)
        self.gpu_call("CtxSynchronize")
        for end in reversed([] if keep else self.ends):
            end()
        self.gpu_call("CtxSynchronize")
        self.gates, self.ends, self.kept = [], [], []


class Names(dict):  # type: ignore[type-arg]
    """The names that a row may use: its own, those of the stage, numpy and the runtime."""

    def __init__(self, stage: Stage, devices: int) -> None:
        super().__init__(np=np, ctypes=ctypes, N=devices)
        self.stage = stage

    def __missing__(self, name: str) -> Any:
        for source in (self.stage, self.stage.gpu):
            if hasattr(source, name):
                return getattr(source, name)
        raise KeyError(name)


def answer(stage: Stage, row: table.Row, devices: int) -> dict[str, Any]:
    """The runtime's answer to a row."""
    names = Names(stage, devices)
    try:
        for statement in row.before:
            exec(statement, names)
        stage_error = stage.last_error()
        result = eval(row.call, names)
        *values, error = result if isinstance(result, tuple) else (result,)
        names["v"], names["before_error"] = values, stage_error
        holds = bool(eval(row.holds, names)) if row.holds and int(error) == row.code else None
        after = bool(eval(row.after, names)) if row.after and int(error) == row.code else None
        return {
            "code": int(error),
            "values": [repr(value)[:200] for value in values],
            "holds": holds,
            "after": after,
        }
    except Exception as error:
        return {"code": None, "problem": f"{type(error).__name__}: {error}"[:300]}
    finally:
        stage.clear(row.forget)


def say(**facts: object) -> None:
    """Print one line."""
    print(json.dumps(facts), flush=True)


def main() -> None:
    """Ask all rows, starting with the given one."""
    api, first = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0
    stage = DriverStage() if api == "cu" else Stage(api)
    say(**(who := stage.who()))
    devices, runtime = who["devices"], who["runtime"]
    for row in table.load(api)[first:]:
        if row.needs > devices or row.since > runtime:
            say(skipped=row.key)
            continue
        say(asked=row.key)
        say(key=row.key, **answer(stage, row, devices))


if __name__ == "__main__":
    main()
