"""Fixtures for the host runtime: a Python that runs on it, and a C compiler."""

from __future__ import annotations

import functools
import pathlib
import shutil

import pytest

import PyGPU

LIBRARY = pathlib.Path(PyGPU._core.__file__).parent / "libpygpu_host.so"


@pytest.fixture
def on_host(python):
    """Runs code in an interpreter of its own on the host runtime."""
    if not LIBRARY.exists():
        pytest.skip("this installation has no host runtime")
    return functools.partial(python, PYGPU_BACKEND="host")


@pytest.fixture(scope="session")
def host_library() -> pathlib.Path:
    """The path of the host runtime."""
    if not LIBRARY.exists():
        pytest.skip("this installation has no host runtime")
    return LIBRARY


@pytest.fixture(scope="session")
def compiler() -> str:
    """A C compiler."""
    for name in ("cc", "gcc", "clang"):
        if path := shutil.which(name):
            return path
    pytest.skip("no C compiler here")
    raise AssertionError
