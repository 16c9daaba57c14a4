"""Asks a runtime every row beside captures. A program, since a bad row may end the process.

    python tests/behaviour/captures/ask.py cuda|cu [FIRST ROW]

Prints one JSON object per line: first the driver, runtime and device, then for each row its key,
before the row is asked, and its answers.
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
from tests.behaviour.ask import DriverStage, Names, Stage, say
from tests.behaviour.captures import rows


class Captures:
    """Begins and ends captures, on this thread or on another one that stays the same."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.other = ThreadPoolExecutor(max_workers=1)
        if isinstance(stage, DriverStage):
            self.other.submit(stage.call, "CtxSetCurrent", stage.primary).result()
        else:
            self.other.submit(stage.call, "SetDevice", 0).result()

    def begin(self, stream: Any, by_other_thread: bool) -> None:
        """Let a stream capture in the global mode."""
        if by_other_thread:
            self.other.submit(self.stage.call, "StreamBeginCapture", stream, rows.GLOBAL).result()
        else:
            self.stage.call("StreamBeginCapture", stream, rows.GLOBAL)

    def end(self, stream: Any, by_other_thread: bool) -> Any:
        """The status of the capture's end."""
        if by_other_thread:
            graph, error = self.other.submit(
                self.stage.gpu_call, "StreamEndCapture", stream
            ).result()
        else:
            graph, error = self.stage.gpu_call("StreamEndCapture", stream)
        if graph:
            self.stage.undo("GraphDestroy", graph)
        return error


def ask(stage: Stage, captures: Captures, row: rows.Row, situation: rows.Situation) -> list[str]:
    """The names of the call's status, and of the end of the capture beside it."""
    names = Names(stage, 1)
    flags = rows.BLOCKING if situation.legacy else rows.NON_BLOCKING
    captured = names["captured"] = stage.stream(flags)
    names["s"] = None if situation.legacy else stage.stream(rows.NON_BLOCKING)
    try:
        for statement in row.before:
            exec(statement, names)
        stage.call("ThreadExchangeStreamCaptureMode", situation.mode)
        captures.begin(captured, situation.by_other_thread)
        try:
            result = eval(row.call, names)
        finally:
            ended = captures.end(captured, situation.by_other_thread)
            stage.gpu_call("ThreadExchangeStreamCaptureMode", rows.GLOBAL)
        *names["v"], error = result if isinstance(result, tuple) else (result,)
        if not error and row.after:
            exec(row.after, names)
        return [error.name, ended.name]
    except Exception as error:
        return [f"{type(error).__name__}: {error}"[:300]]
    finally:
        stage.gpu_call("ThreadExchangeStreamCaptureMode", rows.GLOBAL)
        stage.clear(False)


def main() -> None:
    """Ask all rows in all situations, starting with the given row."""
    api, first = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0
    stage = DriverStage() if api == "cu" else Stage(api)
    say(**(who := stage.who()))
    captures = Captures(stage)
    for row in rows.load(api)[first:]:
        if row.needs > who["devices"] or row.since > who["runtime"]:
            say(skipped=row.key)
            continue
        say(asked=row.key)
        answers = {
            name: ask(stage, captures, row, situation)
            for name, situation in rows.SITUATIONS.items()
        }
        say(key=row.key, answers=answers)


if __name__ == "__main__":
    main()
