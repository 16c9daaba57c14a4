"""AMD SMI through a stand-in: the real library needs a newer C library than Debian 12 has."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import PyGPU

HERE = Path(__file__).parent


def environment(folder: Path, source: str, release: str, *options: str) -> dict[str, str]:
    """Of an interpreter that finds a stand-in, for a process has one library."""
    if not (compiler := shutil.which("cc")):
        pytest.skip("no C compiler")
    library = folder / f"libamd_smi.so.{release}"
    command = [compiler, "-shared", "-fPIC", "-Wall", "-Werror", *options, "-o", library]
    subprocess.run([*command, HERE / source], check=True)
    return {**os.environ, "PYGPU_AMD_SMI_LIBRARY": str(library)}


def test_calls(tmp_path) -> None:
    variables = environment(tmp_path, "stand_in.c", "27.1")
    subprocess.run([sys.executable, "-m", "tests.amd_smi.calls"], env=variables, check=True)


@pytest.mark.parametrize(("release", "options"), [("24.5", []), ("27.1", ["-DNEWER"])])
def test_names_of_nvml_reach_amd_smi(release, options, tmp_path) -> None:
    """A program of NVML's names runs on AMD's library without a change, in NVML's units."""
    variables = environment(tmp_path, "monitor.c", release, *options)
    variables |= {"PYGPU_BACKEND": "hip", "PYGPU_HIP_LIBRARY": PyGPU._backend.HOST_RUNTIME}
    command = [sys.executable, "-m", "tests.amd_smi.portable", release]
    subprocess.run(command, env=variables, check=True)
