"""examples/README.md lists every program of the folder, and every program that it names exists."""

from __future__ import annotations

import ast
import pathlib
import re

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples"
ROW = re.compile(r"^\| \[(.+?)\]\((.+?)\) \| (.+?) \| `(.+)` \|$", re.M)
ROWS = ROW.findall((FOLDER / "README.md").read_text())


def says_how_to_run(path: pathlib.Path) -> bool:
    """A program's docstring has its command in a line of its own; a helper module's has none."""
    told = ast.get_docstring(ast.parse(path.read_text()), clean=False) or ""
    return bool(re.search(r"^    .*\bpython\b", told, re.M))


def test_the_table_is_complete():
    files = {path.relative_to(FOLDER).as_posix(): path for path in FOLDER.rglob("*.py")}
    programs = {name for name, path in files.items() if says_how_to_run(path)}
    assert {name for name, *_ in ROWS} == programs
    assert len(ROWS) == len(programs), "each has one row"
    assert set(files) - programs == {"kernels/parts.py", "pycuda/compared.py"}, "no command"


def test_every_row_links_to_its_program():
    table = [line for line in (FOLDER / "README.md").read_text().splitlines() if "](" in line]
    assert len(ROWS) == len(table), "a row of another form"
    for name, target, *_ in ROWS:
        assert name == target
        assert (FOLDER / target).is_file(), target
