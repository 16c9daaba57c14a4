"""No call leaves memory or references behind, whether it succeeds, fails or raises."""

from __future__ import annotations

import os

import pytest

from tests.standin.conftest import Program


def test_nothing_grows_with_the_number_of_calls(run: Program, newest: tuple[str, str]) -> None:
    found = run("leaks.py", newest)
    if found.get("blind") and "asan" in os.environ.get("LD_PRELOAD", ""):
        pytest.skip("a sanitizer's allocator doesn't count; the plain run of the tests does")
    assert "blind" not in found, "what is allocated can't be counted here"
    assert found["failed"] == []
    assert found["leaks"] == {}
    assert found["measured"] > 1000
