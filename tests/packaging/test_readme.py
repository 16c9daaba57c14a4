"""The README's Python examples run as written; its commands, make targets and pictures exist."""

from __future__ import annotations

import argparse
import pathlib
import re
import shlex

import pytest

from generator import cli
from generator.releases import find_api

ROOT = pathlib.Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_example_runs(python, number):
    python(BLOCKS[number])  # without a GPU the host runtime is used


def test_there_are_examples():
    assert len(BLOCKS) >= 2


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_targets_that_it_names_exist(page):
    rules = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"`make ([a-z]+)", (ROOT / page).read_text()))
    assert named
    assert named <= rules, named - rules


def test_its_pictures_and_pages_exist():
    prose = re.sub(r"```.*?```", "", README, flags=re.DOTALL)
    named = re.findall(r'(?:src|srcset)="(.+?)"|\]\((?!https?:)([^)#]+)', prose)
    goals = {one or other for one, other in named}
    assert {"docs/pictures/logo-light.svg", "docs/pictures/copies.svg", "docs/index.md"} <= goals
    for goal in goals:
        assert (ROOT / goal).exists(), goal


def test_the_two_commands_come_first():
    assert README.index("make demo") < README.index("make test") < README.index("```python")


def test_the_order_of_results_comes_before_any_code():
    assert README.index("`(value, err)`") < README.index("`(err, value)`") < README.index("```")


def commands_of_the_generator() -> list[argparse.Namespace]:
    """How the generator's parser reads each of its command lines in the README."""
    lines = re.findall(r"^ {4}python -m generator (.*)$", README, re.MULTILINE)
    return [cli._parser().parse_args(shlex.split(line, comments=True)) for line in lines]


def test_the_generators_commands_are_accepted():
    assert [one.command for one in commands_of_the_generator()] == ["update", "update", "abi"]


def test_the_updates_name_listed_releases():
    """Their results are checked in, so the README sends nobody to a release that can't be had."""
    updates = [one for one in commands_of_the_generator() if one.command == "update"]
    assert [one.from_package for one in updates] == [True, False]
    for one in updates:
        assert one.release in find_api(ROOT / "api_specs", one.api).releases


def test_the_programs_under_speed_write_json():
    page = (ROOT / "docs" / "speed.md").read_text()
    programs = re.findall(r"^\| `(benchmarks/\w+\.py)` \|", page, re.MULTILINE)
    assert programs
    for program in programs:
        assert "--json" in (ROOT / program).read_text()
