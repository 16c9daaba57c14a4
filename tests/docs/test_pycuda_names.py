"""docs/coming-from-pycuda.md has a true row for each public name of PyCUDA."""

from __future__ import annotations

import importlib
import pathlib
import re

import pytest

from PyGPU._names.signposts import SIGNPOSTS

HERE = pathlib.Path(__file__).parent
PAGE = (HERE.parents[1] / "docs" / "coming-from-pycuda.md").read_text()
LISTED = {
    section: names.split()
    for section, names in re.findall(
        r"^\[(\w+)\]\n(.*?)(?=^\[|\Z)",
        (HERE / "pycuda_names.txt").read_text(),
        re.MULTILINE | re.DOTALL,
    )
}
ROWS = {
    section: re.findall(r"^\| `(\w+)` \| ([a-z ]+) \|(.*)\|$", table, re.MULTILINE)
    for section, table in re.findall(
        r"^### pycuda\.(\w+)\n(.*?)(?=^### |\Z)", PAGE, re.MULTILINE | re.DOTALL
    )
}


def test_each_name_has_one_row():
    assert set(LISTED) == {"driver", "compiler", "tools", "gpuarray"}
    assert {name: [row[0] for row in rows] for name, rows in ROWS.items()} == LISTED
    assert sum(map(len, LISTED.values())) > 190


@pytest.mark.parametrize("section", LISTED)
def test_a_row_tells_what_is_there(section):
    module = importlib.import_module(f"PyGPU.{section}")
    for name, state, text in ROWS[section]:
        assert state in ("as there", "different", "not here"), name
        assert bool(text.strip()) == (state != "as there"), name
        if state != "not here":
            assert hasattr(module, name), name
            continue
        with pytest.raises(AttributeError) as raised:
            getattr(module, name)
        said = f"module 'PyGPU.{section}' has no attribute '{name}': {text.strip()}"
        assert str(raised.value) == said


@pytest.mark.parametrize("section", LISTED)
def test_no_signpost_is_missing_from_the_page(section):
    """Each hint that PyGPU gives at run time for a name of PyCUDA is also on the page."""
    of_numpy = {"cumsum"}
    assert set(SIGNPOSTS[f"PyGPU.{section}"]) - of_numpy <= set(LISTED[section])
