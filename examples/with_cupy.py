"""CuPy and PyGPU on one array: a kernel of PyGPU's, and CuPy's operations, on the same memory.

    python examples/with_cupy.py

Nothing is copied. Without CuPy or a GPU the program says so, and ends.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys

import numpy as np

import PyGPU

COUNT, BLOCK = 1 << 16, 256
SOURCE = """
__global__ void square(float *values) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    values[at] *= values[at];
}
"""


def lacking() -> str:
    """Why this can't be shown here, or nothing."""
    if not importlib.util.find_spec("cupy"):
        return "there is no CuPy here: pip install cupy-cuda13x"
    if PyGPU.backend == "host":
        return "CuPy needs a GPU: the host runtime has none"
    return ""


def main() -> None:
    if reason := lacking():
        print(reason)
        return
    cupy = importlib.import_module("cupy")
    square = PyGPU.SourceModule(SOURCE)["square"]
    x = np.arange(COUNT, dtype=np.float32) % 100
    theirs = cupy.asarray(x)
    stream = cupy.cuda.get_current_stream().ptr  # the launch comes after CuPy's work on this stream
    square(theirs, grid=COUNT // BLOCK, block=BLOCK, stream=stream)
    ours = PyGPU.from_dlpack(theirs)
    again = cupy.asarray(ours)
    again += 1
    if not (ours.ptr == theirs.data.ptr == again.data.ptr):
        sys.exit("the memory isn't the same")
    if not np.array_equal(theirs.get(), x * x + 1):
        sys.exit("the array differs from numpy's")
    print(f"CuPy {cupy.__version__} and PyGPU worked on the same memory: as numpy's")


if __name__ == "__main__":
    main()
