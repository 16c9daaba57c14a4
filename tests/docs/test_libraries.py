"""docs/libraries.md has the tables that rules and formulas make, with a cost for each module."""

from __future__ import annotations

from tools import libraries


def test_the_tables_are_current():
    costs = libraries.costs_on_page()
    assert libraries.page(costs) == libraries.PAGE.read_text(encoding="utf-8")
    assert not [name for name, of in costs.items() if "?" in of]
