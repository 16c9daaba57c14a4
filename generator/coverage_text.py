"""What `coverage` prints: totals, the releases of APIs, and what is left out, with reasons."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from generator import manifest
from generator.coverage import BY, Coverage
from generator.terminal import print_wrapped, table

# The heads of the columns that say what decided a parameter.
_HEADS = {
    "type": "by\ntype",
    "rule": "by\nrule",
    "evidence": "by\nevidence",
    "raw": "\nraw",
    "unreviewed": "not\nread",
}


def totals(rows: Sequence[Coverage], specs: Path) -> Table:
    """A row for each API of PyGPU itself and for each of its further packages: newest releases."""
    made = _table("Coverage of the newest releases")
    further: dict[str, list[Coverage]] = {}
    newest = list({row.api: row for row in rows}.values())
    for row in newest:
        if extra := manifest.load(row.api, specs).extra:
            further.setdefault(extra, []).append(row)
        else:
            made.add_row(row.api, row.release, *_numbers([row]))
    for extra, members in further.items():
        made.add_row(f"PyGPU\\[{extra}]", f"{len(members)} APIs", *_numbers(members))
    made.add_section()
    made.add_row("all", f"{len(newest)} APIs", *_numbers(newest))
    return made


def releases(rows: Iterable[Coverage], title: str) -> Table:
    """A row for each release."""
    made = _table(title)
    for row in rows:
        made.add_row(row.api, row.release, *_numbers([row]))
    return made


def print_reasons(console: Console, rows: Sequence[Coverage], *, evidence: bool) -> None:
    """What is not bound or not decided, and why; with `evidence`, what only that decides."""
    for title, reasons in _reasons(rows, evidence=evidence):
        if reasons:
            console.print(f"{title}: {len(reasons)}", style="bold", highlight=False)
        for name, reason in sorted(reasons):
            print_wrapped(console, f"{name}: {reason}", 2)


def _reasons(
    rows: Sequence[Coverage], *, evidence: bool
) -> Iterator[tuple[str, set[tuple[str, str]]]]:
    several = len({row.api for row in rows}) > 1
    lists = {
        "Functions that are excluded": [row.excluded for row in rows],
        "Functions that a release doesn't serve": [row.unserved for row in rows],
        "Parameters that are bare addresses (raw)": [row.raw for row in rows],
        "Parameters that nobody has reviewed": [row.unreviewed for row in rows],
    }
    if evidence:
        lists["Parameters that only evidence decides"] = [row.evidence for row in rows]
    for title, found in lists.items():
        yield (
            title,
            {
                (f"{row.api} {name}" if several else name, reason)
                for row, reasons in zip(rows, found, strict=True)
                for name, reason in reasons.items()
            },
        )


def _table(title: str) -> Table:
    numbers = ["bound", "left\nout", "parameters", *(_HEADS[by] for by in BY)]
    return table(title, ["API", "release"], numbers)


def _numbers(rows: Sequence[Coverage]) -> Iterator[str]:
    bound = sum(row.bound for row in rows)
    yield str(bound)
    yield str(sum(row.functions for row in rows) - bound)
    yield str(sum(row.parameters for row in rows))
    yield from (str(sum(row.decided[by] for row in rows)) for by in BY)
