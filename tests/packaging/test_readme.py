"""The README's Python examples run as written, and its make targets exist."""

from __future__ import annotations

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_example_runs(python, number):
    python(BLOCKS[number])  # without a GPU the host runtime serves


def test_there_are_examples():
    assert len(BLOCKS) >= 4


def test_targets_of_the_table_exist():
    rules = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"`make ([a-z]+)", README))
    assert named
    assert named <= rules, named - rules


def test_the_two_commands_come_first():
    assert README.index("make demo") < README.index("make test") < README.index("```python")
