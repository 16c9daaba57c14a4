"""A command that gets a signal when the third file is prepared: for test_cli.py.

Its arguments are the signal's name, and those of the command.
"""

from __future__ import annotations

import os
import signal
import sys

from generator.__main__ import run

calls = 0
real = os.fsync
number = signal.Signals[sys.argv.pop(1)]


def ended(place: int) -> None:
    global calls
    calls += 1
    real(place)
    if calls == 3:
        os.kill(os.getpid(), number)


os.fsync = ended
sys.exit(run())
