"""A test with the parameter `known` runs for every struct of both APIs."""

from __future__ import annotations

import pytest

from tests.structs import twins


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "known" in metafunc.fixturenames:
        metafunc.parametrize("known", twins.every_struct(), ids=str)
