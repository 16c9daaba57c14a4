"""Interpreters in which eight threads run together; any output on stderr fails the test."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.own_interpreter import Interpreter


@pytest.fixture
def run_on_host(python, host_library) -> Interpreter:
    return replace(python.having(PYGPU_BACKEND="host"), clean=True)
