"""What portable functions and values become on one release of HIP, by its stand-in.

Run as a program like drive.py. Prints the codes of calls and the values of names as JSON.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

os.environ["PYGPU_BACKEND"] = "hip"

import PyGPU
from tests.standin.drive import start


def main(api: str, version: str, path: str) -> int:
    """One function for each HIP release that added it, and values that were renamed."""
    start(api, version, path)
    calls = {
        "cudaDeviceReset": PyGPU.cudaDeviceReset(),
        "cudaDeviceSetLimit": PyGPU.cudaDeviceSetLimit(0, 0),
        "cudaGetFuncBySymbol": PyGPU.cudaGetFuncBySymbol(0)[-1],
    }
    values = ("cudaHostAllocMapped", "cudaEventWaitDefault", "cudaMemLocationTypeHost")
    found = {name: int(error) for name, error in calls.items()}
    print(json.dumps(found | {name: int(getattr(PyGPU, name)) for name in values}))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
