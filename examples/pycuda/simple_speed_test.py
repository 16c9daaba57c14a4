"""PyCUDA's SimpleSpeedTest with its imports renamed: many sines, by a kernel and by arithmetic.

    python examples/pycuda/simple_speed_test.py [ITERATIONS]

Each sine of an array is one launch; the kernel is launched once for all of them.
"""

from __future__ import annotations

import sys

import numpy as np
from compared import same

import PyGPU.autoinit  # noqa: F401
import PyGPU.driver as drv
from PyGPU import cumath, gpuarray
from PyGPU.compiler import SourceModule

BLOCKS, BLOCK = 64, 128
iterations = int(sys.argv[1]) if len(sys.argv) > 1 else 1000

mod = SourceModule("""
__global__ void many_sines(float *dest, const float *a, int iterations)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = a[i];
    for (int n = 0; n < iterations; ++n) value = sinf(value);
    dest[i] = value;
}
""")


def sines(values, iterations):
    for _ in range(iterations):
        values = np.sin(values)
    return values


many_sines = mod.get_function("many_sines")
a = np.linspace(-1, 1, BLOCKS * BLOCK, dtype=np.float32)
dest = np.zeros_like(a)

start, end = drv.Event(), drv.Event()
start.record()
many_sines(drv.Out(dest), drv.In(a), np.int32(iterations), grid=(BLOCKS, 1), block=(BLOCK, 1, 1))
end.record()
end.synchronize()

same(f"{iterations} sines of {a.size} values", dest, sines(a, iterations), tolerance=1e-4)
print(f"the kernel and its copies took {start.time_till(end) * 1e-3:.6f} s")

values = cumath.sin(gpuarray.to_gpu(a))  # compiles the function, which isn't measured
start.record()
for _ in range(iterations - 1):
    values = cumath.sin(values)
end.record()
end.synchronize()
same("the same by cumath", values.get(), sines(a, iterations), tolerance=1e-4)
print(f"{iterations - 1} calls of cumath.sin took {start.time_till(end) * 1e-3:.6f} s")
