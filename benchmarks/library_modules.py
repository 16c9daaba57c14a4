"""The modules of libraries beside cuda-bindings' and hip-python's: functions, import, first call.

    pip install cuda-bindings 'hip-python[libraries,systems]'
    python benchmarks/library_modules.py [--runs 7] [--json FILE|-]

Functions are the callables of the module that are no classes. Times are ms of a fresh interpreter
over a bare one, and the modules take turns. The first call is one that needs no GPU; where the
vendor's library isn't there, only the import is measured.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from measure import Cell, machine, print_table, run, write_json

COUNT = """
import importlib, sys
module = importlib.import_module(sys.argv[1])
values = [getattr(module, name) for name in dir(module) if not name.startswith("_")]
print(sum(callable(one) and not isinstance(one, type) for one in values))
"""
NVIDIA, AMD = "cuda.bindings", "rocm.bindings"

# Our module, the peer's package and module, and a first call of each.
ROWS = [
    ("cufile", NVIDIA, "cufile", "cuFileGetVersion()", "get_version()"),
    ("nvfatbin", NVIDIA, "nvfatbin", "nvFatbinVersion()", "version()"),
    ("nvjitlink", NVIDIA, "nvjitlink", "nvJitLinkVersion()", "version()"),
    ("nvml", NVIDIA, "nvml", "", ""),
    ("nvvm", NVIDIA, "nvvm", "nvvmVersion()", "version()"),
    ("amdsmi", AMD, "amdsmi", "", ""),
    ("hipblas", AMD, "hipblas", "", ""),
    ("hipblaslt", AMD, "hipblaslt", "", ""),
    ("hipfft", AMD, "hipfft", "", ""),
    ("hiprand", AMD, "hiprand", "", ""),
    ("hipsolver", AMD, "hipsolver", "", ""),
    ("hipsparse", AMD, "hipsparse", "", ""),
    ("rccl", AMD, "rccl", "", ""),
    ("roctx", AMD, "roctx", "", ""),
]


@dataclass
class Side:
    """One package's module of a library."""

    module: str
    call: str
    functions: int | None = None
    imported: Cell = field(default_factory=Cell)
    called: Cell = field(default_factory=Cell)

    def statements(self) -> Iterator[tuple[Cell, str]]:
        """What is timed."""
        load = f"import importlib; m = importlib.import_module({self.module!r})"
        yield self.imported, load
        if self.call:
            yield self.called, f"{load}; m.{self.call}"

    def texts(self) -> list[str]:
        """The table's cells."""
        functions = "-" if self.functions is None else str(self.functions)
        return [functions, *(f"{c.median:.1f}" if c.times else "-" for c in self.cells())]

    def cells(self) -> tuple[Cell, Cell]:
        return self.imported, self.called

    def as_json(self) -> dict[str, object]:
        """The same for machines."""
        imported, called = (cell.as_json() for cell in self.cells())
        return {"functions": self.functions, "import": imported, "first_call": called}


def python(*arguments: str) -> str | None:
    """The output of an interpreter, or None if it failed."""
    done = subprocess.run(
        [sys.executable, "-c", *arguments], capture_output=True, text=True, check=False
    )
    return None if done.returncode else done.stdout


def time_of(statement: str) -> float | None:
    """Milliseconds of an interpreter that runs the statement, or None if it failed."""
    start = time.perf_counter()
    output = python(statement)
    return None if output is None else (time.perf_counter() - start) * 1e3


def measure(sides: list[Side], runs: int) -> None:
    """Fill the cells. The first run only warms the disk."""
    due = []
    for side in sides:
        counted = python(COUNT, side.module)
        side.functions = None if counted is None else int(counted)
        due += [(cell, text) for cell, text in side.statements() if time_of(text) is not None]
    for _ in range(runs):
        bare = time_of("pass") or 0.0
        for cell, text in due:
            took = time_of(text)
            if took is not None:
                cell.times.append(took - bare)


def main() -> int:
    """Measure, print the table, write the JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=7, help="interpreters for each time")
    parser.add_argument("--json", metavar="FILE", help="write the numbers to FILE, or - for stdout")
    options = parser.parse_args()
    pairs = {
        ours: (Side(f"PyGPU.{ours}", call), Side(f"{package}.{theirs}", their_call))
        for ours, package, theirs, call, their_call in ROWS
    }
    measure([side for pair in pairs.values() for side in pair], options.runs)
    if options.json != "-":
        header = ["module", "functions", "import", "call", "peer's", "import", "call"]
        rows = [[name, *ours.texts(), *theirs.texts()] for name, (ours, theirs) in pairs.items()]
        print_table("functions, and ms: PyGPU, then the peer", header, rows)
    if options.json:
        found = {
            name: {"PyGPU": ours.as_json(), theirs.module: theirs.as_json()}
            for name, (ours, theirs) in pairs.items()
        }
        write_json({**machine(), "unit": "ms", "modules": found}, options.json)
    return 0


if __name__ == "__main__":
    sys.exit(run(main))
