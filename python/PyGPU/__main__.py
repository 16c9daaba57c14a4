"""`python -m PyGPU`: the doctor."""

import sys

from .doctor.cli import main

if __name__ == "__main__":
    sys.exit(main())
