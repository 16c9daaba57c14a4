#!/usr/bin/env python3
"""Checks that a tag is ready to be released: its number stands wherever a release has one.

    python tools/check_release.py v0.2.0

The version is that of pyproject.toml. The tag must be `v` and the version; the changelog's newest
heading must have it with a date, and conda's recipe must have it. The exit code is 1 if something
differs.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def faults(tag: str, root: Path = ROOT) -> list[str]:
    """What stands in the way of a release with this tag, a line each."""
    project = _found(r'^version = "(.+)"$', root / "pyproject.toml")
    heading = _found(r"^## (.+)$", root / "CHANGELOG.md")
    recipe = _found(r"^  version: (\S+)$", root / "conda" / "recipe.yaml")
    found = []
    if tag != f"v{project}":
        found.append(f"the tag is {tag}, pyproject.toml has the version {project}")
    if not re.fullmatch(rf"{re.escape(project)} \(\d{{4}}-\d\d-\d\d\)", heading):
        found.append(f"CHANGELOG.md begins with '{heading}', not with '{project} (YYYY-MM-DD)'")
    if recipe != project:
        found.append(f"conda/recipe.yaml has the version {recipe}, not {project}")
    return found


def _found(pattern: str, path: Path) -> str:
    match = re.search(pattern, path.read_text(encoding="utf-8"), re.MULTILINE)
    return match[1] if match else ""


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python tools/check_release.py TAG")
    wrong = faults(sys.argv[1])
    print(*wrong, sep="\n", end="\n" if wrong else "")
    sys.exit(1 if wrong else 0)
