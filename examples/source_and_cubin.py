"""One kernel, twice: compiled while the program runs, and loaded from a cubin file.

    python examples/source_and_cubin.py

A cubin is machine code for one kind of card: it loads at once, and needs no compiler. The host
runtime runs no cubins. There the file has PTX instead, and the program says so.
"""

from __future__ import annotations

import pathlib
import sys
import tempfile

import numpy as np

import PyGPU
from PyGPU import compiler

COUNT, BLOCK = 1000, 256
SOURCE = """
__global__ void saxpy(float a, const float *x, float *y, int count) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < count) y[at] = a * x[at] + y[at];
}
"""


def launched(how: str, module: PyGPU.Module) -> None:
    """Launch the kernel; ends the program if the result isn't numpy's."""
    x = np.arange(COUNT, dtype=np.float32)
    y = PyGPU.ones(COUNT, np.float32)
    arguments = np.float32(2), PyGPU.to_gpu(x), y, np.int32(COUNT)
    module["saxpy"](*arguments, grid=-(-COUNT // BLOCK), block=BLOCK)
    if not np.array_equal(y.get(), 2 * x + 1):
        sys.exit(f"{how}: the array differs from numpy's")
    print(f"{how}: as numpy's")


def main() -> None:
    print(f"device: {PyGPU.checked.cudaGetDeviceProperties(0).name}")
    launched("from source", PyGPU.SourceModule(SOURCE))

    code = compiler.compile(SOURCE)  # for this device: a cubin on an NVIDIA card
    if PyGPU.backend == "host":
        print(f"the host runtime runs no cubin: the file has {code.kind.upper()}")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, f"saxpy.{code.kind}")
        path.write_bytes(code)
        print(f"{path.name}: {len(code):,} bytes for {code.arch}")
        launched(f"from {path.name}", PyGPU.Module(path))


if __name__ == "__main__":
    main()
