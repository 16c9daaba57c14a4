"""SAXPY by the driver API: the program of NVIDIA's article on CUDA Python, with (value, err).

    python examples/saxpy_driver.py [ELEMENTS]

Runs on a GPU of either vendor, by CUDA's names. Under PYGPU_BACKEND=host the kernel's PTX runs on
the CPU.
"""

from __future__ import annotations

import ctypes
import sys

import numpy as np

import PyGPU

SAXPY = r"""
extern "C" __global__
void saxpy(float a, float *x, float *y, float *out, size_t n)
{
    size_t tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid < n) {
        out[tid] = a * x[tid] + y[tid];
    }
}
"""
THREADS = 512


def good(err: object) -> None:
    """Every call returns its values, then a status, which is false for success."""
    if err:
        raise RuntimeError(str(err))


def options(device: int) -> list[str]:
    """The compiler's options: product and sum are rounded separately, as in numpy."""
    if PyGPU.backend == "hip":
        return ["-ffp-contract=off"]  # hipRTC compiles for the current device
    major, err = PyGPU.cuDeviceGetAttribute(
        PyGPU.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device
    )
    good(err)
    minor, err = PyGPU.cuDeviceGetAttribute(
        PyGPU.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device
    )
    good(err)
    return ["--fmad=false", f"--gpu-architecture=compute_{major}{minor}"]


def compiled(device: int) -> bytes:
    """The code of SAXPY for a device: PTX, or AMD's code object."""
    program, err = PyGPU.nvrtcCreateProgram(SAXPY, "saxpy.cu", 0, [], [])
    good(err)
    given = options(device)
    err = PyGPU.nvrtcCompileProgram(program, len(given), given)
    if err:
        log, _ = PyGPU.nvrtcGetProgramLog(program)
        raise RuntimeError(f"{err}\n{log}")
    code, err = PyGPU.nvrtcGetPTX(program)
    good(err)
    good(PyGPU.nvrtcDestroyProgram(program))
    return code


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else THREADS * 2048
    good(PyGPU.cuInit(0))
    device, err = PyGPU.cuDeviceGet(0)
    good(err)
    context, err = PyGPU.cuCtxCreate(None, 0, device)
    good(err)
    name, err = PyGPU.cuDeviceGetName(device)
    good(err)

    module, err = PyGPU.cuModuleLoadData(compiled(device))
    good(err)
    kernel, err = PyGPU.cuModuleGetFunction(module, "saxpy")
    good(err)

    random = np.random.default_rng()
    a = np.float32(2)
    x, y = (random.random(count, dtype=np.float32) for _ in range(2))
    out = np.zeros(count, dtype=np.float32)

    memory = []
    for _ in range(3):
        pointer, err = PyGPU.cuMemAlloc(out.nbytes)
        good(err)
        memory.append(pointer)
    device_x, device_y, device_out = memory
    stream, err = PyGPU.cuStreamCreate(0)
    good(err)
    good(PyGPU.cuMemcpyHtoDAsync(device_x, x, x.nbytes, stream))
    good(PyGPU.cuMemcpyHtoDAsync(device_y, y, y.nbytes, stream))

    blocks = -(-count // THREADS)
    arguments = (
        (a, device_x, device_y, device_out, count),
        (ctypes.c_float, *[ctypes.c_void_p] * 3, ctypes.c_size_t),
    )
    good(PyGPU.cuLaunchKernel(kernel, blocks, 1, 1, THREADS, 1, 1, 0, stream, arguments, None))
    good(PyGPU.cuMemcpyDtoHAsync(out, device_out, out.nbytes, stream))
    good(PyGPU.cuStreamSynchronize(stream))

    if not np.array_equal(out, a * x + y):
        raise ValueError("saxpy differs from numpy's")
    print(f"saxpy of {count} elements on {name} equals numpy's")

    good(PyGPU.cuStreamDestroy(stream))
    for pointer in memory:
        good(PyGPU.cuMemFree(pointer))
    good(PyGPU.cuModuleUnload(module))
    good(PyGPU.cuCtxDestroy(context))


if __name__ == "__main__":
    main()
