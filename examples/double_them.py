"""PyCUDA's tutorial by the driver API: a 4 x 4 array is doubled, twice without leaving the device.

    python examples/double_them.py

Runs on a GPU of either vendor. Under PYGPU_BACKEND=host the kernel's PTX runs on the CPU.
"""

from __future__ import annotations

import ctypes

import numpy as np

import PyGPU

gpu = PyGPU.checked  # raises where a call fails

SOURCE = r"""
extern "C" __global__
void double_them(float *a)
{
    a[threadIdx.y * blockDim.x + threadIdx.x] *= 2;
}
"""


def compiled(source: str) -> bytes:
    """The code of a program for the first device: PTX, or AMD's code object."""
    options = []
    if PyGPU.backend != "hip":
        major = gpu.cuDeviceGetAttribute(PyGPU.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0)
        minor = gpu.cuDeviceGetAttribute(PyGPU.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0)
        options = [f"--gpu-architecture=compute_{major}{minor}"]
    program = gpu.nvrtcCreateProgram(source, "double_them.cu", 0, [], [])
    gpu.nvrtcCompileProgram(program, len(options), options)
    code = gpu.nvrtcGetPTX(program)
    gpu.nvrtcDestroyProgram(program)
    return code


def main() -> None:
    gpu.cuInit(0)
    device = gpu.cuDeviceGet(0)
    context = gpu.cuCtxCreate(None, 0, device)
    name = gpu.cuDeviceGetName(device)
    module = gpu.cuModuleLoadData(compiled(SOURCE))
    kernel = gpu.cuModuleGetFunction(module, "double_them")

    a = np.random.default_rng().standard_normal((4, 4), dtype=np.float32)
    doubled = np.empty_like(a)
    memory = gpu.cuMemAlloc(a.nbytes)
    gpu.cuMemcpyHtoD(memory, a, a.nbytes)
    arguments = ctypes.c_void_p(memory)
    for times in (1, 2):
        gpu.cuLaunchKernel(kernel, 1, 1, 1, 4, 4, 1, 0, None, [arguments], None)
        gpu.cuMemcpyDtoH(doubled, memory, doubled.nbytes)  # waits for the kernel
        if not np.array_equal(doubled, a * 2**times):
            raise ValueError(f"doubled {times} times, the array differs from numpy's")
    print(f"4 x 4 elements on {name}, doubled and doubled again: as numpy's")

    gpu.cuMemFree(memory)
    gpu.cuModuleUnload(module)
    gpu.cuCtxDestroy(context)


if __name__ == "__main__":
    main()
