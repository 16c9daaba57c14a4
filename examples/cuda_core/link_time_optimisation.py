"""A kernel of parts: cuda.core's example of run-time link-time optimisation, with PyGPU's objects.

    python examples/cuda_core/link_time_optimisation.py

A kernel calls a function that another source defines. Which one it is, the program chooses while
it runs. The parts are LTO-IR where nvJitLink is installed (pip install 'PyGPU[nvidia]'
nvidia-nvjitlink), so that the call costs nothing; else they are PTX.
"""

from __future__ import annotations

import importlib.util
import sys

import numpy as np

import PyGPU

SIZE = 256
KERNEL = """
__device__ float chosen(float x);
extern "C" __global__ void map(float *values) {
    values[threadIdx.x] = chosen(values[threadIdx.x]);
}
"""
FUNCTIONS = {"square": "x * x", "half": "x / 2", "next": "x + 1"}


def main() -> None:
    device, start = PyGPU.Device(), np.arange(SIZE, dtype=np.float32)
    kind = "ltoir" if importlib.util.find_spec("PyGPU.nvjitlink") else "ptx"
    kernel = PyGPU.Program(KERNEL, "-rdc=true").compile(kind)
    for name, formula in FUNCTIONS.items():
        source = f"__device__ float chosen(float x) {{ return {formula}; }}"
        function = PyGPU.Program(source, "-rdc=true").compile(kind)
        linker = PyGPU.Linker(kernel, function)
        values = PyGPU.to_gpu(start)
        PyGPU.Module(linker.link())["map"](values, grid=1, block=SIZE)
        if not (values.get() == eval(formula, {"x": start})).all():
            sys.exit(f"{name} differs from numpy's")
    print(f"the functions {', '.join(FUNCTIONS)} on {device.name}: as numpy's")


if __name__ == "__main__":
    main()
