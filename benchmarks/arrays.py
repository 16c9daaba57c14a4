"""What arrays cost: PyGPU beside CuPy, torch and numba in one run, in microseconds.

    python benchmarks/arrays.py [--rounds 7] [--calls 1] [--mib 1024] [--only TEXT] [--json FILE|-]
                                [--check]

All rows run in one process. The packages take turns, a round each, so that a change of the clock
affects all of them. The calls are those of an ordinary script: garbage collection is on, and each
package waits for its device only between rounds. `--calls 0.01` makes a round a hundredth as long.
`--mib` is the size of the large copies. `--only between` runs the rows with this text in their
name. Packages that aren't installed are shown as absent. With --check the exit code is 1 if PyGPU
misses a target. Under PYGPU_BACKEND=host the numbers are only PyGPU's own part, without a device.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import timeit
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from between_devices import TooFewDevicesError, host_rows, peer_rows
from measure import Cell, machine, print_table, run, write_json

import PyGPU

PACKAGES = ("PyGPU", "CuPy", "torch", "numba", "raw")  # raw: the runtime's own calls
Makers = dict[str, Callable[[Any], Callable[[], object]]]  # for each package: what it runs in a row
SMALL = np.arange(1024, dtype=np.float32)  # 4 KB
MIDDLE = np.arange(16384, dtype=np.float32)  # 64 KB


@dataclass(frozen=True)
class Row:
    """One operation: its name, PyGPU's target in microseconds, what each package runs for it."""

    name: str
    target: float | None
    calls: int
    make: Makers
    # Also a target: the share of the raw calls' speed, or of PyGPU's speed in the row `like`.
    share: float | None = None
    like: str | None = None


def absent(error: BaseException) -> str:
    """Why a package has no number."""
    if isinstance(error, TooFewDevicesError):
        return str(error)
    return "absent" if isinstance(error, ImportError) else type(error).__name__


def load(package: str) -> Any:
    """Import the package and wake its device; raises if the package or the device is missing."""
    if package in ("PyGPU", "raw"):
        PyGPU.to_gpu(SMALL).get()
        return PyGPU
    module = importlib.import_module({"CuPy": "cupy"}.get(package, package))
    if package == "CuPy":
        module.asarray(SMALL).get()
    elif package == "torch":
        module.from_numpy(SMALL).cuda().cpu()
    else:
        module = importlib.import_module("numba.cuda")
        module.to_device(SMALL).copy_to_host()
    return module


def wait(package: str, module: Any) -> None:
    if package in ("PyGPU", "raw"):
        PyGPU.checked.cudaDeviceSynchronize()
    elif package == "CuPy":
        module.cuda.runtime.deviceSynchronize()
    elif package == "torch":
        module.cuda.synchronize()
    else:
        module.synchronize()


def on(package: str, module: Any, host: Any) -> Any:
    """A device array with the elements of a numpy array."""
    if package in ("PyGPU", "raw"):
        return module.to_gpu(host)
    if package == "CuPy":
        return module.asarray(host)
    return module.from_numpy(host).cuda() if package == "torch" else module.to_device(host)


def method(text: str, host: Any = SMALL) -> Makers:
    """For each package: `text`, compiled; in it `a` is a device array and `m` the module."""
    made = {}
    for package in PACKAGES:

        def make(module: Any, package: str = package) -> Callable[[], object]:
            names = {"m": module, "a": on(package, module, host), "host": host}
            names["f4"] = module.float32 if package == "torch" else np.float32
            names["flat"] = np.empty_like(host)
            function: Callable[[], object] = eval(f"lambda: {text}", names)
            return function

        made[package] = make
    return made


def each(host: Any = SMALL, **texts: str) -> Makers:
    return {package: method(text, host)[package] for package, text in texts.items()}


def to_device(host: Any) -> Makers:
    """New arrays with the elements of a numpy array."""
    return each(
        host,
        PyGPU="m.to_gpu(host)",
        CuPy="m.asarray(host)",
        torch="m.from_numpy(host).cuda()",
        numba="m.to_device(host)",
    )


def to_host(host: Any) -> Makers:
    """New numpy arrays with the elements of a device array."""
    texts = {"PyGPU": "a.get()", "CuPy": "a.get()", "torch": "a.cpu()"}
    return each(host, **texts, numba="a.copy_to_host()")


def set_from(host: Any) -> Makers:
    """Copy the elements of a numpy array into an existing device array."""
    return each(
        host,
        PyGPU="a.set(host)",
        CuPy="a.set(host)",
        torch="a.copy_(m.from_numpy(host))",
        numba="a.copy_to_device(host)",
    )


def get_into(host: Any) -> Makers:
    """Copy the elements of a device array into an existing numpy array."""
    return each(
        host,
        PyGPU="a.get(flat)",
        CuPy="a.get(out=flat)",
        torch="m.from_numpy(flat).copy_(a)",
        numba="a.copy_to_host(flat)",
    )


def strided(host: Any, index: str) -> Makers:
    """Copy a view of a device array to the host."""
    texts = {"PyGPU": f"a[{index}].get()", "CuPy": f"a[{index}].get()"}
    return each(host, **texts, torch=f"a[{index}].cpu()")


def fill(value: str) -> Makers:
    return each(PyGPU=f"a.fill({value})", CuPy=f"a.fill({value})", torch=f"a.fill_({value})")


def rows() -> list[Row]:
    new = each(
        PyGPU="m.empty(1024, f4)",
        CuPy="m.empty(1024, f4)",
        torch="m.empty(1024, dtype=f4, device='cuda')",
        numba="m.device_array(1024, f4)",
    )
    turned = np.zeros((2, 1024), np.float32).T
    wide = np.zeros((64, 256), np.float32)
    copies = each(PyGPU="a.copy()", CuPy="a.copy()", torch="a.clone()")
    # Other libraries' kernels take the address: reading it waits for the copy.
    used = each(
        PyGPU="m.to_gpu(host).ptr",
        CuPy="m.asarray(host).data.ptr",
        torch="m.from_numpy(host).cuda().data_ptr()",
    )
    return [
        Row("new array, 4 KB", 1.2, 5000, new),
        Row("slice", 0.4, 20000, method("a[2:1000]")),
        Row("reshape", 0.4, 20000, method("a.reshape(32, 32)")),
        Row("to the device, 4 KB", 5, 5000, to_device(SMALL)),
        Row("to the device, 64 KB", None, 2000, to_device(MIDDLE)),
        Row("to the device, 4 KB, and its address", None, 5000, used),
        Row("set, 4 KB", None, 5000, set_from(SMALL)),
        Row("to the host, 4 KB", 8, 5000, to_host(SMALL)),
        Row("to the host, 64 KB", None, 2000, to_host(MIDDLE)),
        Row("to the host, 512 KB", None, 500, to_host(np.tile(MIDDLE, 8))),
        Row("strided to the host, 4 KB of 8", None, 2000, strided(turned, "::2")),
        Row("strided to the host, 64 rows of 512 B", None, 2000, strided(wide, ":, :128")),
        Row("one column to the host, 64 of 64 KB", None, 2000, strided(wide, ":, 3")),
        Row("fill with 0, 4 KB", None, 5000, fill("0")),
        Row("fill with 1.5, 4 KB", None, 2000, fill("1.5")),
        Row("set one number", None, 5000, method("a.__setitem__(7, 1.5)")),
        Row("copy on the device, 4 KB", None, 5000, copies),
    ]


def large_rows(mib: int) -> list[Row]:
    """Copies of so many MiB of ordinary memory: both ways, also by numbers of threads."""
    host = np.ones(mib << 18, dtype=np.float32)
    targets = {"to": round(mib * 2**20 / 40e3), "from": round(mib * 2**20 / 30e3)}  # GB/s
    rows = [
        Row(f"{mib} MiB of numpy to the device", targets["to"], 2, set_from(host)),
        Row(f"{mib} MiB to numpy", targets["from"], 2, get_into(host)),
        Row(f"{mib} MiB to a new numpy array", None, 2, to_host(host)),
    ]
    raw = "m.checked.cudaMemcpy({}, host.nbytes, {})"
    rows += [
        Row(f"{mib} MiB, cudaMemcpy {way}", None, 2, each(host, PyGPU=raw.format(*texts)))
        for way, texts in {"to": ("a.ptr, host", 1), "from": ("flat, a.ptr", 2)}.items()
    ]
    for number in (1, 2, 4, 6, 8, 12, 16):
        for way, call in {"to": "a.set(host)", "from": "a.get(flat)"}.items():
            text = f"(m._core.arrays._set_copies(threads={number}), {call})"
            rows.append(Row(f"{mib} MiB {way}, {number} threads", None, 2, each(host, PyGPU=text)))
    return rows


def rows_between(mib: int) -> list[Row]:
    found = [Row(name, None, calls, make, share) for name, share, calls, make in peer_rows(mib)]
    one, *others = host_rows(mib)
    found.append(Row(one[0], None, *one[2:]))
    return found + [
        Row(name, None, calls, make, share, one[0]) for name, share, calls, make in others
    ]


def misses(row: Row, cells: dict[str, Cell], by_row: dict[str, dict[str, Cell]]) -> bool:
    """Whether PyGPU has a number that is beyond the row's target."""
    mine = cells["PyGPU"]
    if not mine.times:
        return False
    like = by_row.get(row.like, cells)["PyGPU"] if row.like else cells["raw"]
    if row.share and like.times:
        return like.least < row.share * mine.least
    return row.target is not None and mine.least > row.target


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--calls", type=float, default=1, metavar="FACTOR")
    parser.add_argument("--mib", type=int, default=1024, metavar="SIZE")
    parser.add_argument("--only", default="", metavar="TEXT")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()

    modules: dict[str, Any] = {}
    missing: dict[str, str] = {}
    for package in PACKAGES:
        try:
            modules[package] = load(package)
        except Exception as error:  # anything that a package raises without its device
            missing[package] = absent(error)

    table, results, missed = [], {}, []
    by_row: dict[str, dict[str, Cell]] = {}
    every = rows() + rows_between(arguments.mib) + large_rows(arguments.mib)
    for row in (row for row in every if arguments.only in row.name):
        calls = max(1, round(row.calls * arguments.calls))
        cells = by_row[row.name] = {package: Cell() for package in PACKAGES}
        functions = {}
        for package, make in row.make.items():
            if package not in modules:
                continue
            try:
                functions[package] = make(modules[package])
                functions[package]()
            except Exception as error:
                functions.pop(package, None)
                cells[package].absent = absent(error)
        for _ in range(arguments.rounds):
            for package, function in functions.items():
                wait(package, modules[package])
                seconds = timeit.timeit(function, number=calls)
                wait(package, modules[package])
                cells[package].times.append(seconds / calls * 1e6)
        for package, cell in cells.items():
            if not cell.times and not cell.absent:
                cell.absent = missing.get(package, "no such call")
        others = [cells[p].least for p in PACKAGES[1:] if cells[p].times]
        measured = others and cells["PyGPU"].times
        ratio = f"{min(others) / cells['PyGPU'].least:.2f}x" if measured else "alone"
        target = "" if row.target is None else f"{row.target:g}"
        if row.share:
            target = f"{row.share:.0%} of {'one' if row.like else 'raw'}"
        if misses(row, cells, by_row):
            missed.append(row.name)
            target += " missed"
        table.append([row.name, target, *(str(cells[p]) for p in PACKAGES), ratio])
        results[row.name] = {
            "target": row.target,
            **{p: cell.as_json() for p, cell in cells.items()},
            "ratio": ratio,
        }
    header = ["microseconds, least / median", "target", *PACKAGES, "best other / PyGPU"]
    print_table(f"Arrays on {PyGPU.backend}", header, table)
    if arguments.json:
        facts = {"backend": PyGPU.backend, **machine()}
        write_json({"machine": facts, "unit": "microseconds", "rows": results}, arguments.json)
    return 1 if arguments.check and missed else 0


if __name__ == "__main__":
    sys.exit(run(main))
