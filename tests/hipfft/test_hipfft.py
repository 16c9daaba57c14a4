"""hipFFT through a stand-in: the real library needs a card's driver."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def test_calls(tmp_path) -> None:
    """In an interpreter of its own, for a process has one library."""
    if not (compiler := shutil.which("cc")):
        pytest.skip("no C compiler")
    library = tmp_path / "libhipfft.so.0"
    command = [compiler, "-shared", "-fPIC", "-Wall", "-Werror", "-o", library, HERE / "stand_in.c"]
    subprocess.run(command, check=True)
    environment = {**os.environ, "PYGPU_HIPFFT_LIBRARY": str(library)}
    subprocess.run([sys.executable, "-m", "tests.hipfft.calls"], env=environment, check=True)
