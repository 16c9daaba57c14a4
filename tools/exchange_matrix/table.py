"""Prints the matrix to a terminal, and writes it into docs/exchange.md."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path

from row import COLUMNS, Row

PAGE = Path(__file__).resolve().parents[2] / "docs" / "exchange.md"
MARKERS = "<!-- matrix of {0} -->", "<!-- end of the matrix of {0} -->"


def show(machine: str, rows: Sequence[Row]) -> None:
    """Print all cells, one on a line."""
    print(machine)
    for row in rows:
        print(f"\n{row.peer} {row.version}".rstrip() + (f": {row.absent}" if row.absent else ""))
        for column, cell in row.cells.items():
            sign = " " if cell.right else "!"
            print(f" {sign} {column:<13} {cell.text}")
    wrong = sum(not cell.right for row in rows for cell in row.cells.values())
    run = sum(len(row.cells) for row in rows)
    print(f"\n{len(rows)} peers, {run} cells run, {wrong} wrong")


def as_markdown(machine: str, rows: Sequence[Row]) -> str:
    """The matrix as a table for a page."""
    lines = [*textwrap.wrap(machine, 120), ""]
    lines += ["| peer | " + " | ".join(COLUMNS) + " |", "| --- " * (len(COLUMNS) + 1) + "|"]
    for row in rows:
        name = f"{row.peer} {row.version}".rstrip()
        told = [escaped(row.cells[column].text) for column in COLUMNS if column in row.cells]
        told = told or [row.absent, *[""] * (len(COLUMNS) - 1)]
        lines.append("| " + " | ".join([name, *told, ""]).rstrip())
    return "\n".join(lines)


def escaped(text: str) -> str:
    return text.replace("|", "\\|")


def write_page(backend: str, text: str) -> None:
    """Put the table between the markers of its backend in docs/exchange.md."""
    begin, end = (marker.format(backend) for marker in MARKERS)
    page = PAGE.read_text(encoding="utf-8")
    before, found, rest = page.partition(begin)
    _, ended, after = rest.partition(end)
    if not found or not ended:
        raise SystemExit(f"{PAGE.name} has no {begin} ... {end}")
    PAGE.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}", encoding="utf-8")
