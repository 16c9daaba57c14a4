"""The benchmark of threads runs from end to end. On the host runtime it measures PyGPU and C++."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys

from tests.nvrtc.conftest import nvrtc  # noqa: F401

BENCHMARK = pathlib.Path(__file__).resolve().parents[2] / "benchmarks" / "threads.py"


def test_every_row_has_a_rate(tmp_path, nvrtc):  # noqa: F811
    file = tmp_path / "threads.json"
    done = subprocess.run(
        [
            sys.executable,
            BENCHMARK,
            "--threads",
            "3",
            "--rounds",
            "1",
            "--calls",
            "20",
            "--json",
            file,
        ],
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
        for one in ("PyGPU", "C++"):
            assert row[one]["best"] > 0, (name, row)
