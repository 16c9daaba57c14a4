"""tools/families on the host runtime: what it implements does what the checks say, to the value."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools" / "families"


def test_the_host_runtime_passes_what_it_supports(tmp_path):
    answers = tmp_path / "outcomes.json"
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYGPU_")}
    environment |= {"PYGPU_BACKEND": "host", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, str(TOOL), "--json", str(answers)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    outcomes = json.loads(answers.read_text())["outcomes"]
    passed = [one["what"] for one in outcomes if one["result"] == "ok"]
    assert len(passed) >= 20, passed
    for one in outcomes:
        assert one["result"] == "ok" or "cudaErrorNotSupported" in one["detail"], one


def test_a_runtime_without_a_driver_fails(tmp_path, cuda_library):
    """Nothing is taken for unsupported there."""
    done = subprocess.run(
        [sys.executable, str(TOOL), "--library", cuda_library, "--family", "graphs"],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "CUDA_VISIBLE_DEVICES": ""},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert " 0 ok" in done.stdout, done.stdout
