"""NVRTC from the PyPI package: it compiles on any machine, without a GPU."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

import PyGPU
from PyGPU import _libraries
from tests.conftest import unavailable


@pytest.fixture(scope="session")
def nvrtc():
    """PyGPU.nvrtc with the library loaded."""
    if not any(one.chosen for one in _libraries.survey("nvrtc")):
        unavailable("no libnvrtc (pip install nvidia-cuda-nvrtc)")
    return PyGPU.nvrtc


@pytest.fixture
def since(nvrtc) -> Callable[..., None]:
    """(major, minor) -> skips the test if the library is older."""

    def skip(*release: int) -> None:
        if (found := nvrtc.checked.nvrtcVersion()) < release:
            pytest.skip(f"NVRTC {found} is older than {release}")

    return skip


@pytest.fixture
def program(nvrtc) -> Iterator[Callable[..., object]]:
    """(source, *options) -> a compiled program, destroyed at the end; `expect` is the status."""
    made = []

    def compiled(source: str, *options: str, names: tuple[str, ...] = (), expect: int = 0):
        one, err = nvrtc.nvrtcCreateProgram(source, "made_up.cu", 0, None, None)
        assert not err
        made.append(one)
        for name in names:
            assert not nvrtc.nvrtcAddNameExpression(one, name)
        assert nvrtc.nvrtcCompileProgram(one, len(options), options) == expect
        return one

    yield compiled
    for one in made:
        assert not nvrtc.nvrtcDestroyProgram(one)
