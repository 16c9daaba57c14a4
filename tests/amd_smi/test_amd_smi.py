"""AMD SMI through a stand-in: the real library needs a newer C library than Debian 12 has."""

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
    library = tmp_path / "libamd_smi.so.27.1"
    command = [compiler, "-shared", "-fPIC", "-Wall", "-Werror", "-o", library, HERE / "stand_in.c"]
    subprocess.run(command, check=True)
    environment = {**os.environ, "PYGPU_AMD_SMI_LIBRARY": str(library)}
    subprocess.run([sys.executable, "-m", "tests.amd_smi.calls"], env=environment, check=True)
