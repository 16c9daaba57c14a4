"""What these examples share: a call of nvcc, numpy's result, and the kernel on the host runtime."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

import PyGPU

HERE = Path(__file__).parent
COUNT, BLOCK = 1 << 20, 256
GRID = COUNT // BLOCK


def values() -> np.ndarray:
    """The input of the kernel."""
    return np.random.default_rng(1).standard_normal(COUNT, dtype=np.float32)


def smoothed(x: np.ndarray) -> np.ndarray:
    """numpy's result; the first and last value stay as they are."""
    out = x.copy()
    out[1:-1] = (x[:-2] + x[1:-1] + x[2:]) / np.float32(3)
    return out


def stand_in() -> None:
    """Without a GPU, let a launch of `smooth` run a Python function."""
    if PyGPU.backend == "host":
        from PyGPU import host

        floats = ctypes.POINTER(ctypes.c_float)

        @host.kernel("smooth", parameters=[floats, floats, ctypes.c_int])
        def smooth(grid, block, x, out, count):
            x, out = (np.ctypeslib.as_array(one, (count,)) for one in (x, out))
            out[1:-1] = smoothed(x)[1:-1]


def nvcc(*arguments: object) -> None:
    """Run nvcc for the current device; ends the program if that is impossible or fails."""
    homes = [os.environ.get(name) for name in ("CUDA_HOME", "CUDA_PATH")]
    folders = [f"{home}/bin" for home in [*homes, "/usr/local/cuda"] if home]
    found = shutil.which("nvcc") or shutil.which("nvcc", path=os.pathsep.join(folders))
    if not found:
        sys.exit("there is no nvcc here: install the CUDA toolkit, or name it by CUDA_HOME")
    if PyGPU.backend == "hip":
        sys.exit("nvcc makes code for NVIDIA's GPUs: try by_compile.py")
    # The host runtime loads code for any card, so any architecture will do.
    arch = "sm_90"
    if PyGPU.backend == "cuda":
        device = PyGPU.checked.cudaGetDevice()
        parts = ("Major", "Minor")
        names = [getattr(PyGPU, f"cudaDevAttrComputeCapability{one}") for one in parts]
        arch = "sm_" + "".join(
            str(PyGPU.checked.cudaDeviceGetAttribute(name, device)) for name in names
        )
    done = subprocess.run([found, f"-arch={arch}", *map(str, arguments)], check=False)
    if done.returncode:
        sys.exit(f"nvcc failed for {arch}")


def launched(module: PyGPU.Module) -> None:
    """Launch the kernel on GPUArrays; ends the program if the result isn't numpy's."""
    x = values()
    on_device, out = PyGPU.to_gpu(x), PyGPU.to_gpu(x)
    module["smooth"](on_device, out, np.int32(COUNT), grid=GRID, block=BLOCK)
    same("launched by PyGPU", out.get(), smoothed(x))


def same(what: str, found: np.ndarray, wanted: np.ndarray) -> None:
    """Say that an array is numpy's, or end the program."""
    if not np.allclose(found, wanted, 1e-6, 1e-6):
        sys.exit(f"{what}: the array differs from numpy's")
    name = PyGPU.checked.cudaGetDeviceProperties(PyGPU.checked.cudaGetDevice()).name
    print(f"{what} on {name}: as numpy's")
