"""The same source as in by_nvcc.py, compiled while the program runs: no toolkit is needed.

    python examples/kernels/by_compile.py

Runs on a GPU of either vendor, and on the host runtime, which runs the PTX.
"""

from __future__ import annotations

from parts import HERE, launched

import PyGPU
from PyGPU import compiler


def main() -> None:
    code = compiler.compile((HERE / "smooth.cu").read_text())
    print(f"{code.compiler} made: {code!r}")
    launched(PyGPU.Module(code))


if __name__ == "__main__":
    main()
