"""A pybind11 module with a kernel in it, which is launched by the module's C++ and by PyGPU.

    python examples/kernels/by_pybind11.py

nvcc compiles glue.cu to a shared object. Python imports it, and PyGPU finds the kernel in the
same file. Without a GPU only PyGPU launches: a Python function runs instead of the kernel.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import sysconfig
import tempfile

from parts import COUNT, HERE, launched, nvcc, same, smoothed, stand_in, values

import PyGPU


def built(folder: str) -> str:
    """Build the module; its path."""
    if not importlib.util.find_spec("pybind11"):
        sys.exit("there is no pybind11 here: pip install pybind11")
    pybind11 = importlib.import_module("pybind11")
    path = f"{folder}/glue{sysconfig.get_config_var('EXT_SUFFIX')}"
    includes = [f"-I{one}" for one in (pybind11.get_include(), sysconfig.get_paths()["include"])]
    nvcc("-std=c++17", "-shared", "-Xcompiler=-fPIC", *includes, HERE / "glue.cu", "-o", path)
    return path


def main() -> None:
    stand_in()
    with tempfile.TemporaryDirectory() as folder:
        path = built(folder)
        sys.path.insert(0, folder)
        glue = importlib.import_module("glue")
        launched(PyGPU.Module(path))
    if PyGPU.backend != "cuda":
        print("no NVIDIA GPU here: the module's own launch was left out")
        return
    x, stream = values(), PyGPU.Stream()
    with stream:  # PyGPU's copies and the module's launches are on one stream, so in order
        one, other = PyGPU.to_gpu(x), PyGPU.to_gpu(x)
        status = glue.smooth_often(one.ptr, other.ptr, COUNT, 2, int(stream))
        if status:
            sys.exit(str(PyGPU.cudaError_t(status)))
        same("launched by C++, to and fro", one.get(), smoothed(smoothed(x)))


if __name__ == "__main__":
    main()
