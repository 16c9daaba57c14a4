"""`regenerate`, which gets SIGTERM when the third file is prepared: for test_cli.py."""

from __future__ import annotations

import os
import signal
import sys

from generator.__main__ import run

calls = 0
real = os.fsync


def ended(place: int) -> None:
    global calls
    calls += 1
    real(place)
    if calls == 3:
        os.kill(os.getpid(), signal.SIGTERM)


os.fsync = ended
sys.argv[1:] = ["--root", sys.argv[1], "regenerate"]
sys.exit(run())
