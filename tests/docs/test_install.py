"""The commands to install PyGPU are those that work: no page promises an index that has it not."""

from __future__ import annotations

import re
import shlex
import sys

from tests.conftest import ROOT, required

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
INSTALL = (ROOT / "docs" / "install.md").read_text()
LATER = "## From an index, once it is published"


def commands(text: str) -> list[list[str]]:
    """The words of each `pip install` of a page, in a block or in its prose."""
    found = re.findall(r"(?:^\$ |^ {4}|`)(?:python -m )?pip install ([^`\n]+)", text, re.M)
    return [shlex.split(one, comments=True) for one in found]


def test_no_other_page_takes_pygpu_from_an_index():
    before, _, after = INSTALL.partition(LATER)
    later, _, rest = after.partition("\n## ")
    assert commands(later), "the section has the commands"
    for text in (before, rest, *(page.read_text() for page in PAGES if page.name != "install.md")):
        for words in commands(text):
            from_index = any(word.lower().startswith("pygpu") for word in words)
            assert not from_index or "--find-links" in words, words


def test_what_is_installed_from_a_clone_is_there():
    folders = {word for words in commands(INSTALL) for word in words if word.startswith("./")}
    assert len(folders) >= 2
    for folder in folders | set(re.findall(r"`(\./packages/[\w-]+)`", INSTALL)):
        assert (ROOT / folder / "pyproject.toml").is_file(), folder


def test_the_extras_are_those_of_the_project():
    tomllib = required("tomllib" if sys.version_info >= (3, 11) else "tomli")
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["scikit-build"]
    extras = set(settings["metadata"]["optional-dependencies"]["result"])
    (told,) = re.findall(r"^The extras are (.*?)\.\s", INSTALL, re.M | re.S)
    assert set(re.findall(r"`(\w+)`", told)) - {"pygpu"} == extras
    for names in re.findall(r"PyGPU\[([\w,]+)\]", INSTALL):
        assert set(names.split(",")) <= extras
