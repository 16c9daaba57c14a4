"""PyCUDA's first program by the driver API: two arrays multiplied element by element.

    python examples/multiply_them.py

With 400 elements, and with 20 x 10. Runs on a GPU of either vendor. Under PYGPU_BACKEND=host the
kernel's PTX runs on the CPU.
"""

from __future__ import annotations

import ctypes

import numpy as np

import PyGPU

gpu = PyGPU.checked  # raises where a call fails

SOURCE = r"""
extern "C" __global__
void multiply_them(float *dest, float *a, float *b)
{
    const int i = threadIdx.y * blockDim.x + threadIdx.x;
    dest[i] = a[i] * b[i];
}
"""


def compiled(source: str) -> bytes:
    """The code of a program for the first device: PTX, or AMD's code object."""
    options = []
    if PyGPU.backend != "hip":
        major = gpu.cuDeviceGetAttribute(PyGPU.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0)
        minor = gpu.cuDeviceGetAttribute(PyGPU.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0)
        options = [f"--gpu-architecture=compute_{major}{minor}"]
    program = gpu.nvrtcCreateProgram(source, "multiply_them.cu", 0, [], [])
    gpu.nvrtcCompileProgram(program, len(options), options)
    code = gpu.nvrtcGetPTX(program)
    gpu.nvrtcDestroyProgram(program)
    return code


def multiplied(kernel: PyGPU.CUfunction, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The product of two arrays with a thread for each element."""
    dest = np.zeros_like(a)
    memory = [gpu.cuMemAlloc(a.nbytes) for _ in range(3)]
    for pointer, array in zip(memory[1:], (a, b), strict=True):
        gpu.cuMemcpyHtoD(pointer, array, array.nbytes)
    width, height = a.shape[0], a.size // a.shape[0]
    arguments = (memory, [ctypes.c_void_p] * 3)
    gpu.cuLaunchKernel(kernel, 1, 1, 1, width, height, 1, 0, None, arguments, None)
    gpu.cuMemcpyDtoH(dest, memory[0], dest.nbytes)  # waits for the kernel
    for pointer in memory:
        gpu.cuMemFree(pointer)
    return dest


def main() -> None:
    gpu.cuInit(0)
    device = gpu.cuDeviceGet(0)
    context = gpu.cuCtxCreate(None, 0, device)
    name = gpu.cuDeviceGetName(device)
    module = gpu.cuModuleLoadData(compiled(SOURCE))
    kernel = gpu.cuModuleGetFunction(module, "multiply_them")
    random = np.random.default_rng()
    for shape in ((400,), (20, 10)):
        a, b = (random.standard_normal(shape, dtype=np.float32) for _ in range(2))
        if not np.array_equal(multiplied(kernel, a, b), a * b):
            raise ValueError(f"the product of {shape} differs from numpy's")
        print(f"{' x '.join(map(str, shape))} elements on {name}: as numpy's")
    gpu.cuModuleUnload(module)
    gpu.cuCtxDestroy(context)


if __name__ == "__main__":
    main()
