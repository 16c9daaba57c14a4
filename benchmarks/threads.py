"""Launches and copies of several threads at once, beside a C++ twin and other packages.

    python benchmarks/threads.py [--threads N] [--rounds N] [--calls N] [--json FILE|-] [--check]

Each thread has a stream and arrays of its own. Rows: launches of a kernel with two arguments, and
get() and set() of 1 MiB of ordinary memory, by one thread and by N. The packages take turns. The
table has what all threads do in sum, in the best round and in the median: thousand launches a
second, and GB/s. C++ calls the driver, and waits for each copy. torch launches no kernels of users.

With --check the exit code is 1 if N threads launch less often than nine tenths of what one thread
does, or of what C++ does by N threads, whichever is less, or if a copy has under 40 GB/s.
"""

from __future__ import annotations

import argparse
import ctypes
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from measure import machine, print_table, run, write_json
from twin import build_twin

import PyGPU
from PyGPU import compiler, cu

SOURCE = 'extern "C" __global__ void add(float *values, float by) { values[threadIdx.x] += by; }'
BLOCK, SIZE = 32, 1 << 20
ROWS = ("launch", "get 1 MiB", "set 1 MiB")
LEAST_GB_S, LEAST_SHARE = 40, 0.9

Work = Callable[[int], None]  # makes so many calls


class Ours:
    """PyGPU's kernels, streams and arrays."""

    def __init__(self, code: Any, threads: int) -> None:
        self.kernel = PyGPU.Module(code)["add"]
        self.streams = [PyGPU.Stream(non_blocking=True) for _ in range(threads)]
        self.values = [PyGPU.zeros(BLOCK, np.float32) for _ in range(threads)]
        self.on_device = [PyGPU.zeros(SIZE // 4, np.float32) for _ in range(threads)]
        self.on_host = [np.zeros(SIZE // 4, np.float32) for _ in range(threads)]
        PyGPU.checked.cudaDeviceSynchronize()

    def launch(self, number: int) -> Work:
        kernel, values, stream = self.kernel, self.values[number], self.streams[number]

        def work(calls: int) -> None:
            for _ in range(calls):
                kernel(values, 1.0, grid=1, block=BLOCK, stream=stream)

        return work

    def _copy(self, number: int, copy: Callable[[Any], object]) -> Work:
        host, stream = self.on_host[number], self.streams[number]

        def work(calls: int) -> None:
            with stream:
                for _ in range(calls):
                    copy(host)

        return work

    def get(self, number: int) -> Work:
        return self._copy(number, self.on_device[number].get)

    def set(self, number: int) -> Work:
        return self._copy(number, self.on_device[number].set)


class InCpp:
    """A C++ program, on PyGPU's streams and memory."""

    def __init__(self, ours: Ours) -> None:
        with tempfile.TemporaryDirectory() as folder:
            self.twin = build_twin(__file__, folder)
        self.ours = ours
        self.context = ctypes.c_void_p(int(cu.checked.cuCtxGetCurrent()))

    def seconds(self, row: str, threads: int, calls: int) -> float:
        """The time of so many calls by each thread."""
        streams = _pointers(one.handle for one in self.ours.streams)
        begin = [threads, ctypes.c_long(calls), _function("cuCtxSetCurrent"), self.context]
        if row == "launch":
            given = [[ctypes.c_void_p(int(one.ptr)), ctypes.c_float(1)] for one in self.ours.values]
            arrays = [_pointers(ctypes.addressof(one) for one in each) for each in given]
            all_arguments = _pointers(ctypes.addressof(one) for one in arrays)
            kernel = ctypes.c_void_p(int(self.ours.kernel.handle))
            call, rest = self.twin.launches, [kernel, BLOCK, streams, all_arguments]
            begin.append(_function("cuLaunchKernel"))
        else:
            up = row.startswith("set")
            device = _pointers(int(one.ptr) for one in self.ours.on_device)
            host = _pointers(one.ctypes.data for one in self.ours.on_host)
            ends = [device, host] if up else [host, device]
            call, rest = self.twin.copies, [*ends, ctypes.c_size_t(SIZE), streams]
            names = (
                "cuMemcpyHtoDAsync" if up else "cuMemcpyDtoHAsync",
                "cuStreamSynchronize",
            )
            begin += map(_function, names)
        call.restype = ctypes.c_double
        taken = float(call(*begin, *rest))
        if taken < 0:
            raise RuntimeError("a call in C++ failed")
        return taken


def _function(name: str) -> ctypes.c_void_p:
    return ctypes.c_void_p(cu.address(name))


def _pointers(addresses: Any) -> Any:
    every = list(addresses)
    return (ctypes.c_void_p * len(every))(*map(int, every))


class CuPy:
    """CuPy's kernels, streams and arrays."""

    def __init__(self, code: Any, threads: int) -> None:
        import cupy

        self.cupy = cupy
        self.kernel = cupy.RawKernel(SOURCE, "add")
        self.streams = [cupy.cuda.Stream(non_blocking=True) for _ in range(threads)]
        self.values = [cupy.zeros(BLOCK, np.float32) for _ in range(threads)]
        self.on_device = [cupy.zeros(SIZE // 4, np.float32) for _ in range(threads)]
        self.on_host = [np.zeros(SIZE // 4, np.float32) for _ in range(threads)]
        self.kernel((1,), (BLOCK,), (self.values[0], np.float32(1)))
        cupy.cuda.Device().synchronize()

    def launch(self, number: int) -> Work:
        kernel, stream = self.kernel, self.streams[number]
        given = (self.values[number], np.float32(1))

        def work(calls: int) -> None:
            with stream:
                for _ in range(calls):
                    kernel((1,), (BLOCK,), given)

        return work

    def get(self, number: int) -> Work:
        array, host, stream = self.on_device[number], self.on_host[number], self.streams[number]

        def work(calls: int) -> None:
            for _ in range(calls):
                array.get(stream=stream, out=host)

        return work

    def set(self, number: int) -> Work:
        array, host, stream = self.on_device[number], self.on_host[number], self.streams[number]

        def work(calls: int) -> None:
            for _ in range(calls):
                array.set(host, stream=stream)
                stream.synchronize()

        return work


class Torch:
    """PyTorch's streams and arrays."""

    def __init__(self, code: Any, threads: int) -> None:
        import torch

        self.torch = torch
        self.streams = [torch.cuda.Stream() for _ in range(threads)]
        self.on_device = [torch.zeros(SIZE // 4, device="cuda") for _ in range(threads)]
        self.on_host = [torch.zeros(SIZE // 4) for _ in range(threads)]
        torch.cuda.synchronize()

    def _copy(self, number: int, to: Any, source: Any) -> Work:
        stream = self.streams[number]

        def work(calls: int) -> None:
            with self.torch.cuda.stream(stream):
                for _ in range(calls):
                    to.copy_(source)

        return work

    def get(self, number: int) -> Work:
        return self._copy(number, self.on_host[number], self.on_device[number])

    def set(self, number: int) -> Work:
        return self._copy(number, self.on_device[number], self.on_host[number])


def seconds(works: list[Work], calls: int) -> float:
    """The time until all threads have made their calls, from a common start."""
    start = threading.Barrier(len(works) + 1)
    failed: list[BaseException] = []

    def body(work: Work) -> None:
        work(3)  # the thread's own state
        start.wait()
        try:
            work(calls)
        except BaseException as error:
            failed.append(error)

    every = [threading.Thread(target=body, args=(work,)) for work in works]
    for one in every:
        one.start()
    start.wait()
    begin = time.perf_counter()
    for one in every:
        one.join()
    taken = time.perf_counter() - begin
    if failed:
        raise failed[0]
    return taken


def rate(row: str, threads: int, calls: int, taken: float) -> float:
    """Thousand launches a second, or GB/s."""
    return (
        threads * calls / taken / 1e3 if row == "launch" else threads * calls * SIZE / taken / 1e9
    )


def measure(options: argparse.Namespace) -> dict[str, dict[str, list[float] | str]]:
    """For each row and number of threads, each candidate's rates."""
    code = compiler.compile(SOURCE, cache=False)
    ours = Ours(code, options.threads)
    candidates: dict[str, Any] = {"PyGPU": ours, "C++": InCpp(ours)}
    for shown, kind in {"CuPy": CuPy, "torch": Torch}.items():
        try:
            candidates[shown] = kind(code, options.threads)
        except Exception as error:
            candidates[shown] = f"{type(error).__name__}: {error}".partition("\n")[0][:30]
    wait = PyGPU.checked.cudaDeviceSynchronize
    found: dict[str, dict[str, list[float] | str]] = {}
    for row in ROWS:
        calls = options.calls if row == "launch" else options.calls // 10
        for threads in (1, options.threads):
            cells: dict[str, list[float] | str] = {}
            for _ in range(options.rounds):
                for shown, one in candidates.items():
                    method = None if isinstance(one, str) else getattr(one, row.split()[0], None)
                    if shown != "C++" and method is None:
                        cells[shown] = one if isinstance(one, str) else "-"
                        continue
                    wait()
                    if shown == "C++":
                        taken = one.seconds(row, threads, calls)
                    else:
                        taken = seconds([method(n) for n in range(threads)], calls)
                    wait()
                    rates = cells.setdefault(shown, [])
                    assert isinstance(rates, list)
                    rates.append(rate(row, threads, calls, taken))
            found[f"{row}, {threads} thread{'s' if threads > 1 else ''}"] = cells
    return found


def missed(found: dict[str, dict[str, list[float] | str]], threads: int) -> list[str]:
    """The goals that aren't reached, in words."""

    def best(row: str, shown: str) -> float:
        cell = found[row][shown]
        assert isinstance(cell, list)
        return max(cell)

    many = f", {threads} threads"
    due = LEAST_SHARE * min(best("launch, 1 thread", "PyGPU"), best("launch" + many, "C++"))
    lines = []
    if best("launch" + many, "PyGPU") < due:
        lines.append(f"launch{many}: under {due:,.0f} thousand a second")
    for row in ROWS[1:]:
        if best(row + many, "PyGPU") < LEAST_GB_S:
            lines.append(f"{row}{many}: under {LEAST_GB_S} GB/s")
    return lines


def main() -> int:
    """Measure by turns, print the table, write what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each candidate")
    parser.add_argument(
        "--calls", type=int, default=1000, help="launches of a thread; a tenth as many copies"
    )
    parser.add_argument("--json", metavar="FILE", help="write the numbers to FILE, or - for stdout")
    parser.add_argument("--check", action="store_true", help="fail where a goal is missed")
    options = parser.parse_args()
    found = measure(options)
    lines = missed(found, options.threads)
    if options.json != "-":
        shown = ["PyGPU", "C++", "CuPy", "torch"]

        def text(cell: list[float] | str) -> str:
            if isinstance(cell, str):
                return cell
            return f"{max(cell):,.1f} / {statistics.median(cell):,.1f}"

        rows = [[row, *(text(cells[one]) for one in shown)] for row, cells in found.items()]
        print_table("thousand launches a second, GB/s: best / median", ["", *shown], rows)
        print("\n".join(lines or ["all goals are reached"]))
    if options.json:
        cells = {
            row: {
                k: v if isinstance(v, str) else {"best": max(v), "median": statistics.median(v)}
                for k, v in each.items()
            }
            for row, each in found.items()
        }
        data = {**machine(), "backend": PyGPU.backend, "threads": options.threads, "rows": cells}
        write_json(data | {"missed": lines}, options.json)
    return 1 if options.check and lines else 0


if __name__ == "__main__":
    sys.exit(run(main))
