"""How commands write to a terminal: the console, the tables of changes, and progress.

rich leaves colours out where the output is no terminal, and where NO_COLOR is set.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import sys
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TextIO

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from generator.diff import KINDS, Change, described

_STYLES = {"added": "green", "removed": "red", "changed": "yellow"}
_LONGEST = 300  # letters of one line of a change


class PipeConsole(Console):
    """rich's console; it raises if the reader went away, and leaves the rest to the command."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


def output() -> Console:
    """Standard output; where it is no terminal, wide enough for names and prototypes."""
    console = PipeConsole()
    return console if console.is_terminal else PipeConsole(width=160)


def table(title: str, texts: Sequence[str], numbers: Sequence[str]) -> Table:
    """An empty table of texts, then numbers. Where it is too wide, all texts but the first wrap."""
    made = Table(title=title, title_justify="left", box=SIMPLE_HEAD, show_edge=False, padding=0)
    for place, column in enumerate(texts):
        made.add_column(column, overflow="fold", no_wrap=place == 0, vertical="top")
    for column in numbers:
        made.add_column(column, justify="right", no_wrap=True)
    return made


def print_changes(title: str, changes: list[Change], *, full: bool) -> None:
    """How many things of each kind changed; with `full`, each of them below."""
    console = output()
    counts = Counter((change.kind, change.change) for change in changes)
    if not changes:
        console.print(f"{title}: no changes", highlight=False, markup=False)
        return
    summary = table(title, [""], [*_STYLES])
    for kind in KINDS:
        if any(counts[kind, state] for state in _STYLES):
            numbers = (f"[{style}]{counts[kind, state]}[/]" for state, style in _STYLES.items())
            summary.add_row("aliases" if kind == "alias" else f"{kind}s", *numbers)
    console.print(summary)
    for change in changes if full else ():
        style = _STYLES[change.change]
        head = f"[{style}]{change.change:<7}[/] {change.kind} {escape(change.name)}"
        console.print(head, highlight=False, soft_wrap=True)
        lines = described(change).splitlines()
        marks = ("- ", "+ ") if change.change == "changed" and len(lines) == 2 else ("",)
        for mark, line in zip(itertools.cycle(marks), lines):
            print_wrapped(console, mark + _shortened(line), 4)


def print_wrapped(console: Console, text: str, first: int, rest: int | None = None) -> None:
    """Print a text between spaces, never within a word; later lines are indented by `rest`."""
    for line in textwrap.wrap(
        text,
        console.width,
        initial_indent=" " * first,
        subsequent_indent=" " * (first + 4 if rest is None else rest),
        break_long_words=False,
        break_on_hyphens=False,
    ):
        console.print(Text(line), soft_wrap=True)


def say(text: str, stream: TextIO | None = None) -> None:
    """Print a sentence: wrapped between words on a terminal, else as one line for programs."""
    console = PipeConsole(file=stream or sys.stdout)
    if console.is_terminal:
        print_wrapped(console, text, 0, len(text) - len(text.lstrip()) + 2)
    else:
        print(text, file=stream or sys.stdout)


def _shortened(line: str) -> str:
    return line if len(line) <= _LONGEST else line[: _LONGEST - 3] + "..."


@contextlib.contextmanager
def progress(text: str, *, told: bool = True) -> Iterator[None]:
    """A spinner on stderr while something long runs.

    Where stderr is no terminal, it is one plain line if `told`, else nothing.
    """
    console = PipeConsole(stderr=True)
    if console.is_terminal:
        with console.status(escape(text)):
            yield
    else:
        if told:
            console.print(text, highlight=False, markup=False, soft_wrap=True)
        yield
