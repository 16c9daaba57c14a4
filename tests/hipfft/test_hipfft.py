"""hipFFT through a stand-in: the real library needs a card's driver."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import PyGPU

HERE = Path(__file__).parent


@pytest.fixture
def environment(tmp_path) -> dict[str, str]:
    """Of an interpreter that finds the stand-in, for a process has one library."""
    if not (compiler := shutil.which("cc")):
        pytest.skip("no C compiler")
    library = tmp_path / "libhipfft.so.0"
    command = [compiler, "-shared", "-fPIC", "-Wall", "-Werror", "-o", library, HERE / "stand_in.c"]
    subprocess.run(command, check=True)
    return {**os.environ, "PYGPU_HIPFFT_LIBRARY": str(library)}


def test_calls(environment) -> None:
    subprocess.run([sys.executable, "-m", "tests.hipfft.calls"], env=environment, check=True)


def test_names_of_cufft_reach_hipfft(environment) -> None:
    """A program of cuFFT's names runs on AMD's library without a change."""
    environment |= {"PYGPU_BACKEND": "hip", "PYGPU_HIP_LIBRARY": PyGPU._backend.HOST_RUNTIME}
    subprocess.run([sys.executable, "-m", "tests.hipfft.portable"], env=environment, check=True)
