"""Fixtures for the host runtime: an interpreter that runs on it, and a C compiler."""

from __future__ import annotations

import shutil

import pytest

from tests.own_interpreter import Interpreter


@pytest.fixture
def on_host(python, host_library) -> Interpreter:
    return python.having(PYGPU_BACKEND="host")


@pytest.fixture(scope="session")
def compiler() -> str:
    """A C compiler."""
    for name in ("cc", "gcc", "clang"):
        if path := shutil.which(name):
            return path
    pytest.skip("no C compiler here")
    raise AssertionError
