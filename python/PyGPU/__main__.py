"""`python -m PyGPU`: the doctor."""

import sys

from .doctor.cli import main

sys.exit(main())
