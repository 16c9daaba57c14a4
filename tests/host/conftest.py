"""Fixtures for the host runtime: a Python that runs on it, and a C compiler."""

from __future__ import annotations

import functools
import shutil

import pytest


@pytest.fixture
def on_host(python, host_library):
    """Runs code in an interpreter of its own on the host runtime."""
    return functools.partial(python, PYGPU_BACKEND="host")


@pytest.fixture(scope="session")
def compiler() -> str:
    """A C compiler."""
    for name in ("cc", "gcc", "clang"):
        if path := shutil.which(name):
            return path
    pytest.skip("no C compiler here")
    raise AssertionError
