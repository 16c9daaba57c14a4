"""The PTX of the kernels that move and convert elements is what their source gives, and small."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from generator.headers.fetch import FetchError, fetch_headers
from generator.releases import Package
from PyGPU import _moves
from tests.conftest import unavailable

ROOT = Path(__file__).resolve().parents[2]
COMPILER = Package("nvidia-cuda-nvrtc-cu11", "nvidia/cuda_nvrtc/lib")


def test_ptx_is_made_of_the_source():
    try:
        library = fetch_headers(COMPILER, "11.8.89") / "libnvrtc.so.11.2"
    except FetchError as error:
        unavailable(str(error))
    environment = {**os.environ, "PYGPU_BACKEND": "host", "PYGPU_NVRTC_LIBRARY": str(library)}
    command = [sys.executable, "tools/make_moves.py", "--check"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert not done.returncode, done.stdout + done.stderr
    assert done.stdout == "75 kernels, 0 changed\n"


def test_ptx_is_small():
    """The driver compiles a file when it is first used: 10 KB take about 20 ms."""
    sizes = {file.name: file.stat().st_size for file in Path(_moves.FOLDER).glob("*.ptx")}
    assert set(sizes) == {f"{name}.ptx" for name in _moves.KERNELS}
    assert max(sizes.values()) < 12_000
    assert sum(size for name, size in sizes.items() if name.startswith("cast")) < 400_000
