"""Gives each file or folder outside docs/ that a page links to a page on the site."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

_LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)(#[^)\s]*)?\)")
_LANGUAGES = {".py": "python", ".cpp": "cpp", ".cu": "cuda", ".hpp": "cpp", ".toml": "toml"}


class Linked:
    """The files and folders of `root` that were linked to, and the pages that show them."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._docs = root / "docs"
        self._pages: dict[Path, str] = {}  # by their paths on the site

    def rewritten(self, page: Path, folder: Path, to: Path) -> str:
        """The text of `page` below `folder`, whose pages come to `to` on the site.

        Links to files outside of both docs/ and `folder` are changed to pages of the site.
        """
        return self._rewritten(page, to / page.relative_to(folder), folder)

    def pages(self) -> dict[Path, str]:
        """The pages for all files that were linked to, by their paths on the site."""
        return dict(self._pages)

    def _rewritten(self, page: Path, place: Path, folder: Path) -> str:
        def rewrite(link: re.Match[str]) -> str:
            goal = Path(os.path.normpath(page.parent / link[1]))
            if folder != self._docs and goal.is_relative_to(folder):
                return link[0]
            if not goal.exists():
                raise SystemExit(f"{page.relative_to(self._root)}: no file for {link[0]}")
            to = self._place(goal)
            return f"]({os.path.relpath(to, place.parent)}{link[2] or ''})"

        return _LINK.sub(rewrite, page.read_text(encoding="utf-8"))

    def _place(self, goal: Path) -> Path:
        """The path of `goal` on the site; makes its page when first asked for it."""
        if goal.is_relative_to(self._docs) and goal.is_file():
            return goal.relative_to(self._docs)
        name = goal.relative_to(self._root)
        place = Path("files", name.with_suffix("") if name.suffix == ".md" else name)
        place = place / "index.md" if goal.is_dir() else place.with_name(place.name + ".md")
        if place not in self._pages:
            self._pages[place] = ""  # so that files that link to each other end here
            self._pages[place] = "---\norphan: true\n---\n\n" + self._text(goal, place)
        return place

    def _text(self, goal: Path, place: Path) -> str:
        name = goal.relative_to(self._root)
        if goal.is_dir():
            links = (f"- [{file.name}]({file.name}.md)\n" for file in self._shown(goal))
            return f"# {name}\n\n" + "".join(links)
        if goal.suffix == ".md":
            return self._rewritten(goal, place, self._docs)
        code = goal.read_text(encoding="utf-8").rstrip()
        return f"# {name}\n\n`````{_LANGUAGES.get(goal.suffix, 'text')}\n{code}\n`````\n"

    def _shown(self, folder: Path) -> Iterator[Path]:
        for file in sorted(folder.iterdir()):
            if file.suffix in _LANGUAGES:
                self._place(file)
                yield file
