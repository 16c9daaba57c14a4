"""Kernels for tests of modules and launches, and what replaces them on the host runtime."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Iterator

import numpy as np

import PyGPU

SOURCE = r"""
struct Pair { float first; double second; };
__device__ int table[8];
__constant__ float factor;
__global__ void saxpy(float a, const float *x, float *y, int count) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < count) y[at] = a * x[at] + y[at];
}
__global__ void nothing() {}
__global__ void fill(double *out, double value, long long count) {
    for (long long at = 0; at < count; ++at) out[at] = value;
}
__global__ void pack(double *out, Pair pair, bool flag, short number, unsigned char letter) {
    out[0] = pair.first; out[1] = pair.second; out[2] = flag; out[3] = number; out[4] = letter;
}
__global__ void write(int *out, int value) {
    for (int at = 0; at < 100; ++at) out[at] = value;
}
extern __shared__ int room[];
__global__ void shapes(int *out) {
    out[0] = gridDim.x; out[1] = gridDim.y; out[2] = gridDim.z;
    out[3] = blockDim.x; out[4] = blockDim.y; out[5] = blockDim.z;
    unsigned size; asm("mov.u32 %0, %dynamic_smem_size;" : "=r"(size)); out[6] = size;
}
"""


class Pair(ctypes.Structure):
    """The struct in the source."""

    _fields_ = (("first", ctypes.c_float), ("second", ctypes.c_double))


Floats, Doubles, Ints = (
    ctypes.POINTER(one) for one in (ctypes.c_float, ctypes.c_double, ctypes.c_int)
)


def _saxpy(grid, block, a, x, y, count):
    values = np.ctypeslib.as_array(y, (count,))
    values += np.float32(a) * np.ctypeslib.as_array(x, (count,))


def _fill(grid, block, out, value, count):
    np.ctypeslib.as_array(out, (count,))[:] = value


def _pack(grid, block, out, pair, flag, number, letter):
    values = pair.first, pair.second, flag, number, letter
    np.ctypeslib.as_array(out, (5,))[:] = values


def _write(grid, block, out, value):
    np.ctypeslib.as_array(out, (100,))[:] = value


def _shapes(grid, block, out):
    np.ctypeslib.as_array(out, (7,))[:6] = (*grid, *block)


_ON_HOST = {
    "saxpy": (_saxpy, [ctypes.c_float, Floats, Floats, ctypes.c_int]),
    "nothing": (lambda grid, block: None, []),
    "fill": (_fill, [Doubles, ctypes.c_double, ctypes.c_longlong]),
    "pack": (_pack, [Doubles, Pair, ctypes.c_bool, ctypes.c_short, ctypes.c_ubyte]),
    "write": (_write, [Ints, ctypes.c_int]),
    "shapes": (_shapes, [Ints]),
}


@contextlib.contextmanager
def kernels() -> Iterator[None]:
    """Registers the functions while the block runs, if the host runtime is in use."""
    with contextlib.ExitStack() as all_of_them:
        if PyGPU.backend == "host":
            from PyGPU import host

            for name, (function, parameters) in _ON_HOST.items():
                all_of_them.enter_context(host.kernel(name, function, parameters))
        yield


def interface(array: PyGPU.GPUArray) -> dict[str, object]:
    """The CUDA Array Interface of a contiguous array. The host runtime's arrays don't offer it."""
    return {
        "shape": array.shape,
        "typestr": array.dtype.str,
        "data": (array.ptr, False),
        "strides": None,
        "stream": None,
        "version": 3,
    }
