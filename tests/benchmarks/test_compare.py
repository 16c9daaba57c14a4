"""The README's numbers are the ones that the benchmarks stored."""

from __future__ import annotations

import sys

import pytest

from tests.conftest import ROOT


@pytest.fixture
def compare(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import compare

    yield compare
    sys.modules.pop("compare")


def test_the_table_of_the_readme_is_made_from_what_is_stored(compare):
    page = (ROOT / "README.md").read_text()
    assert compare.with_table(page, compare.as_markdown(compare.RESULTS)) == page


def test_so_are_those_of_the_page_on_speed(compare):
    page = (compare.ROOT / "docs" / "speed.md").read_text()
    assert compare.with_table(page, compare.objects_as_markdown(compare.RESULTS)) == page


def test_another_number_shows(compare):
    page = (ROOT / "README.md").read_text()
    table = compare.as_markdown(compare.RESULTS)
    other = table.replace("| ns | ", "| ns | 9", 1)
    assert other != table and compare.with_table(page, other) != page
