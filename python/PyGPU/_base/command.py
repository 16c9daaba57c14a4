"""Runs a command so that it ends without a traceback if its output can't be written."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Callable

_CUT_OFF = 141  # what shells report of a program that SIGPIPE ended
_INTERRUPTED = 130  # the same for SIGINT


def run(main: Callable[[], int | None], name: str = "") -> int:
    """Call `main` and return its exit code, once all of its output is written.

    Characters that the output's encoding lacks are written as escapes. If the reader has gone
    (`| head`), nothing is printed: the code is that of `main`, or 141 if `main` didn't end. An
    OSError, such as that of a full disk, prints one line on stderr and gives code 1. The line
    starts with `name`, by default the script's name. An interrupt gives code 130.
    """
    code = None
    if isinstance(sys.stdout, io.TextIOWrapper):  # for paths that are no text, ASCII terminals
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
    if sys.stdout is not None:  # None if file descriptor 1 was closed from the start
        sys.stdout.flush()


def _say(text: str) -> None:
    with contextlib.suppress(OSError):
        print(text, file=sys.stderr)


def _forget_output() -> None:
    """Else Python would try to write the rest at exit, and complain again."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
