"""SAXPY is compiled everywhere, and launched and compared with numpy where a GPU is."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

SAXPY = pathlib.Path(__file__).resolve().parents[2] / "examples" / "saxpy.py"


def test_saxpy(has_device):
    done = subprocess.run([sys.executable, SAXPY], capture_output=True, text=True, timeout=240)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    assert re.search(r"compiled saxpy for \w+: [1-9][\d,]* bytes", done.stdout)
    said = "equal numpy's" if has_device else "no NVIDIA GPU here: the kernel was not launched"
    assert said in done.stdout
