"""Fixtures for the host runtime: a C compiler."""

from __future__ import annotations

import shutil

import pytest

from tests.conftest import unavailable


@pytest.fixture(scope="session")
def compiler() -> str:
    """A C compiler."""
    for name in ("cc", "gcc", "clang"):
        if path := shutil.which(name):
            return path
    unavailable("no C compiler here")
    raise AssertionError
