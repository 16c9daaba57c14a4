"""rand(): random numbers without a generator's states and without the vendor's headers."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from PyGPU import gpuarray
from PyGPU._codegen import loading

with open(os.path.join(os.path.dirname(__file__), "rand.cu"), encoding="utf-8") as _file:
    SOURCE = _file.read()
_THREADS = 256
_KERNELS = {"i4": "4", "u4": "4", "i8": "8", "u8": "8", "f4": "float", "f8": "double"}


def rand(shape: Any, dtype: Any = np.float32, stream: Any = None) -> gpuarray.GPUArray:
    """A new array of random numbers: floats in [0, 1), or integers with random bits.

    The seed is a number of numpy.random's, so that numpy.random.seed() repeats them. float32,
    float64, int32, uint32, int64 and uint64; TypeError for others. GPUError.
    """
    kind = np.dtype(dtype)
    if not kind.isnative or kind.str[1:] not in _KERNELS:
        named = ", ".join(str(np.dtype(one)) for one in _KERNELS)
        raise TypeError(f"rand(): parameter 'dtype' must be one of {named}, not {kind}")
    array = gpuarray.empty(shape, kind, stream=stream)
    key = int(np.random.randint(0, 2**63 - 1, dtype=np.int64))
    if array.size:
        kernel = loading.kernel(SOURCE, f"rand_{_KERNELS[kind.str[1:]]}")
        blocks = -(-array.nbytes // (16 * _THREADS))
        kernel(array, array.size, key, grid=blocks, block=_THREADS, stream=stream)
    return array
