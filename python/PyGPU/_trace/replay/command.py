"""`pygpu trace replay`: runs a trace with data again."""

from __future__ import annotations

import argparse
import json

BACKENDS = ("host", "cuda", "hip")


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to those of `pygpu trace`."""
    replay = commands.add_parser(
        "replay",
        help="make the calls of a trace with data again, and compare what the host receives",
        description="Make the calls of a trace again that was recorded with PYGPU_TRACE_DATA=1. "
        "Its kernels run: replay a file of a stranger's as you would run a stranger's program.",
    )
    replay.add_argument("file", help="a trace with data: .pygpu")
    replay.add_argument("--backend", choices=BACKENDS, help="by default as for any program")
    replay.add_argument("--json", action="store_true", help="print one JSON object instead of text")


def run(options: argparse.Namespace) -> int:
    """Replay the file; 1 if anything differs. ValueError for a file that can't be replayed."""
    from PyGPU import _backend
    from PyGPU._errors import GPUError

    from . import report
    from .playing.load import Trace
    from .playing.play import Replay

    trace = Trace(options.file)  # before a device is touched
    replay = Replay(trace)
    if options.backend:
        _backend.use(options.backend)
    try:
        replay.run(report.Progress())
    except GPUError as error:  # of a call that the replay makes for itself
        raise ValueError(f"{options.file}: the replay has ended: {error}") from None
    found = report.numbers(replay, _backend.current())
    print(json.dumps(found, indent=2) if options.json else report.text(found))
    return 0 if replay.is_equal else 1
