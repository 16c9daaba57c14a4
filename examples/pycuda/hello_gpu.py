"""PyCUDA's hello_gpu with its imports renamed: two arrays multiplied, copied by In and Out.

    python examples/pycuda/hello_gpu.py

Runs on a GPU of either vendor, and on the host runtime without one.
"""

from __future__ import annotations

import numpy as np
from compared import same

import PyGPU.autoinit  # noqa: F401
import PyGPU.driver as drv
from PyGPU.compiler import SourceModule

mod = SourceModule("""
__global__ void multiply_them(float *dest, float *a, float *b)
{
    const int i = threadIdx.x;
    dest[i] = a[i] * b[i];
}
""")


multiply_them = mod.get_function("multiply_them")

a = np.random.randn(400).astype(np.float32)
b = np.random.randn(400).astype(np.float32)
dest = np.zeros_like(a)
multiply_them(drv.Out(dest), drv.In(a), drv.In(b), block=(400, 1, 1))

same("400 products", dest, a * b)
