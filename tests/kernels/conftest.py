"""Fixtures that compile with the test environment's NVRTC, into a cache for each test."""

from __future__ import annotations

import functools
from collections.abc import Callable

import pytest

from PyGPU import compiler
from PyGPU._kernels.toolchain import Toolchain
from tests.arrays.conftest import counting, on_gpus, on_host  # noqa: F401
from tests.conftest import unavailable
from tests.nvrtc.conftest import nvrtc  # noqa: F401


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """The folder of the cache."""
    for name in ("PYGPU_CACHE_DISABLE", "PYGPU_CACHE_SIZE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYGPU_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def build(nvrtc) -> Callable[..., compiler.Compiled]:  # noqa: F811
    """compile() for one architecture, whatever device is there."""
    return functools.partial(compiler.compile, arch="sm_90")


@pytest.fixture
def cuda_headers(nvrtc) -> list[str]:  # noqa: F811
    """The folders of CUDA's headers, of NVRTC's major."""
    major, _ = nvrtc.checked.nvrtcVersion()
    tools = Toolchain("nvrtc")
    if not (found := tools.folders(tools.library())):
        unavailable(f"no headers of CUDA {major} (pip install nvidia-cuda-runtime)")
    return found
