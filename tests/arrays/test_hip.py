"""Arrays by HIP's functions: the same tests once more, on the host runtime's HIP side."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
FILES = [
    "arrays/test_gpuarray.py",
    "arrays/test_arguments.py",
    "arrays/test_against_numpy.py",
    "seed/test_published_gpuarray.py",
    "seed/test_published_pycuda.py",
]


@pytest.mark.parametrize("file", FILES)
def test_it_passes_with_hips_functions(file, host_library):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYGPU_")}
    environment |= {"PYGPU_BACKEND": "hip", "PYGPU_HIP_LIBRARY": str(host_library)}
    command = [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", TESTS / file]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=200, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "skipped" not in done.stdout, done.stdout


def test_copies_name_their_direction():
    """hipMemcpyDefault was broken for 2-D copies until HIP 6.1: the layer's table never asks for it."""
    table = (TESTS.parent / "generated" / "hip_runtime" / "arrays.cpp").read_text()
    assert "hipMemcpyDeviceToHost" in table
    assert "hipMemcpyDefault" not in table
