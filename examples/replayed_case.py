"""Make a bug report's small case: record calls with their data, and replay them alone.

    python examples/replayed_case.py [FILE]

FILE, whose name ends with .pygpu, gets the calls with all that they read and received. Then
`pygpu trace replay FILE` makes them again in a process of its own, and compares what it receives.
Needs no compiler, and no GPU.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile

import numpy as np

import PyGPU

COUNT = 1 << 16


def program() -> None:
    """What goes wrong somewhere, in a real case."""
    array = PyGPU.to_gpu(np.arange(COUNT, dtype=np.float32).reshape(256, 256))
    turned = array.T.copy().astype(np.int32)
    turned[:16] = 0
    turned.get()


def replay(path: str) -> None:
    """Replay a file in another process. SystemExit if anything differs from what was recorded."""
    command = [sys.executable, "-m", "PyGPU", "trace", "replay", path, "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if not done.stdout:
        raise SystemExit(done.stderr)
    found = json.loads(done.stdout)
    for one in found["differences"]:
        print(f"call {one['call']}, {one['name']} at {one['place']}: {one['what']}")
    if not found["equal"] or found["bytes_compared"] < 4 * COUNT:
        raise SystemExit("the replay has received other bytes than the program")
    print(f"{found['calls']} calls replayed, {found['bytes_compared']:,} bytes as recorded")


def main(path: str) -> None:
    """Record the program, and replay it."""
    with PyGPU.trace(path):
        program()
    print(f"{os.path.getsize(path):,} bytes of calls and data of {PyGPU.Device().name}")
    replay(path)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(folder, "case.pygpu"))
