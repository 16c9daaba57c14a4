"""Numba's grid groups: a kernel whose blocks wait for each other."""

import numpy as np
from numba import cuda


@cuda.jit
def turn(values, out):
    i = cuda.grid(1)
    grid = cuda.cg.this_grid()
    for step in range(3):
        values[i] = i + step
        grid.sync()
        out[i] = values[values.size - 1 - i]
        grid.sync()


blocks = cuda.get_current_device().MULTIPROCESSOR_COUNT
values, out = cuda.to_device(np.zeros(64 * blocks)), cuda.to_device(np.zeros(64 * blocks))
turn[blocks, 64](values, out)
assert np.array_equal(out.copy_to_host(), np.arange(64 * blocks)[::-1] + 2)
print("right")
