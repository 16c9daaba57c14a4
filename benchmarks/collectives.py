"""All-reduce and broadcast over two GPUs by NCCL: PyGPU beside C++, CuPy and torch, by turns.

    python benchmarks/collectives.py [--sizes BYTES...] [--rounds N] [--json FILE|-]

One process has both GPUs. The numbers are microseconds of a call over both, a group of two calls of
NCCL, with many in flight and one wait at the end. C++ calls the same library with the same
communicators and memory. torch has communicators of its own and broadcasts by torch.cuda.comm. A
peer that isn't installed has no number. It needs two GPUs and the modules of PyGPU[nvidia].
"""

from __future__ import annotations

import argparse
import ctypes
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

from libraries import in_python, loaded
from measure import Cell, machine, print_table, run, write_json
from twin import build_twin

import PyGPU
from PyGPU import nccl

SIZES = (4 << 10, 1 << 20, 64 << 20, 1 << 30)
COLUMNS = ("PyGPU", "C++", "CuPy", "torch")
ROUND = 20e-3  # seconds of a round, about
ROOT = 0

Call = Callable[[], object]


def wait() -> None:
    for device in (1, 0):
        PyGPU.checked.cudaSetDevice(device)
        PyGPU.checked.cudaDeviceSynchronize()


class OnTwo:
    """Memory, streams and communicators of two devices."""

    def __init__(self) -> None:
        self.communicators = nccl.checked.ncclCommInitAll(2, [0, 1])
        self.streams = []
        for device in (0, 1):
            with PyGPU.device(device):
                self.streams.append(PyGPU.Stream())

    def arrays(self, size: int) -> list[Any]:
        made = []
        for device in (0, 1):
            with PyGPU.device(device):
                made.append(PyGPU.zeros(size // 4, "f4"))
        return made

    def ways(
        self, name: str, size: int, arrays: list[Any], twin: Any
    ) -> dict[str, Callable[[], Callable[[int], float]]]:
        """For each column, what makes the function that measures it."""
        return {
            "PyGPU": lambda: in_python(self.by_pygpu(name, arrays), wait),
            "C++": lambda: self.by_cpp(name, arrays, twin),
            "CuPy": lambda: in_python(self.by_cupy(name, size), wait),
            "torch": lambda: in_python(self.by_torch(name, size), wait),
        }

    def by_pygpu(self, name: str, arrays: list[Any]) -> Call:
        function, last = getattr(nccl, f"nccl{name}"), ROOT if name == "Broadcast" else nccl.ncclSum
        parts = list(zip(arrays, self.communicators, self.streams, strict=True))
        count = arrays[0].size

        def call() -> None:
            nccl.ncclGroupStart()
            for array, communicator, stream in parts:
                function(array, array, count, nccl.ncclFloat32, last, communicator, stream)
            nccl.ncclGroupEnd()

        return call

    def by_cpp(self, name: str, arrays: list[Any], twin: Any) -> Callable[[int], float]:
        library = loaded("libnccl.so")
        last = ROOT if name == "Broadcast" else int(nccl.ncclSum)
        words = [
            int(one)
            for array, communicator, stream in zip(
                arrays, self.communicators, self.streams, strict=True
            )
            for one in (
                *(array.ptr, array.ptr, array.size, nccl.ncclFloat32, last),
                *(communicator, stream),
            )
        ]
        given = (ctypes.c_ulonglong * len(words))(*words)
        twin.grouped.restype = ctypes.c_double
        functions = (library.ncclGroupStart, getattr(library, f"nccl{name}"), library.ncclGroupEnd)

        def times(count: int) -> float:
            wait()
            begin = time.perf_counter()
            if twin.grouped(*functions, given, ctypes.c_long(count)) < 0:
                raise RuntimeError(f"nccl{name} failed")
            wait()
            return (time.perf_counter() - begin) / count

        return times

    def by_cupy(self, name: str, size: int) -> Call:
        import cupy
        from cupy.cuda import nccl as theirs

        if not hasattr(self, "of_cupy"):
            self.of_cupy = theirs.NcclCommunicator.initAll([0, 1])
        arrays = []
        for device in (0, 1):
            with cupy.cuda.Device(device):
                arrays.append(cupy.zeros(size // 4, "f4"))
        parts = list(zip(arrays, self.of_cupy, self.streams, (0, 1), strict=True))

        def call() -> None:
            theirs.groupStart()
            for array, communicator, stream, device in parts:
                with cupy.cuda.Device(device):
                    to = array.data.ptr
                    if name == "Broadcast":
                        communicator.broadcast(
                            to, to, array.size, theirs.NCCL_FLOAT, ROOT, int(stream)
                        )
                    else:
                        communicator.allReduce(
                            to, to, array.size, theirs.NCCL_FLOAT, theirs.NCCL_SUM, int(stream)
                        )
            theirs.groupEnd()

        return call

    def by_torch(self, name: str, size: int) -> Call:
        import torch
        import torch.cuda.comm
        import torch.cuda.nccl

        tensors = [torch.zeros(size // 4, device=f"cuda:{device}") for device in (0, 1)]
        if name == "Broadcast":
            return lambda: torch.cuda.comm.broadcast(tensors[ROOT], out=tensors[1 - ROOT :])
        return lambda: torch.cuda.nccl.all_reduce(tensors)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json")
    arguments = parser.parse_args()
    if PyGPU.backend != "cuda" or PyGPU.checked.cudaGetDeviceCount() < 2:
        print("collectives.py: it needs two GPUs", file=sys.stderr)
        return 2
    both = OnTwo()
    cells: dict[str, dict[str, Cell]] = {}
    calls: list[tuple[Cell, Callable[[int], float], int]] = []
    with tempfile.TemporaryDirectory() as folder:
        twin = build_twin(__file__, folder)
        for size in arguments.sizes:
            arrays = both.arrays(size)
            for name in ("AllReduce", "Broadcast"):
                for column, way in both.ways(name, size, arrays, twin).items():
                    cell = cells.setdefault(f"{name}, {size:,} bytes", {})[column] = Cell()
                    try:
                        times = way()
                        times(3)
                        often = int(ROUND / max(times(5), 1e-6))
                        calls.append((cell, times, min(max(often, 3), 5000)))
                    except Exception as error:
                        cell.absent = type(error).__name__
                        print(f"{column}: {error}", file=sys.stderr)
        for _ in range(arguments.rounds):
            for cell, times, often in calls:
                cell.times.append(times(often) * 1e6)
    lines = []
    for name, row in cells.items():
        texts = [f"{row[one].median:,.2f}" if row[one].times else "-" for one in COLUMNS]
        ratio = row["PyGPU"].median / row["C++"].median if row["C++"].times else 0
        lines.append((name, *texts, f"{ratio:.3f}"))
    print_table("us of a call", ("us", *COLUMNS, "PyGPU/C++"), lines)
    if arguments.json:
        rows = {
            name: {one: cell.as_json() for one, cell in row.items()} for name, row in cells.items()
        }
        write_json({**machine(), "unit": "us", "rows": rows}, arguments.json)
    return 0


if __name__ == "__main__":
    sys.exit(run(main))
