"""Bad input on a stand-in: every function gets arguments that it can't be meant to take."""

from __future__ import annotations

from tests.standin.conftest import NEWEST, Program


def test_nothing_crashes_or_leaks(run: Program, listed: tuple[str, str]) -> None:
    """Each function is tested on the last release that has its form."""
    found = run("hostile.py", listed)
    wrong = found["wrong"]
    assert wrong[:20] == [], f"{len(wrong)} of {found['cases']} cases"
    if listed in NEWEST:
        assert found["cases"] > 30000
    assert found["refused"] >= found["cases"] // 2
