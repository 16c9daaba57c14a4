"""Arrays by HIP's functions: the array tests run again on the host runtime's HIP functions."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
FILES = [
    "arrays/test_gpuarray.py",
    "arrays/test_arguments.py",
    "arrays/test_against_numpy.py",
    "arrays/test_nothing_unsaid.py",
    "seed/test_published_gpuarray.py",
    "seed/test_published_pycuda.py",
]


@pytest.mark.parametrize("file", FILES)
def test_it_passes_with_hips_functions(file, host_library):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYGPU_")}
    environment |= {"PYGPU_BACKEND": "hip", "PYGPU_HIP_LIBRARY": str(host_library)}
    command = [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", TESTS / file]
    command += ["-k", "not GPUs"]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=200, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "skipped" not in done.stdout, done.stdout


def test_copies_name_their_direction():
    """hipMemcpyDefault was broken for 2-D copies until HIP 6.1, so the layer never uses it."""
    runtime = TESTS.parent / "src" / "handwritten" / "arrays" / "base" / "runtime.hpp"
    (directions,) = re.findall(r"enum class Direction[^{]*\{([^}]*)\}", runtime.read_text())
    known = ["host_to_host", "host_to_device", "device_to_host", "device_to_device"]
    assert directions.replace(" ", "").split(",") == known
    for vendor in ("cuda", "hip"):
        table = TESTS.parent / "generated" / f"{vendor}_runtime" / "arrays.cpp"
        assert "MemcpyDefault" not in table.read_text()
