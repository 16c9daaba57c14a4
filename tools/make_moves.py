#!/usr/bin/env python3
"""Makes the PTX of the kernels that move elements: python/PyGPU/_moves/*.ptx.

    tools/make_moves.py [--check]

It takes NVRTC of CUDA 11.8, for compute_50: an older driver couldn't load what a newer one makes,
and newer drivers compile it for any later card. PyGPU must be importable, and PYGPU_NVRTC_LIBRARY
must name the library (of the package nvidia-cuda-nvrtc-cu11==11.8.89). With --check, nothing is
written, and the exit code is 1 if a file would change.
"""

from __future__ import annotations

import sys
from pathlib import Path

from PyGPU import _moves
from PyGPU.compiler import compile

ARCHITECTURE = "compute_50"


def ptx(name: str) -> bytes:
    """The PTX of one kernel."""
    source, options = _moves.source(name), _moves.options(name)
    made = bytes(compile(source, options, ARCHITECTURE, name=f"{name}.cu", cache=False))
    return made.rstrip(b"\0").strip() + b"\n"


def main(arguments: list[str]) -> int:
    """Write the files, or compare them."""
    check = "--check" in arguments
    changed = 0
    for name in _moves.KERNELS:
        file, text = Path(_moves.path(name)), ptx(name)
        if file.is_file() and file.read_bytes() == text:
            continue
        changed += 1
        print(f"{file.name} {'would change' if check else 'written'}")
        if not check:
            file.write_bytes(text)
    print(f"{len(_moves.KERNELS)} kernels, {changed} changed")
    return int(check and changed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
