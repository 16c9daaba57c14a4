"""What `import PyGPU` costs over a bare interpreter, beside other packages, in milliseconds.

python benchmarks/import_time.py [--runs 31] [--json FILE|-] [--check]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time

from measure import Cell, machine, print_table, run, write_json

TARGET = 10.0  # ms over `python -c pass`

STATEMENTS = {
    "bare": "pass",
    "PyGPU": "import PyGPU",
    "PyGPU, a name used": "import PyGPU; PyGPU.cudaSetDevice",
    "PyGPU.cu": "import PyGPU.cu",
    "PyGPU.nvrtc": "import PyGPU.nvrtc",
    "PyGPU.hiprtc": "import PyGPU.hiprtc",
    "numpy": "import numpy",
    "cuda-bindings": "from cuda.bindings import runtime",
    "cuda-bindings, driver": "from cuda.bindings import driver",
    "cuda-bindings, NVRTC": "from cuda.bindings import nvrtc",
    "CuPy": "import cupy",
}
# These take long, so they run less often.
PEERS = {name for name in STATEMENTS if not name.startswith(("bare", "PyGPU"))}


def time_of(statement: str) -> float | None:
    """Milliseconds of one interpreter that runs `statement`; None when it fails."""
    begin = time.perf_counter()
    result = subprocess.run(
        [sys.executable, "-c", statement],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        close_fds=False,
        check=False,
    )
    passed = (time.perf_counter() - begin) * 1e3
    return None if result.returncode else passed


def measure(runs: int) -> dict[str, Cell]:
    """Times of all statements; they take turns, and the first run of each only warms the disk."""
    cells = {name: Cell() for name in STATEMENTS}
    for name, statement in STATEMENTS.items():
        if time_of(statement) is None:
            cells[name].absent = "absent"
    for turn in range(runs):
        for name, statement in STATEMENTS.items():
            slow = name in PEERS and turn >= 7
            if cells[name].absent or slow:
                continue
            passed = time_of(statement)
            if passed is not None:
                cells[name].times.append(passed)
    return cells


def main() -> int:
    """Measure, print the table, write the JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=31, help="interpreters started for each row")
    parser.add_argument("--json", metavar="FILE", help="write the numbers to FILE, or - for stdout")
    parser.add_argument("--check", action="store_true", help="fail when the target is missed")
    options = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    cells = measure(options.runs)
    bare = cells["bare"].median
    over = {name: c.median - bare for name, c in cells.items() if c.times and name != "bare"}
    if options.json != "-":
        rows = [[n, str(c), f"+{over[n]:.1f}" if n in over else ""] for n, c in cells.items()]
        title = "ms per interpreter: least / median of the runs"
        print_table(title, ["import", "time", f"over bare (PyGPU ≤ +{TARGET:.0f})"], rows)
    if options.json:
        data = {name: cell.as_json() for name, cell in cells.items()}
        write_json(
            {**machine(), "unit": "ms", "target_over_bare": TARGET, "imports": data}, options.json
        )
    return 1 if options.check and over["PyGPU"] > TARGET else 0


if __name__ == "__main__":
    sys.exit(run(main))
