"""Kernels for the tests of this folder."""

from __future__ import annotations

import functools

import PyGPU

SOURCE = """
extern "C" __global__ void add(float *values, float by) { values[threadIdx.x] += by; }
extern "C" __global__ void scale(float *values, float by) { values[threadIdx.x] *= by; }
"""
COUNT = 32  # elements, and threads


@functools.cache
def module() -> PyGPU.SourceModule:
    return PyGPU.SourceModule(SOURCE, no_extern_c=True)


def kernel(name: str) -> PyGPU.Kernel:
    return module().get_function(name)
