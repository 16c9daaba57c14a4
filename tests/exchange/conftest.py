"""Fixtures for the exchange of arrays with other libraries."""

from __future__ import annotations

import pytest

from tests.arrays.conftest import as_card, on_host  # noqa: F401
from tests.own_interpreter import Interpreter


@pytest.fixture
def as_rocm(on_host, host_library) -> Interpreter:  # noqa: F811
    """HIP's functions of the host runtime, taken for a card's."""
    return on_host.having(PYGPU_BACKEND="hip", PYGPU_HIP_LIBRARY=str(host_library))
