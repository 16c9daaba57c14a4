"""Interpreters that start other processes."""

from __future__ import annotations

import pathlib

import pytest

from tests.arrays.conftest import counting, on_gpus  # noqa: F401
from tests.own_interpreter import Interpreter


@pytest.fixture
def on_host(python: Interpreter, host_library: pathlib.Path) -> Interpreter:
    """An interpreter on the host runtime, as are the processes that it starts."""
    return python.having(PYGPU_BACKEND="host")


@pytest.fixture(params=["host", "GPUs"])
def on_devices(request) -> Interpreter:
    """Where `on_host` runs and, where they are there, where `on_gpus` does."""
    return request.getfixturevalue("on_host" if request.param == "host" else "on_gpus")
