"""cuRAND's names on a stand-in of hipRAND: the real library makes no generator without a card."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import PyGPU

HERE = Path(__file__).parent


def test_names_of_curand_reach_hiprand(tmp_path) -> None:
    """In an interpreter of its own, for a process has one library."""
    if not (compiler := shutil.which("cc")):
        pytest.skip("no C compiler")
    library = tmp_path / "libhiprand.so.1"
    command = [compiler, "-shared", "-fPIC", "-Wall", "-Werror", "-o", library, HERE / "stand_in.c"]
    subprocess.run(command, check=True)
    environment = {**os.environ, "PYGPU_BACKEND": "hip", "PYGPU_HIPRAND_LIBRARY": str(library)}
    environment["PYGPU_HIP_LIBRARY"] = PyGPU._backend.HOST_RUNTIME
    subprocess.run([sys.executable, "-m", "tests.hiprand.portable"], env=environment, check=True)
