"""What a command knows of its terminal: the size, colours, and a line while people wait."""

from __future__ import annotations

import os
import shutil
import sys
import threading
from typing import TextIO

_CODES = {"good": "32", "bad": "31", "notice": "33", "bold": "1"}
_CLEARED = "\r\x1b[K"


def width() -> int:
    """The columns to fill: the terminal's, COLUMNS if it is set, else 80; never less than 40."""
    return max(shutil.get_terminal_size().columns, 40)


def height() -> int:
    """The lines of the terminal, LINES if it is set, else 24."""
    return shutil.get_terminal_size().lines


def is_terminal(stream: TextIO | None) -> bool:
    """Whether people read `stream` on a terminal that obeys escapes."""
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


def styled(text: str, style: str, stream: TextIO | None = None) -> str:
    """`text` as "good", "bad", "notice" or "bold"; plain where `stream` takes no colours.

    `stream` is standard output by default. NO_COLOR, set to anything, means plain.
    """
    stream = stream or sys.stdout
    if os.environ.get("NO_COLOR") or not is_terminal(stream):
        return text
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m"


class Waiting:
    """`with Waiting("Asking the driver"):` shows the text once `after` seconds have passed.

    It is one line on standard error, with the seconds so far, and is gone at the end. Nothing is
    written where standard error is no terminal.
    """

    def __init__(self, text: str, after: float = 1.0) -> None:
        self._text, self._after = text, after
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Waiting:
        if is_terminal(sys.stderr):
            self._thread = threading.Thread(target=self._show, daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._thread:
            self._thread.join()

    def _show(self) -> None:
        passed = self._after
        while not self._over.wait(1.0 if passed > self._after else self._after):
            text = f"{self._text} ({passed:.0f} s)"
            self._write(_CLEARED + text[: width() - 1])
            passed += 1.0
        if passed > self._after:
            self._write(_CLEARED)

    @staticmethod
    def _write(text: str) -> None:
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except (OSError, ValueError):
            pass
