"""A program of Numba's: a kernel on arrays, then a sum over each block."""

import numpy as np
from numba import cuda, float32


@cuda.jit
def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] += a * x[i]


@cuda.jit
def sums(values, out):
    tile = cuda.shared.array(64, float32)
    i = cuda.threadIdx.x
    tile[i] = values[cuda.grid(1)]
    cuda.syncthreads()
    step = 32
    while step:
        if i < step:
            tile[i] += tile[i + step]
        cuda.syncthreads()
        step //= 2
    if i == 0:
        out[cuda.blockIdx.x] = tile[0]


x = np.arange(1024, dtype=np.float32)
stream = cuda.stream()
y = cuda.to_device(np.ones_like(x), stream)
saxpy[8, 128, stream](2.0, cuda.to_device(x, stream), y)
out = cuda.device_array(16, np.float32)
sums[16, 64, stream](y, out)
stream.synchronize()
expected = 2 * x + 1
assert np.array_equal(y.copy_to_host(), expected)
assert np.array_equal(out.copy_to_host(), expected.reshape(16, 64).sum(1))
print("right")
