"""A PyCUDA program with its imports renamed: it takes the device's free memory, and fills it.

    python examples/pycuda/fill_gpu_with_nans.py [BYTES]

After that, a program that reads memory before it writes there finds NaN. The program takes at most
BYTES.
"""

from __future__ import annotations

import sys

import numpy as np
from compared import same

import PyGPU.autoinit  # noqa: F401
import PyGPU.driver as cuda
from PyGPU import gpuarray

free_bytes, total_bytes = cuda.mem_get_info()
most = min([free_bytes, *map(int, sys.argv[1:])])
print(f"{free_bytes:,} of {total_bytes:,} bytes are free, {most:,} are asked for")

spare = 1 << 12  # bytes that stay free
while True:
    if spare > most:
        raise SystemExit("no memory could be allocated")
    try:
        ary = gpuarray.empty((most - spare) // 4, np.float32)
        break
    except cuda.MemoryError:
        spare *= 2

ary.fill(np.nan)

ends = np.concatenate([ary[:1000].get(), ary[-1000:].get()])
same("NaNs at both ends", np.isnan(ends), np.ones(2000, bool))
print(f"filled {ary.nbytes:,} bytes with NaNs")
