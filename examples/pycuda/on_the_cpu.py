"""What these examples add to PyCUDA's: kernels on the host runtime, and a check by numpy."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable

import numpy as np

import PyGPU
import PyGPU.driver as drv


def standing_in(name: str, arrays: str, *scalars: type) -> Callable[[Callable], Callable]:
    """Let a Python function run instead of a kernel, if PyGPU has only the CPU.

    The function gets the number of threads, an array of float for each letter of `arrays`, and the
    scalars.
    """

    def register(function: Callable) -> Callable:
        if PyGPU.backend == "host":
            import PyGPU.host as host

            pointers = [ctypes.POINTER(ctypes.c_float)] * len(arrays)

            def run(grid, block, *arguments):
                threads = math.prod(grid) * math.prod(block)
                views = [np.ctypeslib.as_array(one, (threads,)) for one in arguments[: len(arrays)]]
                function(threads, *views, *arguments[len(arrays) :])

            host.kernel(name, run, [*pointers, *scalars])
        return function

    return register


def same(what: str, found: np.ndarray, wanted: np.ndarray, tolerance: float = 0) -> None:
    """Say that an array equals numpy's, or end the program."""
    if found.shape != wanted.shape or not np.allclose(found, wanted, tolerance, tolerance):
        raise SystemExit(f"{what}: the array differs from numpy's")
    print(f"{what} on {drv.Context.get_device().name()}: as numpy's")
