"""NVIDIA's libraries on a card. Without one, or without a library, these tests skip."""

from __future__ import annotations

import pytest

import PyGPU
from PyGPU import _libraries

NEEDED = {"cublas", "cublaslt", "cufft", "curand", "cusparse", "nvml", "nvjitlink", "nccl"}


@pytest.fixture(scope="session", autouse=True)
def card():
    """A device of NVIDIA's."""
    if PyGPU.backend != "cuda":
        pytest.skip("no card of NVIDIA's")


@pytest.fixture(autouse=True)
def libraries(request):
    """Skips a test whose module isn't installed, or whose library isn't found."""
    for name in sorted(NEEDED & set(request.function.__code__.co_names)):
        if not PyGPU._apis.APIS[name].is_installed:
            pytest.skip(f"PyGPU.{name} is not installed")
        if not any(one.chosen for one in _libraries.survey(name)):
            pytest.skip(f"no library for PyGPU.{name}")
