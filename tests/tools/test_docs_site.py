"""The site's sources: no dead link, no page outside the navigation, all Python names described."""

from __future__ import annotations

import pathlib
import re

import pytest

from tools.docs_site.__main__ import assemble
from tools.docs_site.links import Linked
from tools.docs_site.navigation import with_navigation
from tools.docs_site.python_names import python_page

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_every_page_is_in_the_navigation(tmp_path):
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "index.md").write_text("# Made\n")
    assemble(tmp_path / "source", tmp_path / "made")
    index = (tmp_path / "source" / "index.md").read_text()
    trees = re.findall(r"```\{toctree\}\n(?::.*\n)+\n((?:.+\n)+)```", index)
    listed = {page for tree in trees for page in tree.split()}
    pages = {
        page.relative_to(ROOT / "docs").with_suffix("").as_posix()
        for page in (ROOT / "docs").rglob("*.md")
    }
    assert listed == pages - {"index"} | {"python-names", "reference/index"}


def test_a_dead_link_is_an_error(tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    page = docs / "page.md"
    page.write_text("[there](../tool.py), [away](https://example.org/x), [gone](../gone.py)")
    (tmp_path / "tool.py").write_text("print()\n")
    with pytest.raises(SystemExit, match=r"docs/page.md: no file for .*gone\.py"):
        Linked(tmp_path).rewritten(page, docs, pathlib.Path())
    page.write_text("[there](../tool.py), [away](https://example.org/x)")
    linked = Linked(tmp_path)
    text = linked.rewritten(page, docs, pathlib.Path())
    assert text == "[there](files/tool.py.md), [away](https://example.org/x)"
    assert "print()" in linked.pages()[pathlib.Path("files/tool.py.md")]


def test_pages_of_another_folder_keep_their_links_to_each_other(tmp_path):
    """The reference's: only files outside of it get pages."""
    folder = tmp_path / "build" / "reference"
    (folder / "api").mkdir(parents=True)
    page = folder / "api" / "group.md"
    page.write_text("[names](names.md), [program](../../../tool.py)")
    (folder / "api" / "names.md").write_text("# Names")
    (tmp_path / "tool.py").write_text("print()\n")
    text = Linked(tmp_path).rewritten(page, folder, pathlib.Path("reference"))
    assert text == "[names](names.md), [program](../../files/tool.py.md)"


def test_the_navigation_follows_the_index():
    text = with_navigation("# T\n\n## One\n\n- [a](b/a.md)\n\n## Two\n\nnothing\n", {})
    assert text.count("{toctree}") == 1 and ":caption: One\n\nb/a\n" in text


def test_python_names_have_signatures_and_no_refusals():
    page = python_page()
    assert "{py:method} PyGPU.GPUArray.get(ary=None, " in page
    assert "{py:attribute} PyGPU.GPUArray.shape\n" in page
    assert "PyGPU.GPUArray.argsort" not in page  # sorting, which PyGPU lacks
    assert "PyGPU.empty(shape, dtype='float64', " in page
