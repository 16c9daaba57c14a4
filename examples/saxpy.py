"""SAXPY: compile CUDA C++ by NVRTC, load and launch it by the runtime, compare with numpy.

    python examples/saxpy.py [ELEMENTS]

NVRTC needs no GPU. Where there is none, PyGPU's host runtime runs the kernel's PTX on the CPU. On
AMD the program ends after the compilation and says so.
"""

from __future__ import annotations

import sys

import numpy as np

import PyGPU
from PyGPU import checked as gpu
from PyGPU import nvrtc

SOURCE = r"""
extern "C" __global__
void saxpy(float a, const float *x, const float *y, float *out, size_t count) {
    size_t at = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (at < count) out[at] = a * x[at] + y[at];
}
"""
THREADS = 256


def architecture() -> str:
    """What to compile for: the current device, or else one that all of today's devices can run."""
    if PyGPU.backend == "hip":
        return "compute_75"
    device = gpu.cudaGetDevice()
    major = gpu.cudaDeviceGetAttribute(PyGPU.cudaDevAttrComputeCapabilityMajor, device)
    minor = gpu.cudaDeviceGetAttribute(PyGPU.cudaDevAttrComputeCapabilityMinor, device)
    return f"{'sm' if PyGPU.backend == 'cuda' else 'compute'}_{major}{minor}"


def compile_kernel(arch: str) -> bytes:
    """SOURCE compiled to a cubin, or to PTX for a virtual architecture.

    If the compiler fails, the program ends with its log.
    """
    program, err = nvrtc.nvrtcCreateProgram(SOURCE, "saxpy.cu", 0, None, None)
    if err:
        sys.exit(f"{err}\nNVRTC is missing: pip install nvidia-cuda-nvrtc")
    options = [f"--gpu-architecture={arch}"]
    err = nvrtc.nvrtcCompileProgram(program, len(options), options)
    if err:
        sys.exit(f"{err}\n{nvrtc.checked.nvrtcGetProgramLog(program)}")
    code = nvrtc.nvrtcGetCUBIN if arch.startswith("sm_") else nvrtc.nvrtcGetPTX
    result, err = code(program)
    assert not err, err
    nvrtc.checked.nvrtcDestroyProgram(program)
    return result


def launch(code: bytes, count: int) -> bool:
    """Whether the device's result equals numpy's."""
    library = gpu.cudaLibraryLoadData(code, None, None, 0, None, None, 0)
    kernel = gpu.cudaLibraryGetKernel(library, "saxpy")
    x, y = np.random.default_rng(1).random((2, count), np.float32)
    on_device = PyGPU.to_gpu(x), PyGPU.to_gpu(y)
    out = PyGPU.empty(count, np.float32)
    arguments = [np.float32(2.5), *on_device, out, np.uint64(count)]
    gpu.cudaLaunchKernel(kernel, -(-count // THREADS), THREADS, arguments, 0, None)
    same = np.allclose(out.get(), np.float32(2.5) * x + y)
    gpu.cudaLibraryUnload(library)
    return same


def main() -> int:
    """The program; 1 when the results differ."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 20
    arch = architecture()
    code = compile_kernel(arch)
    print(f"compiled saxpy for {arch}: {len(code):,} bytes")
    if PyGPU.backend == "hip":
        print("no NVIDIA GPU here: the kernel was not launched")
        return 0
    same = launch(code, count)
    device = PyGPU.cudaGetDeviceProperties(0)[0].name
    print(f"{count:,} elements on {device} {'equal' if same else 'DIFFER FROM'} numpy's")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
