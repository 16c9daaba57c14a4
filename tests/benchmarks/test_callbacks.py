"""The benchmark of callbacks runs from end to end, and tells what hangs from what doesn't."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys

BENCHMARK = pathlib.Path(__file__).resolve().parents[2] / "benchmarks" / "callbacks.py"
THREADS = "16 threads that keep the GIL"


def test_calls_are_made_and_a_hang_is_found(tmp_path):
    """Streams that wait for Python hang where threads keep the GIL, and the others don't."""
    file = tmp_path / "callbacks.json"
    short = ["--calls", "3200", "--limit", "5", "--exits", "2", "--check"]
    done = subprocess.run(
        [sys.executable, BENCHMARK, *short, "--json", file],
        env=os.environ | {"PYGPU_BACKEND": "host"},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    rows = json.loads(file.read_text())["rows"]
    for row in ("one_thread", "threads"):
        own = rows[row]["PyGPU"]
        assert (own["state"], own["calls"]) == ("done", 3200) and own["rate"] > 0
    assert rows["threads"]["PyGPU, wait=True"]["state"] == "hung"
    assert rows["one_thread"]["PyGPU, wait=True"]["state"] == "done"
    ended = rows["exit"]["PyGPU"]
    assert (ended["state"], ended["runs"]) == ("done", 2) and ended["calls"] >= 2000
    for text in (THREADS, "hung after", "done, 2 times", "needs a GPU", "no host functions"):
        assert text in done.stdout
