"""Moving, casting and reducing on a device: PyGPU and its peers, by turns, beside a plain copy.

    python benchmarks/device.py [--sizes BYTES...] [--dtypes NAME...] [--only TEXT...] [--rounds N]
                                [--json FILE|-] [--plot FILE] [--check]

Each row is one call on a square array, or one of three axes, of about so many bytes. The numbers
are microseconds of a call, with many calls in flight and one wait at the end. "copy" is
cudaMemcpyAsync of as many bytes as the call writes, or for a cast, a reduction or a scan of half
the bytes that it reads and writes, so that it moves as many; the last column is its time over
PyGPU's. A peer that isn't installed, or lacks the call, has no number. numba's calls are kernels
as its users write them. --plot draws the last column's share for each library over the sizes.

With --check the exit code is 1 if PyGPU is slower than a peer by more than a tenth, in a call of 1
MiB or more, or takes more than 6 us for one of 4 KiB.
"""

from __future__ import annotations

import argparse
import functools
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from measure import Cell, machine, print_table, run, write_json

import PyGPU

SIZES = (4 << 10, 1 << 20, 64 << 20)
DTYPES = ("uint8", "float32", "complex128")
SMALL, SMALL_TARGET = 4 << 10, 6.0  # bytes, us
SLOWER = 1.1
ROUND = 4e-3  # seconds of a round, about
CASTS = {"float32": ("float16", "float64", "int32"), "complex128": ("complex64",)}
OTHER_CASTS = ("float32", "bool")

Call = Callable[[], object]


def double_and_add(a: Any, d: Any) -> Any:
    return 2 * a + d  # a kernel gets the function's name: CuPy can't fuse a lambda


class Library:
    """The calls of one library; `a` and `d` are square, `b` is half as wide, `c` has three axes."""

    name = "PyGPU"

    def __init__(self, side: int, dtype: str) -> None:
        deep = max(side // 64, 8) // 8 * 8
        self.casts = CASTS.get(dtype, OTHER_CASTS)
        self.a = self.array(np.ones((side, side), dtype))
        self.b = self.array(np.ones((side, side // 2), dtype))
        self.d = self.array(np.ones((side, side), dtype))
        self.c = self.array(np.ones((deep, deep, max(side * side // deep // deep, 1)), dtype))

    def array(self, values: Any) -> Any:
        return PyGPU.to_gpu(values)

    def compact(self, view: Any) -> Any:
        return view.copy("C")

    def turned(self, array: Any, *axes: int) -> Any:
        return array.transpose(*axes)

    def wait(self) -> None:
        PyGPU.checked.cudaDeviceSynchronize()

    def rows(self) -> dict[str, Call]:
        a, b, c, d = self.a, self.b, self.c, self.d

        def set_columns() -> None:
            a[:, ::2] = b

        def set_number() -> None:
            a[:, 1::2] = 3

        def cast(dtype: str) -> Call:
            return lambda: self.cast(a, dtype)

        return {
            **{f"a.astype({dtype})": cast(dtype) for dtype in self.casts},
            f"a[:, ::2].astype({self.casts[0]})": lambda: self.cast(a[:, ::2], self.casts[0]),
            "a.T.copy()": lambda: self.compact(a.T),
            "a[:, ::2].copy()": lambda: self.compact(a[:, ::2]),
            "a[::2].copy()": lambda: self.compact(a[::2]),
            "a[::-1].copy()": lambda: self.reversed(a, 0),
            "a[:, ::-1].copy()": lambda: self.reversed(a, 1),
            "a[:, ::2] = b": set_columns,
            "a[:, 1::2] = 3": set_number,
            "a.fill(3)": lambda: self.fill(a),
            "stack((a, a), 2)": lambda: self.stack(a, 2),
            "stack((a, a), 0)": lambda: self.stack(a, 0),
            "concatenate((a, b), 1)": lambda: self.join(a, b),
            "c.transpose(1, 0, 2).copy()": lambda: self.compact(self.turned(c, 1, 0, 2)),
            "c.transpose(2, 1, 0).copy()": lambda: self.compact(self.turned(c, 2, 1, 0)),
            "c.transpose(0, 2, 1).copy()": lambda: self.compact(self.turned(c, 0, 2, 1)),
            "a + d": lambda: a + d,
            "2 * a + d": lambda: 2 * a + d,
            "fuse(2 * a + d)": self.fused(double_and_add),
            "a.sum()": lambda: a.sum(),
            "a.sum(0)": lambda: a.sum(0),
            "a.sum(1)": lambda: a.sum(1),
            "a[:, ::2].sum()": lambda: a[:, ::2].sum(),
            "a.max()": lambda: a.max(),
            "dot(a, a)": lambda: self.dot(a),
            "cumsum(a)": lambda: self.cumsum(a),
            "random uniform": lambda: self.uniform(a),
            "random normal": lambda: self.normal(a),
        }

    def fused(self, function: Any) -> Call:
        from PyGPU.elementwise import fuse

        one = fuse(function)
        return lambda: one(self.a, self.d)

    def reversed(self, array: Any, axis: int) -> Any:
        return self.compact(array[::-1] if axis == 0 else array[:, ::-1])

    def cast(self, array: Any, dtype: str) -> Any:
        return array.astype(dtype)

    def fill(self, array: Any) -> None:
        array.fill(3)

    def stack(self, array: Any, axis: int) -> Any:
        return PyGPU.stack([array, array], axis)

    def join(self, one: Any, other: Any) -> Any:
        return PyGPU.concatenate([one, other], 1)

    def dot(self, array: Any) -> Any:
        return PyGPU.dot(array, array)

    def cumsum(self, array: Any) -> Any:
        return array.cumsum()

    def uniform(self, array: Any) -> Any:
        from PyGPU import curandom

        return curandom.rand(array.shape, array.dtype)

    def normal(self, array: Any) -> Any:
        return self.generator.gen_normal(array.shape, array.dtype)

    @functools.cached_property
    def generator(self) -> Any:
        from PyGPU import curandom

        return curandom.PhiloxRandomNumberGenerator()


class CuPy(Library):
    name = "CuPy"

    def array(self, values: Any) -> Any:
        import cupy

        self.module = cupy
        return cupy.asarray(values)

    def compact(self, view: Any) -> Any:
        return view.copy()

    def wait(self) -> None:
        self.module.cuda.Device().synchronize()

    def fused(self, function: Any) -> Call:
        one = self.module.fuse(function)
        return lambda: one(self.a, self.d)

    def stack(self, array: Any, axis: int) -> Any:
        return self.module.stack([array, array], axis)

    def join(self, one: Any, other: Any) -> Any:
        return self.module.concatenate([one, other], 1)

    def dot(self, array: Any) -> Any:
        return self.module.dot(array.ravel(), array.ravel())

    def uniform(self, array: Any) -> Any:
        return self.module.random.random(array.shape, array.dtype)

    def normal(self, array: Any) -> Any:
        return self.module.random.standard_normal(array.shape, array.dtype)


class Torch(Library):
    name = "torch"

    def array(self, values: Any) -> Any:
        import torch

        self.module = torch
        return torch.as_tensor(values, device="cuda")

    def compact(self, view: Any) -> Any:
        return view.clone(memory_format=self.module.contiguous_format)

    def turned(self, array: Any, *axes: int) -> Any:
        return array.permute(*axes)

    def wait(self) -> None:
        self.module.cuda.synchronize()

    def fused(self, function: Any) -> Call:
        def absent() -> None:
            raise NotImplementedError

        return absent

    def reversed(self, array: Any, axis: int) -> Any:
        return self.module.flip(array, (axis,))

    def cast(self, array: Any, dtype: str) -> Any:
        return array.to(getattr(self.module, dtype), memory_format=self.module.contiguous_format)

    def fill(self, array: Any) -> None:
        array.fill_(3)

    def stack(self, array: Any, axis: int) -> Any:
        return self.module.stack([array, array], axis)

    def join(self, one: Any, other: Any) -> Any:
        return self.module.cat([one, other], 1)

    def dot(self, array: Any) -> Any:
        return self.module.dot(array.view(-1), array.view(-1))

    def cumsum(self, array: Any) -> Any:
        return self.module.cumsum(array.view(-1), 0)

    def uniform(self, array: Any) -> Any:
        return self.module.rand(array.shape, dtype=array.dtype, device="cuda")

    def normal(self, array: Any) -> Any:
        return self.module.randn(array.shape, dtype=array.dtype, device="cuda")


class Numba(Library):
    name = "numba"

    def array(self, values: Any) -> Any:
        from numba import cuda

        self.module = cuda
        return cuda.to_device(values.ravel())

    def rows(self) -> dict[str, Call]:
        cuda = self.module

        @cuda.jit
        def add(result: Any, a: Any, d: Any) -> None:
            for at in range(cuda.grid(1), result.size, cuda.gridsize(1)):
                result[at] = a[at] + d[at]

        @cuda.jit
        def twice_and_add(result: Any, a: Any, d: Any) -> None:
            for at in range(cuda.grid(1), result.size, cuda.gridsize(1)):
                result[at] = 2 * a[at] + d[at]

        def call(kernel: Any) -> Call:
            blocks = min((self.a.size + 255) // 256, 1 << 16)

            def one() -> None:
                result = cuda.device_array_like(self.a)
                kernel[blocks, 256](result, self.a, self.d)

            return one

        total = cuda.reduce(lambda one, other: one + other)
        result = cuda.device_array(1, self.a.dtype)
        return {
            "a + d": call(add),
            "fuse(2 * a + d)": call(twice_and_add),
            "a.sum()": lambda: total(self.a, res=result),
        }


class Raw(Library):
    """The runtime's copy of as many bytes as each row writes, or half of what a reduction reads."""

    name = "copy"

    def rows(self) -> dict[str, Call]:
        # Outside of PyGPU's pool, which keeps a sixteenth of the device's memory for new arrays.
        to, source = self.memory = [PyGPU.checked.cudaMalloc(5 * self.a.nbytes) for _ in range(2)]
        copy, kind = PyGPU.checked.cudaMemcpyAsync, PyGPU.cudaMemcpyDeviceToDevice
        whole, half = self.a.nbytes, self.b.nbytes
        summed = self.a.size * np.cumsum(np.empty(1, self.a.dtype)).itemsize
        written = {"stack": 2 * whole, "concat": whole + half}
        written |= {"a.sum": half, "a.max": half, "dot": half, "cumsum": (whole + summed) // 2}
        halves = ("a[:, ::2]", "a[::2]", "a[:, 1::2]")

        def call(row: str) -> Call:
            size = next((n for start, n in written.items() if row.startswith(start)), whole)
            size = half if row.startswith(halves) else size
            size = self.c.nbytes if row.startswith("c.") else size
            if ".astype(" in row:
                due = np.dtype(row.rpartition("(")[2].rstrip(")"))
                size += size // self.a.itemsize * due.itemsize
                size //= 2
            return lambda: copy(to, source, size, kind, 0)

        return {row: call(row) for row in super().rows()}

    def __del__(self) -> None:
        for one in self.memory:
            PyGPU.checked.cudaFree(one)


def libraries(side: int, dtype: str) -> dict[str, Library | str]:
    found: dict[str, Library | str] = {}
    for kind in (Library, CuPy, Torch, Numba, Raw):
        try:
            found[kind.name] = kind(side, dtype)
        except (ImportError, RuntimeError) as error:
            found[kind.name] = str(error).splitlines()[0][:40] or type(error).__name__
    return found


def timed(library: Library, call: Call, calls: int) -> float:
    library.wait()
    begin = time.perf_counter()
    for _ in range(calls):
        call()
    library.wait()
    return (time.perf_counter() - begin) / calls


def measured(side: int, dtype: str, only: list[str], rounds: int) -> dict[str, dict[str, Cell]]:
    rows: dict[str, dict[str, Cell]] = {}
    calls: dict[tuple[str, str], tuple[Library, Call, int]] = {}
    for name, library in libraries(side, dtype).items():
        if isinstance(library, str):
            continue
        for row, call in library.rows().items():
            if only and not any(text in row for text in only):
                continue
            cell = rows.setdefault(row, {})[name] = Cell()
            try:
                timed(library, call, 2)
                often = int(ROUND / max(timed(library, call, 3), 1e-6))
                calls[row, name] = library, call, min(max(often, 2), 100)
            except Exception as error:
                cell.absent = type(error).__name__
    for _ in range(rounds):
        for (row, name), (library, call, often) in calls.items():
            rows[row][name].times.append(timed(library, call, often) * 1e6)
    return rows


def plot(results: dict[str, Any], target: str) -> None:
    """Draw how near each library comes to a plain copy, over the sizes: a picture for each row.

    `results` are the rows of main(), by dtype and bytes. Needs matplotlib.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    dtype = next(iter(results)).split()[0]
    sizes = {int(key.split()[1]): rows for key, rows in results.items() if key.startswith(dtype)}
    names = list(next(iter(sizes.values())))
    columns = 4
    figure, axes = pyplot.subplots(
        -(-len(names) // columns),
        columns,
        figsize=(14, 2.2 * -(-len(names) // columns)),
        sharex=True,
        sharey=True,
        squeeze=False,
    )
    for axis, row in zip(axes.flat, names, strict=False):
        for library in ("PyGPU", "CuPy", "torch", "numba"):
            points = [
                (size, rows[row]["copy"]["min"] / rows[row][library]["min"])
                for size, rows in sorted(sizes.items())
                if "min" in rows[row].get(library, {})
            ]
            axis.plot(*zip(*points, strict=True) if points else ([], []), "o-", ms=3, label=library)
        axis.set_title(row, fontsize=8)
        axis.set_xscale("log", base=2)
        axis.set_ylim(0, 1.5)
    for axis in axes.flat[len(names) :]:
        axis.axis("off")
    axes.flat[0].legend(fontsize=7)
    figure.supxlabel(f"bytes of the array, {dtype}")
    figure.supylabel("speed, as a share of cudaMemcpy's")
    figure.tight_layout()
    figure.savefig(target)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES)
    parser.add_argument("--dtypes", nargs="*", default=DTYPES)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json")
    parser.add_argument("--plot")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    results: dict[str, Any] = {}
    missed = []
    for dtype in arguments.dtypes:
        for size in arguments.sizes:
            side = int((size / np.dtype(dtype).itemsize) ** 0.5) // 4 * 4
            rows = measured(side, dtype, arguments.only, arguments.rounds)
            header = ("us", "PyGPU", "CuPy", "torch", "numba", "copy", "copy/PyGPU")
            lines = []
            for row, cells in rows.items():
                one = cells["PyGPU"]
                texts = [
                    f"{cells[name].least:,.1f}" if name in cells and cells[name].times else "-"
                    for name in header[1:6]
                ]
                share = cells["copy"].least / one.least if one.times else 0
                lines.append((row, *texts, f"{share:.0%}"))
                peers = [
                    cells[name].least
                    for name in ("CuPy", "torch", "numba")
                    if name in cells and cells[name].times
                ]
                if not one.times:  # complex numbers have no maximum
                    continue
                late = peers and size >= 1 << 20 and one.least > SLOWER * min(peers)
                if late or (size <= SMALL and one.least > SMALL_TARGET):
                    missed.append(f"{row}, {dtype}, {size:,} bytes")
            print_table(f"{dtype}, {side:,} x {side:,}: {size:,} bytes", header, lines)
            results[f"{dtype} {size}"] = {
                row: {name: cell.as_json() for name, cell in cells.items()}
                for row, cells in rows.items()
            }
    for one in missed:
        print(f"missed: {one}")
    if arguments.json:
        write_json({**machine(), "unit": "us", "rows": results}, arguments.json)
    if arguments.plot:
        plot(results, arguments.plot)
    return int(arguments.check and bool(missed))


if __name__ == "__main__":
    sys.exit(run(main))
