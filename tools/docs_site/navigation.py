"""Makes the navigation of the site from the links in docs/index.md."""

from __future__ import annotations

import re


def with_navigation(index: str, made: dict[str, list[str]]) -> str:
    """`index` with a hidden toctree for each section, of the pages that the section links to.

    `made` has further pages by the title of a section: those that only the site has.
    """
    _, *sections = re.split(r"^## ", index, flags=re.MULTILINE)
    trees = []
    for section in sections:
        title = section.partition("\n")[0]
        pages = re.findall(r"\]\(([\w/-]+)\.md\)", section) + made.get(title, [])
        if pages:
            options = f":hidden:\n:caption: {title}\n"
            trees.append("```{toctree}\n" + options + "\n" + "\n".join(pages) + "\n```\n")
    return index + "\n" + "\n".join(trees)
