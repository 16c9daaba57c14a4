"""Device memory for checks: filled from numpy, read back into numpy, freed at the end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import PyGPU

gpu = PyGPU.checked


@contextmanager
def on_device(array: np.ndarray[Any, Any]) -> Iterator[int]:
    """The address of a copy of a numpy array on the device."""
    pointer = gpu.cudaMalloc(array.nbytes)
    try:
        gpu.cudaMemcpy(pointer, array, array.nbytes, PyGPU.cudaMemcpyHostToDevice)
        yield pointer
    finally:
        PyGPU.cudaFree(pointer)


def read(pointer: int, count: int, dtype: Any = np.float32) -> list[Any]:
    """The values in device memory."""
    back = np.zeros(count, dtype=dtype)
    gpu.cudaMemcpy(back, pointer, back.nbytes, PyGPU.cudaMemcpyDeviceToHost)
    return list(back.tolist())
