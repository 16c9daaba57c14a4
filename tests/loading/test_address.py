"""PyGPU.cuda.address: the C address of a function, for ctypes, Cython and Numba."""

from __future__ import annotations

import ctypes

import pytest

import PyGPU
from tests.own_interpreter import own_interpreter


@pytest.mark.cuda_library
def test_the_address_can_be_called():
    function = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int))(
        PyGPU.cuda.address("cudaRuntimeGetVersion")
    )
    version = ctypes.c_int()
    assert function(ctypes.byref(version)) == 0
    assert version.value == PyGPU.cuda.checked.cudaRuntimeGetVersion()


def test_what_is_no_function_is_an_attribute_error():
    with pytest.raises(AttributeError, match="cudaNoSuchThing"):
        PyGPU.cuda.address("cudaNoSuchThing")


@pytest.mark.parametrize("name", ["cudaMalloc\0", "cudaMalloc\0x", "cuda\udc80", ""])
def test_a_name_that_c_cannot_have_is_none(name):
    """The text before a NUL must not be taken for the name."""
    with pytest.raises(AttributeError, match=r"address\(\): '.*' is no function of PyGPU\.hip"):
        PyGPU.hip.address(name)
    for module in (PyGPU.cuda, PyGPU.hip, PyGPU.cuda.checked, PyGPU):
        with pytest.raises(AttributeError):
            getattr(module, name)
    with pytest.raises(AttributeError):
        getattr(PyGPU.cuda, "cudaSuccess\0")
    with pytest.raises(TypeError, match="cudaExtent has no field 'width"):
        PyGPU.cuda.cudaExtent(**{"width\0": 1})


@own_interpreter(PYGPU_CUDA_LIBRARY="/nowhere/libcudart.so")
def test_without_a_library_it_is_an_os_error():
    with pytest.raises(OSError, match=r"PyGPU\.cuda"):
        PyGPU.cuda.address("cudaMalloc")
