"""Exchanges arrays with each library that PyGPU works with, and shows what works.

    python tools/exchange_matrix [--peer NAME ...] [--json FILE] [--markdown] [--from FILE]

Uses the host runtime under PYGPU_BACKEND=host, otherwise the card. Each peer runs in a process of
its own. A cell of the table is a test that really runs: an array handed out, an array taken in,
equal addresses, a slow producer on a side stream, a producer that is dropped first, the dtypes,
and what is refused. --markdown writes the table into docs/exchange.md. --from shows what --json
has stored, and runs nothing. The exit code is 1 if a cell is not as it should be.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

from row import COLUMNS, Row
from table import as_markdown, show, write_page

from PyGPU._base.command import run

HERE = Path(__file__).resolve().parent
PEERS = (
    "numpy", "cupy", "torch", "jax", "numba", "cuda_core", "tensorflow", "rapids", "pycuda",
    "cublas", "mpi4py", "dask", "ray", "ctypes", "cffi", "pybind11", "nanobind",
)  # fmt: skip
PATIENCE = 240  # seconds for a peer


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--peer", nargs="+", choices=PEERS, default=PEERS)
    parser.add_argument("--json", help="write all cells to this file, too")
    parser.add_argument("--markdown", action="store_true", help="write docs/exchange.md")
    parser.add_argument("--from", dest="stored", help="show what --json wrote")
    parser.add_argument("--child", choices=PEERS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return child(options.child)
    if options.stored:
        found = json.loads(Path(options.stored).read_text(encoding="utf-8"))
    else:
        found = {**machine(), "rows": [ask(name) for name in options.peer]}
    rows = [Row.of_json(row) for row in found["rows"]]
    show(found["machine"], rows)
    if options.json:
        text = json.dumps(found, indent=1)
        Path(options.json).write_text(text + "\n", encoding="utf-8")
    if options.markdown:
        if {row.peer for row in rows} != {title_of(name) for name in PEERS}:
            raise SystemExit("--markdown needs all peers")
        write_page(found["backend"], as_markdown(found["machine"], rows))
    return 0 if all(row.right for row in rows) else 1


def title_of(name: str) -> str:
    return str(importlib.import_module(f"peers.{name}").Peer.title)


def machine() -> dict[str, str]:
    """The backend, and a line about the machine that the cells were run on."""
    import PyGPU

    runtime = PyGPU.checked.cudaRuntimeGetVersion()
    if PyGPU.backend == "host":
        where = "the host runtime"
    else:
        name = PyGPU.checked.cudaGetDeviceProperties(0).name
        where = f"{name}, {PyGPU.backend} runtime {runtime}"
    python = f"Python {platform.python_version()} on {platform.machine()}"
    return {"backend": str(PyGPU.backend), "machine": f"Run on {where}, {python}."}


def ask(name: str) -> dict[str, Any]:
    """The row of a peer, run in another process; tells how that ended if it printed no row."""
    command = [sys.executable, str(HERE), "--child", name]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        output, errors, end = done.stdout, done.stderr, f"exit {done.returncode}"
    except subprocess.TimeoutExpired:
        output, errors, end = "", "", f"still running after {PATIENCE} s"
    for line in output.splitlines():
        if line.startswith('{"peer"'):
            return dict(json.loads(line))
    print(f"-- {name} wrote:\n{errors.rstrip()}", file=sys.stderr)
    last = (errors.strip().splitlines() or [""])[-1][:120]
    cell = {"text": f"WRONG: {end}: {last}", "right": False}
    return {"peer": title_of(name), "version": "", "absent": "", "cells": {COLUMNS[0]: cell}}


def child(name: str) -> int:
    """Run the cells of one peer, and print the row as JSON."""
    os.environ.setdefault("PYTHONWARNINGS", "ignore")
    kind = importlib.import_module(f"peers.{name}").Peer
    row = Row(kind.title)
    from checks import cell_of
    from peer import Absent

    try:
        peer = kind()
    except Absent as why:
        row.absent = str(why)
    except (ImportError, OSError) as error:
        row.absent = f"does not load: {str(error).splitlines()[0][:80]}"
    else:
        row.version = peer.version
        row.cells = {column: cell_of(column, peer) for column in COLUMNS}
        peer.close()
    print(json.dumps(row.as_json()), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(run(main))
