"""`pygpu trace`: shows what a trace has, and writes it in another format."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

from PyGPU._base import terminal

from . import spool
from .calls import Event
from .formats import FORMATS, read_json, write
from .replay import command as replay
from .replay.container import is_trace
from .summary import render, summary


def main(arguments: Sequence[str], prog: str) -> int:
    """Run the command; the exit code is 1 if a file can't be read or written."""
    parser = argparse.ArgumentParser(
        prog=prog,
        description="Summarise the calls that PYGPU_TRACE or PyGPU.trace() recorded, or make them "
        "again.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    show = commands.add_parser("show", help="calls, bytes moved, waits, gaps, the slowest calls")
    show.add_argument(
        "file", help="a trace: .json, .jsonl, .pygpu, or the .part of a process that ended early"
    )
    show.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    convert = commands.add_parser("convert", help="write a trace in another format")
    convert.add_argument("file", help="as for show")
    convert.add_argument("output", help="a file whose suffix is the format: .txt, .jsonl or .json")
    replay.add(commands)
    options = parser.parse_args(arguments)
    try:
        if options.command == "replay":
            return replay.run(options)
        events = load(options.file)
        if options.command == "show":
            numbers = summary(events)
            print(json.dumps(numbers, indent=2) if options.json else _shown(numbers))
        else:
            _convert(events, options.output)
    except BrokenPipeError:  # a reader that has gone may still want the code
        return 0
    except OSError as error:
        print(f"{prog}: {error.filename or options.file}: {error.strerror}", file=sys.stderr)
        return 1
    except ValueError as error:
        print(f"{prog}: {error}", file=sys.stderr)
        return 1
    return 0


def _shown(numbers: dict[str, Any]) -> str:
    """The summary; on a terminal with as many rows as fit, else with ten in each table."""
    if not terminal.is_terminal(sys.stdout):
        return render(numbers)
    return render(numbers, terminal.width(), terminal.height())


def load(path: str) -> list[Event]:
    """The events of a file of a trace. ValueError for a file that is none."""
    with open(path, "rb") as file:
        data = file.read()
    if spool.is_spool(data):
        return spool.read(data)
    if is_trace(data):
        from .replay.playing.load import Trace

        trace = Trace(path)
        if not trace.is_whole:
            raise ValueError(
                f"{path}: its program ended early: {path}.part has the texts of its calls"
            )
        data = trace.events
    try:
        return read_json(data.decode("utf-8", "surrogateescape"))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ValueError(
            f"{path} isn't a readable trace: give the .json, .jsonl or .part file of a trace"
        ) from None


def _convert(events: list[Event], output: str) -> None:
    form = output.rpartition(".")[2]
    if form not in FORMATS:
        raise ValueError(f"{output}: the name must end with .txt, .jsonl or .json")
    with open(output, "w", encoding="utf-8", errors="surrogateescape") as file:
        write(file, form, events)
