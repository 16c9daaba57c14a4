"""Assembles the sources of the site: the pages of docs/, and pages made from the code.

    python -m tools.docs_site build/docs/source

The pages are plain Markdown that also reads well where the repository is hosted. Three things are
added for the site: the navigation, which follows the links of docs/index.md; pages for the files
outside docs/ that pages link to; and the reference of the Python classes and functions.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from tools.docs_site.links import Linked
from tools.docs_site.navigation import with_navigation
from tools.docs_site.python_names import python_page

ROOT = Path(__file__).resolve().parents[2]


def assemble(target: Path, reference: Path | None) -> None:
    """Write the files that Sphinx reads into `target`; `reference` is a folder of further pages."""
    docs = ROOT / "docs"
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(docs, target, ignore=shutil.ignore_patterns("*.md", "__pycache__"))
    linked = Linked(ROOT)
    sources = {docs: Path()}
    made = ["python-names"]
    if reference is not None:
        sources[reference.resolve()] = Path("reference")
        made.append("reference/index")
    pages = {Path("python-names.md"): python_page()}
    for folder, to in sources.items():
        for page in sorted(folder.rglob("*.md")):
            pages[to / page.relative_to(folder)] = linked.rewritten(page, folder, to)
    pages |= linked.pages()
    index = Path("index.md")
    pages[index] = with_navigation(pages[index], {"Reference": made})
    for path, text in pages.items():
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        (target / path).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tools.docs_site", description=__doc__)
    parser.add_argument("target", type=Path, help="a folder, which is emptied first")
    parser.add_argument("--reference", type=Path, help="what `generator reference` wrote")
    options = parser.parse_args()
    assemble(options.target, options.reference)
