"""tools/families on the host runtime: each function that it implements gives the right values."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

NOT_SUPPORTED = re.compile("cudaErrorNotSupported|CUDA_ERROR_NOT_SUPPORTED")
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
        assert one["result"] == "ok" or NOT_SUPPORTED.search(one["detail"]), one
    driver = [one for one in outcomes if one["family"] == "driver"]
    assert [one["result"] for one in driver].count("ok") >= 4, driver


def test_an_answer_unlike_the_twins_is_told(tmp_path):
    """With a changed C++ program, the tool names the first answer that differs."""
    copy = tmp_path / "families"
    shutil.copytree(TOOL, copy)
    twin = copy / "twin.cpp"
    text = twin.read_text()
    twin.write_text(text.replace('tell("device", device)', 'tell("device", device + 1)'))
    assert twin.read_text() != text
    done = subprocess.run(
        [sys.executable, str(copy), "--family", "driver"],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PYGPU_BACKEND": "host"},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "got 'device 0', expected 'device 1'" in done.stdout
    assert ", 1 failed," in done.stdout


def test_a_runtime_without_a_driver_fails(tmp_path, cuda_library):
    """There a failure isn't taken for a missing feature."""
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
