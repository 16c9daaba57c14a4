"""What a module lists: dir() and `import *` have the names that are made only when asked for."""

from __future__ import annotations

import pytest

import PyGPU


def test_dir_lists_what_is_made_when_asked_for():
    """So that a prompt completes it."""
    names = set(dir(PyGPU.cuda))
    assert {"cudaMalloc", "cudaMemcpyKind", "cudaMemcpyHostToDevice", "cudaStream_t"} <= names
    assert {"cudaError", "cudaError_t", "dim3", "checked", "address", "__name__"} <= names
    assert {"hipMalloc", "hipMemcpyKind", "hipError_t"} <= set(dir(PyGPU.hip))


def test_a_star_takes_types_and_values(python):
    code = """
        names = {}
        exec("from PyGPU.cuda import *", names)
        assert names["cudaMemcpyHostToDevice"] is names["cudaMemcpyKind"](1)
        assert {"cudaMalloc", "cudaStream_t", "cudaDeviceProp", "cudaError"} <= set(names)
    """
    python(code, PYGPU_CUDA_LIBRARY="/nowhere")


@pytest.mark.cuda_library
def test_a_star_takes_the_loaded_release_s_names(python, cuda_library):
    """Some values load the library; the names of newer releases must not fail then."""
    code = """
        import PyGPU
        everything = set(PyGPU._core.names("cuda"))
        names = {}
        exec("from PyGPU.cuda import *", names)
        assert PyGPU._core.installed("cuda")
        missing = everything - set(names)
        assert missing and "cudaMemcpyKind" not in missing, missing
    """
    python(code, PYGPU_CUDA_LIBRARY=cuda_library)


def test_a_star_on_hip_leaves_out_what_has_no_counterpart(python, host_library):
    code = """
        names = {}
        exec("from PyGPU import *", names)
        import PyGPU
        assert PyGPU.backend == "hip"
        assert {"cudaMalloc", "cudaStream_t", "cudaMemcpyHostToDevice", "GPUArray"} <= set(names)
        assert "CUDART_VERSION" not in names and "CUDART_VERSION" in dir(PyGPU)
        try:
            PyGPU.CUDART_VERSION
        except AttributeError as error:
            assert "no counterpart" in str(error)
        else:
            raise AssertionError
    """
    python(code, PYGPU_BACKEND="hip", PYGPU_HIP_LIBRARY=str(host_library))
    python(code, PYGPU_BACKEND="hip", PYGPU_HIP_LIBRARY="/nowhere")
