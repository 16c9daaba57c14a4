"""What a replay came to, in lines of at most 80 columns, and as JSON."""

from __future__ import annotations

import os
import sys
import textwrap
import time
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from .playing.play import Replay

WIDTH = 80
MOST = 10  # rows of each table
_QUIET = 2.0  # seconds without a word
_EVERY = 1.0


def numbers(replay: Replay, backend: str) -> dict[str, Any]:
    """What there is to say, for programs."""
    threads = {one.thread for one in replay.trace.steps if not one.memory}
    return {
        "file": replay.trace.path,
        "backend": backend,
        "equal": replay.is_equal,
        "whole": replay.trace.is_whole,
        "calls": sum(replay.calls.values()),
        "threads": len(threads),
        "seconds": replay.seconds,
        "compared": replay.compared,
        "bytes_compared": replay.bytes_compared,
        "functions": dict(replay.calls.most_common()),
        "left_out": dict(replay.left_out),
        "host_functions": replay.host_functions,
        "differences": [asdict(one) for one in replay.differences],
    }


def text(found: dict[str, Any]) -> str:
    """The same for people."""
    return "\n".join(line[:WIDTH].rstrip() for line in _lines(found))


def _lines(found: dict[str, Any]) -> Iterator[str]:
    calls, threads = _counted(found["calls"], "call"), _counted(found["threads"], "thread")
    yield f"{calls} of {threads} replayed on {found['backend']} in {found['seconds']:.2f} s"
    downloads, size = found["compared"], found["bytes_compared"]
    yield f"{_counted(downloads, 'download')} compared, {_counted(size, 'byte')}"
    if not found["whole"]:
        yield "the trace has no end: its program ended early"
    if found["host_functions"]:
        count = _counted(found["host_functions"], "function")
        yield f"instead of {count} of the host, one that does nothing was called"
    for name, count in found["left_out"].items():
        yield f"left out: {_counted(count, 'call')} of {name}"
    differ: dict[str, int] = {}
    for one in found["differences"]:
        differ[one["name"]] = differ.get(one["name"], 0) + 1
    yield from ("", f"{'calls':>10} {'differ':>10}  function")
    names = sorted({*found["functions"], *differ}, key=lambda one: -found["functions"].get(one, 0))
    for name in names[:MOST]:
        yield f"{found['functions'].get(name, 0):>10,} {differ.get(name, 0):>10,}  {name}"
    if len(names) > MOST:
        yield f"{'':21}  and {len(names) - MOST} more"
    if found["equal"]:
        yield from ("", "nothing differs")
        return
    yield from ("", f"{'call':>10}  what differs")
    for one in found["differences"][:MOST]:
        yield f"{one['call']:>10,}  {one['name']}  {_short(one['place'])}"
        yield from textwrap.wrap(
            one["what"], WIDTH, initial_indent=" " * 12, subsequent_indent=" " * 12
        )
    if (more := len(found["differences"]) - MOST) > 0:
        yield f"{'':10}  and {more:,} more"


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def _short(place: str) -> str:
    return os.path.basename(place)


class Progress:
    """Says how far a replay is, on stderr, once it has taken a while."""

    def __init__(self) -> None:
        self._next = time.monotonic() + _QUIET
        self._said = False

    def __call__(self, done: int, of: int) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + _EVERY
        self._said = True
        end = "\r" if sys.stderr.isatty() else "\n"
        print(f"replayed {done:,} of {of:,} steps", end=end, file=sys.stderr, flush=True)
