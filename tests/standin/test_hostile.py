"""Bad input: every function with arguments that it can't be meant to take, against the stand-in."""

from __future__ import annotations

from tests.standin.conftest import Program


def test_nothing_crashes_or_leaks(run: Program, newest: tuple[str, str]) -> None:
    found = run("hostile.py", newest)
    wrong = found["wrong"]
    assert wrong[:20] == [], f"{len(wrong)} of {found['cases']} cases"
    assert found["cases"] > 30000
    assert found["refused"] > found["cases"] // 2
