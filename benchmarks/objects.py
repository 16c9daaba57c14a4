"""What PyGPU's objects cost beside the bare calls and other packages, by turns, in nanoseconds.

    python benchmarks/objects.py [--rounds N] [--calls N] [--json FILE|-] [--check]

Rows: a kernel's launch, an event's record, making a stream, a graph's launch, memory from a pool of
the driver's, and memory as arrays get it, from what the package keeps of freed memory.
"bare" is PyGPU's checked function of C with the same handles. Events are without timing, which
would take most of a record's time: cuda.core and PyTorch make such ones unless told otherwise. All
candidates run in one process on one driver; they take turns, each round begins with another one,
and after each the program waits for the device, so that no queue is full. For a package that isn't
installed or can't do it here, the table gives the reason. With --check the exit code is 1 if
another package is faster.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from measure import Cell, machine, print_table, run, write_json

import PyGPU
from PyGPU import compiler

SOURCE = 'extern "C" __global__ void add(float *values, float by) { values[threadIdx.x] += by; }'
BLOCK, SIZE, WARM = 32, 4096, 20
ROWS = (
    "launch",
    "event record",
    "stream creation",
    "graph launch",
    "pool allocation",
    "array memory",
)

Loop = Callable[[int], None]  # makes so many calls


def loop(call: str, **names: Any) -> Loop:
    """A loop around a call, as a user writes it: with local names."""
    given = ", ".join(f"{name}={name}" for name in names)
    scope = dict(names)
    exec(f"def run(calls, {given}):\n    for _ in range(calls):\n        {call}\n", scope)
    made: Loop = scope["run"]
    return made


class Objects:
    """PyGPU's objects."""

    def __init__(self, code: Any) -> None:
        self.kernel = PyGPU.Module(code)["add"]
        self.stream = PyGPU.Stream()
        self.values = PyGPU.zeros(BLOCK, np.float32)

    def launch(self) -> Loop:
        call = "kernel(values, 1.0, grid=1, block=32, stream=stream)"
        return loop(call, kernel=self.kernel, values=self.values, stream=self.stream)

    def event_record(self) -> Loop:
        return loop("stream.record(event)", stream=self.stream, event=PyGPU.Event(timing=False))

    def stream_creation(self) -> Loop:
        return loop("make(non_blocking=True)", make=PyGPU.Stream)

    def graph_launch(self) -> Loop:
        with self.stream.capture() as graph:
            self.kernel(self.values, 1.0, grid=1, block=BLOCK)
        return loop("graph.launch(stream)", graph=graph, stream=self.stream)

    def pool_allocation(self) -> Loop:
        pool = PyGPU.MemoryPool(release_threshold=1 << 30)
        call = "pool.allocate(4096, stream=stream)"
        return loop(call, pool=pool, stream=self.stream)

    def array_memory(self) -> Loop:
        return loop("make(4096, stream)", make=PyGPU.DeviceMemory, stream=self.stream)


class Bare(Objects):
    """The same by PyGPU's functions of C."""

    def launch(self) -> Loop:
        function, given = PyGPU.checked.cuLaunchKernel, [self.values, np.float32(1)]
        call = "launch(kernel, 1, 1, 1, 32, 1, 1, 0, stream, given, None)"
        return loop(call, launch=function, kernel=self.kernel, stream=self.stream, given=given)

    def event_record(self) -> Loop:
        event, stream = PyGPU.cudaEvent_t(flags=2), PyGPU.cudaStream_t(self.stream.handle)
        record = PyGPU.checked.cudaEventRecord
        return loop("record(event, stream)", record=record, event=event, stream=stream)

    def stream_creation(self) -> Loop:
        make, end = PyGPU.checked.cudaStreamCreateWithFlags, PyGPU.checked.cudaStreamDestroy
        return loop("end(make(1))", make=make, end=end)

    def graph_launch(self) -> Loop:
        with self.stream.capture() as graph:
            self.kernel(self.values, 1.0, grid=1, block=BLOCK)
        stream = PyGPU.cudaStream_t(self.stream.handle)
        names = {"graph": graph.executable, "stream": stream, "kept": graph}
        return loop("launch(graph, stream)", launch=PyGPU.checked.cudaGraphLaunch, **names)

    def pool_allocation(self) -> Loop:
        pool = PyGPU.MemoryPool(release_threshold=1 << 30)
        names = {"make": PyGPU.checked.cudaMallocFromPoolAsync, "kept": pool}
        names |= {"end": PyGPU.checked.cudaFreeAsync, "pool": pool.handle}
        stream = PyGPU.cudaStream_t(self.stream.handle)
        return loop("end(make(4096, pool, stream), stream)", stream=stream, **names)

    def array_memory(self) -> Loop:
        raise LookupError("-")  # C keeps none


class CudaCore:
    """NVIDIA's cuda.core."""

    def __init__(self, code: Any) -> None:
        from cuda import core

        self.core, self.device = core, core.Device()
        self.device.set_current()
        self.stream = self.device.create_stream()
        self.kernel = core.ObjectCode.from_ptx(bytes(code)).get_kernel("add")
        self.config = core.LaunchConfig(grid=1, block=BLOCK)
        self.values = self.device.allocate(4 * BLOCK, stream=self.stream)

    def launch(self) -> Loop:
        names = {"launch": self.core.launch, "stream": self.stream, "config": self.config}
        call = "launch(stream, config, kernel, values, by)"
        return loop(call, kernel=self.kernel, values=self.values, by=np.float32(1), **names)

    def event_record(self) -> Loop:
        event = self.device.create_event()
        return loop("stream.record(event)", stream=self.stream, event=event)

    def stream_creation(self) -> Loop:
        return loop("make()", make=self.device.create_stream)

    def graph_launch(self) -> Loop:
        builder = self.stream.create_graph_builder().begin_building()
        self.core.launch(builder, self.config, self.kernel, self.values, np.float32(1))
        graph = builder.end_building().complete()
        return loop("graph.launch(stream)", graph=graph, stream=self.stream, kept=builder)

    def pool_allocation(self) -> Loop:
        pool = self.core.DeviceMemoryResource(self.device)
        return loop("pool.allocate(4096, stream=stream).close()", pool=pool, stream=self.stream)

    def array_memory(self) -> Loop:
        call = "make(4096, stream=stream).close()"
        return loop(call, make=self.device.allocate, stream=self.stream)


class CuPy:
    """CuPy."""

    def __init__(self, code: Any) -> None:
        import cupy

        self.cupy = cupy
        self.stream = cupy.cuda.Stream()
        self.kernel = cupy.RawKernel(SOURCE, "add")
        self.values = cupy.zeros(BLOCK, np.float32)

    def launch(self) -> Loop:
        call = "kernel((1,), (32,), (values, by), stream=stream)"
        names = {"values": self.values, "by": np.float32(1), "stream": self.stream}
        return loop(call, kernel=self.kernel, **names)

    def event_record(self) -> Loop:
        event = self.cupy.cuda.Event(disable_timing=True)
        return loop("event.record(stream)", event=event, stream=self.stream)

    def stream_creation(self) -> Loop:
        return loop("make(non_blocking=True)", make=self.cupy.cuda.Stream)

    def graph_launch(self) -> Loop:
        with self.stream:
            self.kernel((1,), (BLOCK,), (self.values, np.float32(1)))
            self.stream.begin_capture()
            self.kernel((1,), (BLOCK,), (self.values, np.float32(1)))
            graph = self.stream.end_capture()
        return loop("graph.launch(stream)", graph=graph, stream=self.stream)

    def pool_allocation(self) -> Loop:
        return loop("make(4096)", make=self.cupy.cuda.MemoryAsyncPool().malloc)

    def array_memory(self) -> Loop:
        return loop("make(4096)", make=self.cupy.cuda.MemoryPool().malloc)


class Torch:
    """PyTorch, which launches no kernels of users."""

    def __init__(self, code: Any) -> None:
        import torch

        self.torch = torch
        self.stream = torch.cuda.Stream()
        self.values = torch.zeros(BLOCK, device="cuda")

    def event_record(self) -> Loop:
        return loop("event.record(stream)", event=self.torch.cuda.Event(), stream=self.stream)

    def stream_creation(self) -> Loop:
        return loop("make()", make=self.torch.cuda.Stream)

    def graph_launch(self) -> Loop:
        graph = self.torch.cuda.CUDAGraph()
        with self.torch.cuda.graph(graph):
            self.values += 1
        return loop("graph.replay()", graph=graph)

    def array_memory(self) -> Loop:
        torch = self.torch
        names = {"make": torch.empty, "kind": torch.uint8}
        return loop("make(4096, dtype=kind, device='cuda')", **names)


CANDIDATES = {
    "PyGPU": Objects,
    "bare": Bare,
    "cuda.core": CudaCore,
    "CuPy": CuPy,
    "torch": Torch,
}


def measure(options: argparse.Namespace) -> dict[str, dict[str, Cell]]:
    """For each row some rounds, in which each candidate runs once."""
    code = compiler.compile(SOURCE, cache=False)
    wait = PyGPU.checked.cudaDeviceSynchronize
    wait()
    made: dict[str, Any] = {}
    for shown, kind in CANDIDATES.items():
        try:
            made[shown] = kind(code)
        except Exception as error:
            made[shown] = f"{type(error).__name__}: {error}".partition("\n")[0]
    found: dict[str, dict[str, Cell]] = {}
    for row in ROWS:
        cells = found[row] = {shown: Cell() for shown in CANDIDATES}
        loops: dict[str, Loop] = {}
        for shown, candidate in made.items():
            try:
                if isinstance(candidate, str):
                    raise LookupError(candidate)
                make = getattr(candidate, row.replace(" ", "_"), None)
                if not make:
                    raise LookupError("-")
                loops[shown] = make()
                loops[shown](WARM)
                wait()
            except Exception as error:
                loops.pop(shown, None)
                cells[shown].absent = str(error).partition("\n")[0]
        for turn in range(options.rounds if loops else 0):
            begin = turn % len(loops)
            for shown in [*loops, *loops][begin : begin + len(loops)]:
                loops[shown](WARM)  # the candidate before has filled the processor's caches
                wait()
                start = time.perf_counter_ns()
                loops[shown](options.calls)
                cells[shown].times.append((time.perf_counter_ns() - start) / options.calls)
                wait()
    return found


def missed(found: dict[str, dict[str, Cell]]) -> list[str]:
    """The rows in which another package is faster, in words."""
    lines = []
    for row, cells in found.items():
        for shown in ("cuda.core", "CuPy", "torch"):
            if cells[shown].times and cells[shown].least < cells["PyGPU"].least:
                lines.append(f"{row}: {shown} is faster")
    return lines


def main() -> int:
    """Measure by turns, print the table, write what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=40, help="rounds of each candidate")
    parser.add_argument("--calls", type=int, default=200, help="calls between waits")
    parser.add_argument("--json", metavar="FILE", help="write the numbers to FILE, or - for stdout")
    parser.add_argument("--check", action="store_true", help="fail where a package is faster")
    options = parser.parse_args()
    found = measure(options)
    lines = missed(found)
    if options.json != "-":
        rows = [[row, *(str(cell)[:40] for cell in cells.values())] for row, cells in found.items()]
        print_table("ns a call: least / median of the rounds", ["", *CANDIDATES], rows)
        print("\n".join(lines or ["PyGPU is the fastest package in each row"]))
    if options.json:
        cells = {row: {k: v.as_json() for k, v in each.items()} for row, each in found.items()}
        data = {**machine(), "backend": PyGPU.backend, "calls": options.calls, "rows": cells}
        write_json(data | {"missed": lines}, options.json)
    return 1 if options.check and lines else 0


if __name__ == "__main__":
    sys.exit(run(main))
