"""PyCUDA's tutorial with its imports renamed: an array is doubled in memory, and by InOut.

    python examples/pycuda/demo.py

The tutorial's last line, 2 * a_gpu, is arithmetic on arrays. The kernel gets a GPUArray, too.
"""

from __future__ import annotations

import numpy as np
from compared import same

import PyGPU.autoinit  # noqa: F401
import PyGPU.driver as cuda
from PyGPU import gpuarray
from PyGPU.compiler import SourceModule

mod = SourceModule("""
__global__ void double_them(float *a)
{
    int i = threadIdx.x + threadIdx.y * blockDim.x;
    a[i] *= 2;
}
""")


func = mod.get_function("double_them")
a = np.random.randn(4, 4).astype(np.float32)

a_gpu = cuda.mem_alloc(a.nbytes)
cuda.memcpy_htod(a_gpu, a)
func(a_gpu, block=(4, 4, 1), grid=(1, 1), shared=0)
a_doubled = np.empty_like(a)
cuda.memcpy_dtoh(a_doubled, a_gpu)
same("doubled in memory", a_doubled, 2 * a)

before = a.copy()
func(cuda.InOut(a), block=(4, 4, 1))
same("doubled by InOut", a, 2 * before)

func.prepare("P")
func.prepared_call((1, 1), (4, 4, 1), a_gpu)
same("doubled by a prepared call", cuda.from_device_like(a_gpu, a), 4 * before)

array = gpuarray.to_gpu(a)
same("doubled by arithmetic", (2 * array).get(), 2 * a)
func(array, block=(4, 4, 1))
same("doubled as a GPUArray", array.get(), 2 * a)
