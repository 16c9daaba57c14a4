"""How fast arrays cross the bus: PyGPU beside C++, CuPy, torch and numba, by turns, in GB/s.

    python benchmarks/transfer.py [--least BYTES] [--most BYTES] [--strided BYTES] [--rounds N]
                                  [--processes N] [--parts NAME,NAME] [--json FILE|-] [--png FILE]

Sizes are powers of four, 4 KiB to 4 GiB unless named. The host's memory is pageable, registered or
page-locked. Copies go up to the device, down into an existing array, and down into a new array.
PyGPU keeps 64 MiB of released page-locked memory. The peers keep all of it, so PyGPU is also
measured with a raised limit. C++ is cudaMemcpy of the same memory. Strided copies take half of
`--strided` bytes, or all of them transposed. A call ends when the data has arrived: the program
waits for uploads. All packages run in one process and take turns; a cell is the best of the rounds.
After that `--processes` processes copy at once.

The program also measures the machine: memcpy by threads, and to memory with fresh pages. The part
"ways" runs only if --parts names it. It forces each way of PyGPU's table where that way is
possible, and numbers of threads. The thresholds in src/handwritten/arrays/transfer/way.hpp come
from these numbers. The program prints each table, and writes the JSON, as soon as a part is
measured.
"""

from __future__ import annotations

import argparse
import ctypes
import itertools
import json
import math
import os
import subprocess
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
from PyGPU._core import arrays

Call = Callable[[], object]
PACKAGES = ("C++", "PyGPU", "CuPy", "torch", "numba")
DIRECTIONS = {
    "pageable": ("up", "down", "new"),
    "registered": ("up", "down"),
    "page-locked": ("up", "down", "new page-locked"),
    "page-locked, limit raised": ("new page-locked",),
}
LIMIT = 64 << 20  # bytes of page-locked memory that PyGPU keeps by default
WAYS = ("direct", "upload_ring", "bounce", "pieces")
STRIDED: dict[str, Callable[[Any], Any]] = {
    "half of each row": lambda a: a[:, : a.shape[1] // 2],
    "every second row": lambda a: a[::2],
    "transposed": lambda a: a.T,
    "every second column": lambda a: a[:, ::2],
    "rows of 64 bytes": lambda a: a.reshape(-1, 16)[:, :8],
}
TO_DEVICE, TO_HOST = 1, 2  # cudaMemcpyKind
ENOUGH = 64 << 20  # bytes that a round copies at least, in several calls
MOST_CALLS = 500
FEWER_FROM = 4 << 30  # bytes in all rounds; beyond it there are fewer rounds
MOST_FORCED = 256 << 20  # bytes: some ways need page-locked memory for the whole copy
PARTS = ("host", "contiguous", "strided", "processes", "ways")


def in_words(size: int) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024 or unit == "GiB":
            return f"{size:g} {unit}" if size % 1 == 0 else f"{size:.1f} {unit}"
        size = size // 1024 if size % 1024 == 0 else size / 1024  # type: ignore[assignment]
    raise AssertionError


def memory(kind: str, size: int) -> tuple[Any, Any]:
    """A numpy array of bytes, with each page touched, and the object that keeps it registered."""
    if kind.startswith("page-locked"):
        return PyGPU.pagelocked_zeros(size, "u1"), None
    host = np.ones(size, "u1")
    return host, PyGPU.register(host) if kind == "registered" else None


class Peer:
    """How a package copies between an array of the host and an array of the device."""

    def __init__(self, module: Any) -> None:
        self.module = module

    def wait(self) -> None:
        PyGPU.checked.cudaDeviceSynchronize()


class Mine(Peer):
    def calls(self, host: Any, view: Callable[[Any], Any] = lambda a: a) -> dict[str, Call]:
        there = view(PyGPU.to_gpu(host))
        # Reading the address waits for the upload.
        return {
            "up": lambda: (there.set(view(host)), there.ptr),
            "down": lambda: there.get(view(host)),
            "new": lambda: there.get(),
            "new page-locked": lambda: there.get(pagelocked=True),
        }


class CuPy(Peer):
    def wait(self) -> None:
        self.module.cuda.runtime.deviceSynchronize()

    def calls(self, host: Any, view: Callable[[Any], Any] = lambda a: a) -> dict[str, Call]:
        there = view(self.module.asarray(host))
        found: dict[str, Call] = {
            "up": lambda: (there.set(view(host)), self.wait()),
            "new": lambda: there.get(),
        }
        if view(host).flags.c_contiguous:
            from cupyx import empty_pinned

            found["down"] = lambda: there.get(out=host)
            found["new page-locked"] = lambda: there.get(out=empty_pinned(there.shape, there.dtype))
        return found


class Torch(Peer):
    def wait(self) -> None:
        self.module.cuda.synchronize()

    def calls(self, host: Any, view: Callable[[Any], Any] = lambda a: a) -> dict[str, Call]:
        mine = view(self.module.from_numpy(host))
        there = view(self.module.from_numpy(host).cuda())
        return {
            "up": lambda: (there.copy_(mine), self.wait()),
            "down": lambda: mine.copy_(there),
            "new": lambda: there.cpu(),
            "new page-locked": lambda: self.module.empty_like(
                there, device="cpu", pin_memory=True
            ).copy_(there),
        }


class Numba(Peer):
    def wait(self) -> None:
        self.module.synchronize()

    def calls(self, host: Any, view: Callable[[Any], Any] = lambda a: a) -> dict[str, Call]:
        there = view(self.module.to_device(host))
        return {
            "up": lambda: (there.copy_to_device(view(host)), self.wait()),
            "down": lambda: there.copy_to_host(view(host)),
            "new": lambda: there.copy_to_host(),
        }


class Cpp(Peer):
    """cudaMemcpy by transfer.cpp."""

    def calls(self, host: Any, view: Callable[[Any], Any] | None = None) -> dict[str, Call]:
        if view is not None:
            raise TypeError("cudaMemcpy copies runs of bytes")
        there = PyGPU.empty(host.nbytes, "u1")
        address, size = ctypes.c_void_p(host.ctypes.data), ctypes.c_size_t(host.nbytes)
        copy = ctypes.c_void_p(PyGPU.cuda.address("cudaMemcpy"))
        on_device = ctypes.c_void_p(there.ptr)

        def down() -> tuple[float, Any]:
            return self.module.copies(copy, address, on_device, size, TO_HOST, 1), there

        return {
            "up": lambda: self.module.copies(copy, on_device, address, size, TO_DEVICE, 1),
            "down": down,
        }


def peers(folder: str) -> tuple[dict[str, Peer], dict[str, str]]:
    """The packages that work here, with their devices awake, and why the others don't."""

    def cpp() -> Peer:
        twin = build_twin(__file__, folder)
        twin.copies.restype = ctypes.c_double
        twin.copies.argtypes = [ctypes.c_void_p] * 3 + [
            ctypes.c_size_t,
            ctypes.c_int,
            ctypes.c_long,
        ]
        return Cpp(twin)

    def cupy() -> Peer:
        import cupy

        return CuPy(cupy)

    def torch() -> Peer:
        import torch

        torch.zeros(1).cuda()
        return Torch(torch)

    def numba() -> Peer:
        from numba import cuda

        return Numba(cuda)

    makers = {
        "C++": cpp, "PyGPU": lambda: Mine(PyGPU), "CuPy": cupy, "torch": torch, "numba": numba,
    }  # fmt: skip
    found, missing = {}, {}
    for name, make in makers.items():
        try:
            found[name] = make()
            found[name].calls(np.ones(64, "u1"))["up"]()
        except Exception as error:  # anything that a package raises without its device
            found.pop(name, None)
            missing[name] = "absent" if isinstance(error, ImportError) else type(error).__name__
    return found, missing


def turns(calls: dict[str, Call], size: int, rounds: int, wait: Call) -> dict[str, float]:
    """GB/s of each call, the best of some rounds, in turns; large copies get fewer rounds."""
    rounds = min(rounds, max(2, FEWER_FROM // max(size, 1)))
    times = max(1, min(ENOUGH // max(size, 1), MOST_CALLS))
    best = dict.fromkeys(calls, math.inf)
    for call in calls.values():
        call()
    for _ in range(rounds):
        for name, call in calls.items():
            wait()
            begin = time.perf_counter()
            for _ in range(times):
                call()
            best[name] = min(best[name], (time.perf_counter() - begin) / times)
    return {name: size / seconds / 1e9 for name, seconds in best.items()}


def contiguous(
    found: dict[str, Peer], sizes: list[int], rounds: int
) -> dict[str, dict[int, dict[str, float]]]:
    """GB/s by "kind, direction", size and package."""
    result: dict[str, dict[int, dict[str, float]]] = {}
    for size in sizes:
        print(f"{in_words(size)} ...", file=sys.stderr, flush=True)
        for kind in DIRECTIONS:
            PyGPU.set_pinned_limit(4 * size if kind.endswith("limit raised") else LIMIT)
            host, keeper = memory(kind, size)
            calls = {name: peer.calls(host) for name, peer in found.items()}
            for way in DIRECTIONS[kind]:
                here = {name: call[way] for name, call in calls.items() if way in call}
                speeds = turns(here, size, rounds, Mine(None).wait)
                result.setdefault(f"{kind}, {way.split()[0]}", {})[size] = speeds
            del calls, keeper
    PyGPU.set_pinned_limit(LIMIT)
    return result


def strided(found: dict[str, Peer], size: int, rounds: int) -> dict[str, dict[str, float]]:
    """GB/s by "kind, direction" and package; a package that can't copy so is left out."""
    side = max(math.isqrt(size // 8) & ~15, 16)
    host = np.ones((side, side))
    result: dict[str, dict[str, float]] = {}
    for name, view in STRIDED.items():
        calls = {}
        for package, peer in found.items():
            try:
                calls[package] = peer.calls(host, view)
            except Exception:
                continue
        for way in ("up", "down", "new"):
            here = {}
            for package, call in calls.items():
                try:
                    call[way]()
                    here[package] = call[way]
                except Exception:
                    continue
            result[f"{name}, {way}"] = turns(here, view(host).nbytes, rounds, Mine(None).wait)
    return result


def forced(sizes: list[int], rounds: int) -> dict[str, dict[int, dict[str, float]]]:
    """GB/s with each way forced, and for pieces with several numbers of threads."""
    result: dict[str, dict[int, dict[str, float]]] = {}
    for size in (1 << bits for bits in range(sizes[0].bit_length() - 1, 64)):
        if size > min(MOST_FORCED, sizes[-1]):
            break
        host = np.ones(size, "u1")
        mine = Mine(None).calls(host)
        for way in ("up", "down"):
            calls: dict[str, Call] = {}
            for name in (None, *WAYS):
                if name == "upload_ring" and (way == "down" or size > 64 << 10):
                    continue

                def call(name: str | None = name, copy: Call = mine[way]) -> None:
                    arrays._set_copies(forced=name)
                    copy()

                calls[name or "as it is"] = call
            for threads, piece in itertools.product((1, 2, 4, 8), (128, 256, 512, 1024, 2048)):
                if (threads - 1) * piece << 10 >= size:
                    continue

                def by(
                    threads: int = threads, piece: int = piece << 10, copy: Call = mine[way]
                ) -> None:
                    arrays._set_copies(forced="pieces", threads=threads, piece=piece)
                    copy()

                calls[f"{threads} x {piece} KiB"] = by
            result.setdefault(way, {})[size] = turns(calls, size, rounds, Mine(None).wait)
    arrays._set_copies()
    return result


def of_the_machine(size: int, rounds: int) -> dict[str, float]:
    """GB/s of copies within the host's memory."""
    source, target = np.ones(size, "u1"), np.ones(size, "u1")

    def by(threads: int) -> Call:
        parts = np.linspace(0, size, threads + 1).astype(int)

        def copy() -> None:
            work = [
                threading.Thread(target=np.copyto, args=(target[low:high], source[low:high]))
                for low, high in itertools.pairwise(parts)
            ]
            for one in work:
                one.start()
            for one in work:
                one.join()

        return copy

    calls: dict[str, Call] = {f"memcpy, {n} threads": by(n) for n in (1, 2, 4, 8)}
    calls["memcpy to fresh pages"] = lambda: np.copyto(np.empty(size, "u1"), source)
    return turns(calls, size, rounds, lambda: None)


def copy_for_others(size: int, seconds: float) -> None:
    """The program of each process: it says ready, waits for a line, copies, and prints its GB/s."""
    calls = Mine(None).calls(np.ones(size, "u1"))
    print("ready", flush=True)
    sys.stdin.readline()
    speeds = {}
    for way in ("up", "down"):
        begin, copied = time.perf_counter(), 0
        while time.perf_counter() - begin < seconds:
            calls[way]()
            copied += size
        speeds[way] = copied / (time.perf_counter() - begin) / 1e9
    print(json.dumps(speeds), flush=True)


def side_by_side(count: int, size: int, seconds: float) -> dict[str, dict[str, float]]:
    """GB/s of one process, and of `count` processes at once: the sum and the slowest."""
    result: dict[str, dict[str, float]] = {}
    for number in sorted({1, count}):
        command = [sys.executable, __file__, "--other", f"{size},{seconds}"]
        pipe = subprocess.PIPE
        work = [
            subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) for _ in range(number)
        ]
        for one in work:
            assert one.stdout
            assert one.stdout.readline() == "ready\n"
        said = []
        for one in work:
            assert one.stdin
            one.stdin.write("\n")
            one.stdin.flush()
        for one in work:
            said.append(json.loads(one.communicate()[0]))
        for way in ("up", "down"):
            speeds = [one[way] for one in said]
            name = f"{number} process{'es' if number > 1 else ''}, {way}"
            result[name] = {"sum": sum(speeds), "slowest": min(speeds)}
    return result


def draw(found: dict[str, dict[int, dict[str, float]]], path: str) -> None:
    """Draw GB/s over the size for each kind and direction; a line is the link's limit."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, many = pyplot.subplots(
        math.ceil(len(found) / 3), 3, figsize=(14, 10), sharey=True, squeeze=False
    )
    link = max(
        speed
        for title, by_size in found.items()
        if not title.startswith("pageable")
        for cells in by_size.values()
        for speed in cells.values()
    )
    for axes, (title, by_size) in zip(many.flat, found.items(), strict=False):
        for package in PACKAGES:
            sizes = [size for size, cells in by_size.items() if package in cells]
            if sizes:
                speeds = [by_size[size][package] for size in sizes]
                axes.plot(sizes, speeds, marker=".", label=package)
        axes.axhline(link, color="grey", linestyle=":", label="fastest page-locked copy")
        axes.set_xscale("log", base=4)
        axes.set_title(title)
        axes.set_xlabel("bytes")
        axes.set_ylabel("GB/s")
    many.flat[0].legend()
    figure.tight_layout()
    figure.savefig(path, dpi=150)


def show(title: str, rows: dict[str, dict[str, float]], missing: dict[str, str]) -> None:
    columns = list(dict.fromkeys([*(name for cells in rows.values() for name in cells), *missing]))
    if set(columns) <= set(PACKAGES):
        columns.sort(key=PACKAGES.index)
    table = [
        [
            name,
            *(f"{cells[one]:.2f}" if one in cells else missing.get(one, "-") for one in columns),
        ]
        for name, cells in rows.items()
    ]
    print_table(f"{title}, GB/s, the best of the rounds", ["", *columns], table)


def sized(by_size: dict[int, dict[str, float]]) -> dict[str, dict[str, float]]:
    return {in_words(size): cells for size, cells in by_size.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--least", type=int, default=4 << 10, metavar="BYTES")
    parser.add_argument("--most", type=int, default=4 << 30, metavar="BYTES")
    parser.add_argument("--strided", type=int, default=512 << 20, metavar="BYTES")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--processes", type=int, default=4, metavar="N")
    parser.add_argument("--seconds", type=float, default=2, help="that processes copy at once")
    parser.add_argument("--parts", default=",".join(PARTS[:-1]), metavar="NAME,NAME")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--png", metavar="FILE")
    parser.add_argument("--other", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.other:
        size, seconds = options.other.split(",")
        copy_for_others(int(size), float(seconds))
        return 0
    sizes = [options.least]
    while sizes[-1] * 4 <= options.most:
        sizes.append(sizes[-1] * 4)
    parts = options.parts.split(",")
    if unknown := set(parts) - set(PARTS):
        parser.error(f"--parts: {', '.join(sorted(unknown))}: not among {', '.join(PARTS)}")
    rounds, middle = options.rounds, sizes[len(sizes) * 2 // 3]
    facts = {"backend": PyGPU.backend, "processors": len(os.sched_getaffinity(0)), **machine()}
    data: dict[str, Any] = {"machine": facts, "unit": "GB/s"}

    def done(part: str, measured: Any, *tables: tuple[str, dict[str, dict[str, float]]]) -> None:
        data[part] = measured
        for title, rows in tables if options.json != "-" else ():
            show(title, rows, data["missing"] if part in ("contiguous", "strided") else {})
        if options.json and (options.json != "-" or part == parts[-1]):
            write_json(data, options.json)

    with tempfile.TemporaryDirectory() as folder:
        found, data["missing"] = peers(folder)
        for part in parts:
            if part == "host":
                here = of_the_machine(max(middle, 1 << 20), rounds)
                done(part, here, ("Within the host's memory", {"": here}))
            elif part == "contiguous":
                by_kind = contiguous(found, sizes, rounds)
                done(part, by_kind, *((f"Contiguous, {t}", sized(by_kind[t])) for t in by_kind))
                if options.png:
                    draw(by_kind, options.png)
            elif part == "strided":
                by_stride = strided(found, options.strided, rounds)
                done(part, by_stride, (f"Strided, of {in_words(options.strided)}", by_stride))
            elif part == "processes":
                together = side_by_side(options.processes, middle, options.seconds)
                done(part, together, (f"Processes at once, {in_words(middle)}", together))
            else:
                by_way = forced(sizes, rounds)
                done(
                    part, by_way, *((f"By force, pageable, {w}", sized(by_way[w])) for w in by_way)
                )
    return 0


if __name__ == "__main__":
    sys.exit(run(main))
