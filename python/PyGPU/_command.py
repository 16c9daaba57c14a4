"""How a command ends where its output can't be written: without a traceback."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Callable

_CUT_OFF = 141  # what shells report of a program that SIGPIPE ended
_INTERRUPTED = 130  # the same of SIGINT


def run(main: Callable[[], int | None], name: str = "") -> int:
    """Call `main` and return its exit code, once all of its output is written.

    What the output's encoding can't spell is written as an escape. Where the reader has gone
    (`| head`) nothing is said: the code is that of `main`, or 141 if it came to no end. Any
    OSError, such as a full disk's, is one line on stderr that starts with `name` (the script's,
    when left out), and code 1. An interrupt is code 130.
    """
    code = None
    if isinstance(sys.stdout, io.TextIOWrapper):  # for paths of no text, terminals of few letters
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        try:
            code = main() or 0
        except SystemExit:  # argparse's, after its help
            _flush()
            raise
        _flush()
        return code
    except BrokenPipeError:
        code = _CUT_OFF if code is None else code
    except OSError as error:
        _say(f"{name or os.path.basename(sys.argv[0])}: {error}")
        code = 1
    except KeyboardInterrupt:
        code = _INTERRUPTED
    _forget_output()
    return code


def _flush() -> None:
    if sys.stdout is not None:  # as it is when file 1 was closed from the start
        sys.stdout.flush()


def _say(text: str) -> None:
    with contextlib.suppress(OSError):
        print(text, file=sys.stderr)


def _forget_output() -> None:
    """What couldn't be written would be tried once more at exit, and complained about."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
