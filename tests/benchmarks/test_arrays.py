"""The benchmark of arrays runs from end to end; on the host runtime it measures PyGPU alone."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys

BENCHMARK = pathlib.Path(__file__).resolve().parents[2] / "benchmarks" / "arrays.py"


def test_every_row_has_a_number(tmp_path):
    file = tmp_path / "arrays.json"
    short = ["--rounds", "1", "--calls", "0.001", "--mib", "4"]
    done = subprocess.run(
        [sys.executable, BENCHMARK, *short, "--json", file],
        env=os.environ | {"PYGPU_BACKEND": "host"},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    found = json.loads(file.read_text())
    assert found["machine"]["backend"] == "host"
    assert len(found["rows"]) > 10
    for name, row in found["rows"].items():
        assert row["PyGPU"].get("min", 0) > 0, (name, row)
        assert name in done.stdout
