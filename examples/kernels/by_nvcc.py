"""A .cu file compiled by nvcc to a cubin, which is launched on GPUArrays.

    python examples/kernels/by_nvcc.py

The host runtime runs no cubin: under PYGPU_BACKEND=host a Python function takes the kernel's place.
"""

from __future__ import annotations

import tempfile

from parts import HERE, launched, nvcc, stand_in

import PyGPU


def main() -> None:
    stand_in()
    with tempfile.TemporaryDirectory() as folder:
        cubin = f"{folder}/smooth.cubin"
        nvcc("-cubin", HERE / "smooth.cu", "-o", cubin)
        module = PyGPU.Module(cubin)
    print(f"nvcc's cubin has: {', '.join(module)}")
    launched(module)


if __name__ == "__main__":
    main()
