"""Fixtures for exchanges with other libraries."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.own_interpreter import Interpreter


@pytest.fixture
def on_host(python, host_library) -> Interpreter:
    """The strict host runtime: arrays say that they are the CPU's."""
    host = {"PYGPU_BACKEND": "host", "PYGPU_HOST_DEVICES": "2", "PYGPU_HOST_STRICT": "1"}
    return replace(python.having(**host), clean=True)


@pytest.fixture
def as_card(on_host, host_library) -> Interpreter:
    """The same taken for a card: arrays say CUDA of themselves."""
    return on_host.having(PYGPU_BACKEND="cuda", PYGPU_CUDA_LIBRARY=str(host_library))


@pytest.fixture
def as_rocm(on_host, host_library) -> Interpreter:
    """HIP's functions, taken for a card's."""
    return on_host.having(PYGPU_BACKEND="hip", PYGPU_HIP_LIBRARY=str(host_library))
