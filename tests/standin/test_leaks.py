"""No call leaves memory or references behind, whether it succeeds, fails or raises."""

from __future__ import annotations

from tests.standin.conftest import Program


def test_nothing_grows_with_the_number_of_calls(run: Program, newest: tuple[str, str]) -> None:
    found = run("leaks.py", newest)
    assert found["failed"] == []
    assert found["leaks"] == {}
    assert found["measured"] > 1000
