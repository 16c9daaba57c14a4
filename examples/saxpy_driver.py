"""SAXPY by the driver API: the program of NVIDIA's article on CUDA Python, with (value, err).

    python examples/saxpy_driver.py [ELEMENTS]

Runs on a GPU. Under PYGPU_BACKEND=host it runs on the CPU, with a function of Python's in the
kernel's place.
"""

from __future__ import annotations

import ctypes
import sys

import numpy as np

import PyGPU
from PyGPU import cu, nvrtc

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


def compiled(device: int) -> bytes:
    """The PTX of SAXPY for a device."""
    attributes = cu.CUdevice_attribute
    major, err = cu.cuDeviceGetAttribute(
        attributes.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device
    )
    good(err)
    minor, err = cu.cuDeviceGetAttribute(
        attributes.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device
    )
    good(err)
    architecture = f"compute_{major}{minor}" if major else "compute_75"  # a CPU has none
    program, err = nvrtc.nvrtcCreateProgram(SAXPY, "saxpy.cu", 0, [], [])
    good(err)
    options = ["--fmad=false", f"--gpu-architecture={architecture}"]
    err = nvrtc.nvrtcCompileProgram(program, len(options), options)
    if err:
        log, _ = nvrtc.nvrtcGetProgramLog(program)
        raise RuntimeError(f"{err}\n{log}")
    ptx, err = nvrtc.nvrtcGetPTX(program)
    good(err)
    good(nvrtc.nvrtcDestroyProgram(program))
    return ptx


def on_the_cpu() -> None:
    """Registers what a launch of saxpy runs on the host runtime."""
    import PyGPU.host

    floats = ctypes.POINTER(ctypes.c_float)
    parameters = [ctypes.c_float, floats, floats, floats, ctypes.c_size_t]

    @PyGPU.host.kernel("saxpy", parameters=parameters)
    def saxpy(grid, block, a, x, y, out, n):
        x, y, out = (np.ctypeslib.as_array(one, (n,)) for one in (x, y, out))
        out[:] = np.float32(a) * x + y


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else THREADS * 2048
    good(cu.cuInit(0))
    device, err = cu.cuDeviceGet(0)
    good(err)
    context, err = cu.cuCtxCreate(None, 0, device)
    good(err)
    if PyGPU.backend == "host":
        on_the_cpu()

    module, err = cu.cuModuleLoadData(compiled(device))
    good(err)
    kernel, err = cu.cuModuleGetFunction(module, "saxpy")
    good(err)

    random = np.random.default_rng()
    a = np.float32(2)
    x, y = (random.random(count, dtype=np.float32) for _ in range(2))
    out = np.zeros(count, dtype=np.float32)

    memory = []
    for _ in range(3):
        pointer, err = cu.cuMemAlloc(out.nbytes)
        good(err)
        memory.append(pointer)
    device_x, device_y, device_out = memory
    stream, err = cu.cuStreamCreate(0)
    good(err)
    good(cu.cuMemcpyHtoDAsync(device_x, x, x.nbytes, stream))
    good(cu.cuMemcpyHtoDAsync(device_y, y, y.nbytes, stream))

    blocks = -(-count // THREADS)
    arguments = (
        (a, device_x, device_y, device_out, count),
        (ctypes.c_float, *[ctypes.c_void_p] * 3, ctypes.c_size_t),
    )
    good(cu.cuLaunchKernel(kernel, blocks, 1, 1, THREADS, 1, 1, 0, stream, arguments, None))
    good(cu.cuMemcpyDtoHAsync(out, device_out, out.nbytes, stream))
    good(cu.cuStreamSynchronize(stream))

    if not np.array_equal(out, a * x + y):
        raise ValueError("saxpy differs from numpy's")
    name, err = cu.cuDeviceGetName(device)
    good(err)
    print(f"saxpy of {count} elements on {name} equals numpy's")

    good(cu.cuStreamDestroy(stream))
    for pointer in memory:
        good(cu.cuMemFree(pointer))
    good(cu.cuModuleUnload(module))
    good(cu.cuCtxDestroy(context))


if __name__ == "__main__":
    main()
