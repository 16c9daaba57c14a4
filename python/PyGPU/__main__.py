"""`python -m PyGPU` and `pygpu`: the doctor, and further commands."""

import sys

from PyGPU._base.command import run
from PyGPU.doctor.cli import main


def pygpu() -> int:
    """The console script."""
    return run(lambda: main(prog="pygpu"), "pygpu")


if __name__ == "__main__":
    sys.exit(run(main, "python -m PyGPU"))
