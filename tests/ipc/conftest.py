"""Interpreters that start other processes."""

from __future__ import annotations

import pathlib

import pytest

from tests.own_interpreter import Interpreter


@pytest.fixture
def on_host(python: Interpreter, host_library: pathlib.Path) -> Interpreter:
    """An interpreter on the host runtime, as are the processes that it starts."""
    return python.having(PYGPU_BACKEND="host")
