"""Python functions that streams call: how many a second, and which package hangs.

    python benchmarks/callbacks.py [--calls N] [--limit SECONDS] [--exits N] [--only PACKAGE]
                                   [--json FILE|-] [--check]

Rows: a thread that queues calls on a stream; 16 threads that queue calls and keep Python's GIL
while they wait for them in CUDA; programs that end while 16 threads queue calls. Each cell is a
process of its own (each exit, too), which ends after `--limit` seconds. "hung" means that no call
was made for 10 seconds, or for all of a shorter limit. Where the limit ends a run that still makes
calls, the cell has their rate until then, and the time for all is extrapolated and says so. With
--check the exit code is 1 unless PyGPU has done its calls or was still making them.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass

import numpy as np
from callbacks_run import BEGIN, CANDIDATES, END, THREADS
from measure import machine, print_table, run, write_json

import PyGPU

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "callbacks_run.py")
ROWS = {
    "one_thread": "one thread",
    "threads": f"{THREADS} threads that keep the GIL",
    "exit": "exits in the midst",
}
PATIENCE = 10.0  # seconds without a call
STARTED = 60.0  # within so many seconds a process has imported its package
ABSENT = {"torch": "no host functions in Python"}
ERROR = re.compile(r"[\w.]+(Error|Exception)\b")


@dataclass
class Outcome:
    """What became of a run: "done", "limit", "hung", "crashed" or "absent", and why.

    `runs` counts the programs of a row of exits; their rate says nothing.
    """

    state: str
    calls: int = 0
    seconds: float = 0.0
    why: str = ""
    runs: int = 0

    @property
    def rate(self) -> float:
        return self.calls / self.seconds if self.seconds and not self.runs else 0.0

    def text(self, wanted: int) -> str:
        """The cell of the table."""
        if self.state == "absent":
            return self.why
        if self.state == "done":
            return f"done, {self.rate:,.0f}/s" if not self.runs else f"done, {self.runs} times"
        if self.state == "limit":
            takes = f"{wanted / self.rate:,.0f} s for all (extrapolated)" if self.rate else "none"
            return f"{self.rate:,.0f}/s for {self.seconds:.0f} s; {takes}"
        why = f" ({self.why})" if self.why else ""
        where = f" in run {self.runs}" if self.runs else ""
        return f"{self.state}{why} after {self.calls:,} calls{where}"


def outcome_of(row: str, package: str, calls: int, limit: float) -> Outcome:
    """Run one process to its end, or until it hangs."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "counts")
        np.zeros(THREADS + 2).tofile(path)
        counts = np.memmap(path, np.float64, "r")
        with open(os.path.join(folder, "stderr"), "w+b") as said:
            process = subprocess.Popen(
                [sys.executable, PROGRAM, row, package, path, str(calls)], stderr=said
            )
            hung = _watch(process, counts, limit)
            said.seek(0)
            lines = said.read().decode(errors="replace").split("\n")
        made = int(counts[:THREADS].sum())
        seconds = (counts[END] or time.monotonic()) - (counts[BEGIN] or time.monotonic())
        said_last = next((one for one in reversed(lines) if ERROR.match(one)), "")
        if hung is not None:
            return Outcome("hung" if hung else "limit", made, seconds)
        if process.returncode < 0:
            return Outcome("crashed", made, seconds, signal.Signals(-process.returncode).name)
        if process.returncode and said_last.startswith(("ModuleNotFoundError", "ImportError")):
            return Outcome("absent", why="not installed")
        if process.returncode:
            return Outcome("crashed", made, seconds, said_last[:60])
        return Outcome("done", made, seconds)


def _watch(process: subprocess.Popen[bytes], counts: np.ndarray, limit: float) -> bool | None:
    """Wait for the process. Ends it at the limit or if it hangs: whether it hung, else None."""
    begin = last = time.monotonic() + STARTED
    made = 0.0
    while True:
        try:
            process.wait(timeout=0.1)
            return None
        except subprocess.TimeoutExpired:
            now = time.monotonic()
        if counts[BEGIN] and begin > now:
            begin = last = now
        if counts[:THREADS].sum() != made:
            made, last = counts[:THREADS].sum(), now
        hangs = now - last > min(PATIENCE, limit)
        if hangs or now - begin > limit:
            process.kill()
            process.wait()
            return bool(hangs)


def exits(package: str, times: int, limit: float) -> Outcome:
    """End programs in the midst, until one of them doesn't end as it should."""
    made = 0
    for number in range(1, times + 1):
        one = outcome_of("exit", package, 1000, limit)
        made += one.calls
        if one.state != "done":
            # Its threads queue calls until it ends: at the limit it has not ended.
            state = "hung" if one.state == "limit" else one.state
            return Outcome(state, made, why=one.why, runs=number)
    return Outcome("done", made, runs=times)


def measure(options: argparse.Namespace) -> dict[str, dict[str, Outcome]]:
    """All cells, a row after the other."""
    packages = [one for one in CANDIDATES if options.only in (None, one)]
    found: dict[str, dict[str, Outcome]] = {}
    for row in ROWS:
        found[row] = {}
        for package in packages:
            if PyGPU.backend == "host" and not package.startswith("PyGPU"):
                one = Outcome("absent", why="needs a GPU")
            elif row == "exit":
                one = exits(package, options.exits, options.limit)
            else:
                one = outcome_of(row, package, options.calls, options.limit)
            found[row][package] = one
        if options.only is None:
            found[row] |= {name: Outcome("absent", why=why) for name, why in ABSENT.items()}
    return found


def main() -> int:
    """Measure, print the table, write what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=10_000_000, help="calls of a row")
    parser.add_argument("--limit", type=float, default=60, help="seconds that a process may take")
    parser.add_argument("--exits", type=int, default=20, help="programs that end in the midst")
    parser.add_argument("--only", choices=CANDIDATES, help="one package instead of all")
    parser.add_argument("--json", metavar="FILE", help="write the numbers to FILE, or - for stdout")
    parser.add_argument("--check", action="store_true", help="fail where PyGPU's calls aren't made")
    options = parser.parse_args()
    found = measure(options)
    if options.json != "-":
        rows = [
            [ROWS[row], *(one.text(options.calls) for one in cells.values())]
            for row, cells in found.items()
        ]
        title = f"{options.calls:,} calls of Python functions by streams"
        print_table(title, ["", *found["exit"]], rows)
    if options.json:
        cells = {
            row: {name: {**asdict(one), "rate": round(one.rate)} for name, one in each.items()}
            for row, each in found.items()
        }
        data = {**machine(), "backend": PyGPU.backend, "calls": options.calls, "rows": cells}
        write_json(data, options.json)
    own = [one.state for each in found.values() for name, one in each.items() if name == "PyGPU"]
    return 1 if options.check and not set(own) <= {"done", "limit"} else 0


if __name__ == "__main__":
    sys.exit(run(main))
