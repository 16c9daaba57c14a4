"""docs/host-functions.md says what the host runtime implements."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_is_as_its_program_writes_it():
    command = [sys.executable, ROOT / "tools" / "host_functions.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
