"""The benchmark of objects runs from end to end. On the host runtime it measures only PyGPU."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys

from tests.nvrtc.conftest import nvrtc  # noqa: F401

BENCHMARK = pathlib.Path(__file__).resolve().parents[2] / "benchmarks" / "objects.py"


def test_every_row_has_a_number(tmp_path, nvrtc):  # noqa: F811
    file = tmp_path / "objects.json"
    done = subprocess.run(
        [sys.executable, BENCHMARK, "--rounds", "2", "--calls", "5", "--json", file],
        env=os.environ | {"PYGPU_BACKEND": "host"},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    found = json.loads(file.read_text())
    assert len(found["rows"]) == 6
    for name, row in found["rows"].items():
        assert name in done.stdout
        assert row["PyGPU"].get("min", 0) > 0, (name, row)
        assert name == "array memory" or row["bare"].get("min", 0) > 0, (name, row)
