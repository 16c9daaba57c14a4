"""The benchmark of arrays runs from end to end. On the host runtime it measures only PyGPU."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys

BENCHMARK = pathlib.Path(__file__).resolve().parents[2] / "benchmarks" / "arrays.py"


def measured(file, devices, *options):
    short = ["--rounds", "1", "--calls", "0.001", "--mib", "4"]
    done = subprocess.run(
        [sys.executable, BENCHMARK, *short, *options, "--json", file],
        env=os.environ | {"PYGPU_BACKEND": "host", "PYGPU_HOST_DEVICES": devices},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    return json.loads(file.read_text()), done.stdout


def test_every_row_has_a_number(tmp_path):
    found, shown = measured(tmp_path / "arrays.json", "2")
    assert found["machine"]["backend"] == "host"
    assert len(found["rows"]) > 10
    for name, row in found["rows"].items():
        assert row["PyGPU"].get("min", 0) > 0, (name, row)
        assert name in shown
        if row["target"] is None and "between devices" in name and "column" not in name:
            assert row["raw"].get("min", 0) > 0, (name, row)


def test_copies_to_and_between_devices_need_two(tmp_path):
    found, shown = measured(tmp_path / "arrays.json", "1", "--only", "between")
    assert found["rows"]
    for name, row in found["rows"].items():
        assert "between" in name
        assert row["PyGPU"] == {"absent": "needs two GPUs"}
    assert "needs two GPUs" in shown
