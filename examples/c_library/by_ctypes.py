"""A C library beside a kernel: both use one memory, and a stream calls C after the kernel.

    python examples/c_library/by_ctypes.py

The C compiler cc builds mean.c, and ctypes loads it. No copy is made between C and numpy: both
use the same memory. Under PYGPU_BACKEND=host the kernel's PTX runs on the CPU.
"""

from __future__ import annotations

import ctypes
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np

import PyGPU

COUNT, BLOCK = 1 << 16, 256
KERNEL = """
__global__ void square(float *values) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    values[at] *= values[at];
}
"""


class Job(ctypes.Structure):
    """mean.c's struct job."""

    _fields_ = (("values", ctypes.c_void_p), ("count", ctypes.c_size_t), ("mean", ctypes.c_double))


def built(folder: str) -> ctypes.CDLL:
    """Build and load the C library, and set the types of its functions."""
    compiler = shutil.which("cc")
    if not compiler:
        sys.exit("there is no C compiler here: install one that is called cc")
    path = f"{folder}/libmean.so"
    source = pathlib.Path(__file__).with_name("mean.c")
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", source, "-o", path], check=True)
    library = ctypes.CDLL(path)
    library.ramp.argtypes = ctypes.c_void_p, ctypes.c_size_t
    library.take_mean.argtypes = (ctypes.c_void_p,)
    return library


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        library = built(folder)
    square = PyGPU.SourceModule(KERNEL)["square"]
    values = PyGPU.pagelocked_empty(COUNT, np.float32)
    library.ramp(values.ctypes.data, COUNT)

    stream = PyGPU.Stream()
    on_device = PyGPU.empty(COUNT, np.float32)
    on_device.set_async(values, stream)
    square(on_device, grid=COUNT // BLOCK, block=BLOCK, stream=stream)
    result = on_device.get_async(stream)
    job = Job(result.ctypes.data, COUNT)
    # The stream calls C itself, after the copy: no Python runs in between.
    PyGPU.checked.cudaLaunchHostFunc(stream, library.take_mean, ctypes.addressof(job))
    stream.synchronize()

    wanted = np.mean(np.square(values), dtype=np.float64)
    if not np.isclose(job.mean, wanted):
        sys.exit(f"C's mean is {job.mean}, which differs from numpy's {wanted}")
    name = PyGPU.checked.cudaGetDeviceProperties(0).name
    print(f"squares on {name}, their mean by C: {job.mean:.6f}, as numpy's")


if __name__ == "__main__":
    main()
