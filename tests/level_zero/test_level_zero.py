"""Level Zero: the real loader as far as it goes without a driver, then calls of a stand-in."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import PyGPU
from PyGPU import GPUError, _libraries

HERE = Path(__file__).parent


def test_the_real_loader() -> None:
    """Without a driver it says so by its own codes."""
    if not any(one.chosen for one in _libraries.survey("ze")):
        pytest.skip("no libze_loader (Debian's libze1)")
    ze = PyGPU.ze
    err = ze.zeInit(0)
    if not err:
        drivers, err = ze.zeDriverGet()
        assert not err
        assert all(ze.zeDriverGetApiVersion(one)[0] >= ze.ZE_API_VERSION_1_0 for one in drivers)
        return
    assert err in (ze.ZE_RESULT_ERROR_UNINITIALIZED, ze.ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE)
    assert ze.zeDriverGet() == (None, ze.ZE_RESULT_ERROR_UNINITIALIZED)
    with pytest.raises(GPUError, match="zeDriverGet: ZE_RESULT_ERROR_UNINITIALIZED"):
        ze.checked.zeDriverGet()
    found = _libraries.installed("ze")
    assert found["release"].startswith("1.")


@pytest.fixture(scope="module")
def stand_in(tmp_path_factory) -> Path:
    if not (compiler := shutil.which("cc")):
        pytest.skip("no C compiler")
    path = tmp_path_factory.mktemp("ze") / "libze_loader.so.1"
    command = [compiler, "-shared", "-fPIC", "-Wall", "-Werror", "-o", path, HERE / "stand_in.c"]
    subprocess.run(command, check=True)
    return path


def test_calls(stand_in) -> None:
    """In an interpreter of its own, for a process has one library."""
    command = [sys.executable, "-m", "tests.level_zero.calls"]
    environment = {**os.environ, "PYGPU_LEVEL_ZERO_LIBRARY": str(stand_in)}
    subprocess.run(command, env=environment, check=True)
