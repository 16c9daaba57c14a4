"""Arrays as message buffers of a real MPI, between two ranks."""

from __future__ import annotations

import importlib.util
import pathlib
import platform
import shutil
import subprocess
import sys

import pytest

from tests.conftest import unavailable

RANK = pathlib.Path(__file__).with_name("rank.py")


def test_ranks_exchange_arrays(python, host_library, monkeypatch):
    """On the host runtime, since any MPI can read its memory.

    A card needs an MPI that is built for it.
    """
    launcher = shutil.which("mpiexec", path=str(pathlib.Path(sys.executable).parent))
    if launcher is None or importlib.util.find_spec("mpi4py") is None:
        is_pinned = platform.machine() == "x86_64"
        (unavailable if is_pinned else pytest.skip)("no MPI here: pip install mpi4py mpich")
    monkeypatch.setenv("PYGPU_BACKEND", "host")
    done = subprocess.run(
        [launcher, "-launcher", "fork", "-n", "2", sys.executable, str(RANK)],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("done") == 2, "each rank came to its end"
