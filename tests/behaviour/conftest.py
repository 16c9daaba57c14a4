"""Where the programs of this folder run: on the host runtime, and on a card."""

from __future__ import annotations

import os

import pytest

from tests.own_interpreter import Interpreter


@pytest.fixture
def on_gpus(device_count: int) -> Interpreter:
    """The first card that the driver reaches, with the runtime that the variables name."""
    if not device_count:
        pytest.skip("no GPU on this machine")
    return Interpreter({k: v for k, v in os.environ.items() if k.endswith("_LIBRARY")})
