"""`python -m PyGPU`: the doctor."""

import sys

from ._command import run
from .doctor.cli import main

if __name__ == "__main__":
    sys.exit(run(main, "python -m PyGPU"))
