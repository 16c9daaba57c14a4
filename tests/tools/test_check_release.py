"""A tag is published only if every file that has the version agrees with it."""

from __future__ import annotations

import pytest

import PyGPU
from tests.conftest import ROOT
from tools.check_release import faults

FILES = ("pyproject.toml", "CHANGELOG.md", "conda/recipe.yaml")


@pytest.fixture
def tree(tmp_path):
    """A copy of the files that have the version, with a dated changelog."""
    for name in FILES:
        text = (ROOT / name).read_text()
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text.replace("(unreleased)", "(2026-12-01)"))
    return tmp_path


def test_a_tag_that_all_files_agree_with(tree):
    assert faults(f"v{PyGPU.__version__}", tree) == []


@pytest.mark.parametrize("tag", ["v9.9.9", PyGPU.__version__, f"v{PyGPU.__version__}.1", "v"])
def test_another_tag(tree, tag):
    (fault,) = faults(tag, tree)
    assert tag in fault and PyGPU.__version__ in fault


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("CHANGELOG.md", "(2026-12-01)", "(unreleased)", "unreleased"),
        ("CHANGELOG.md", f"## {PyGPU.__version__} ", "## 9.9.9 ", "9.9.9"),
        ("conda/recipe.yaml", f"version: {PyGPU.__version__}", "version: 9.9.9", "conda/recipe"),
    ],
)
def test_a_file_that_differs(tree, name, old, new, said):
    text = (tree / name).read_text()
    (tree / name).write_text(text.replace(old, new, 1))
    (fault,) = faults(f"v{PyGPU.__version__}", tree)
    assert said in fault
