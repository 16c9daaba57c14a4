"""What C gets and gives, on the stand-in."""

from __future__ import annotations

import ctypes
import gc
import os

import pytest

import PyGPU
from PyGPU import cuda
from tests.own_interpreter import own_interpreter

# Each type of attributes with the bytes of an element.
SIZES = {
    "HANDLE": 8,
    "DATA_TYPE": 4,
    "BOOLEAN": 1,
    "INT64": 8,
    "FLOAT": 4,
    "DOUBLE": 8,
    "VOID_PTR": 8,
    "HEUR_MODE": 4,
    "BACKEND_DESCRIPTOR": 8,
    "INT32": 4,
    "CHAR": 1,
    "FRACTION": 16,
    "NORM_MODE": 4,
    "CUDA_GRAPH_RETENTION": 4,
}


@own_interpreter("on_standin")
def test_an_attribute_has_the_size_of_its_type():
    """Both ways: shorter memory is refused before C reads or writes beyond it."""
    cudnn = PyGPU.cudnn
    descriptor, err = cudnn.cudnnBackendCreateDescriptor(cudnn.CUDNN_BACKEND_TENSOR_DESCRIPTOR)
    assert not err
    name = cudnn.CUDNN_ATTR_TENSOR_DIMENSIONS
    for short, size in SIZES.items():
        type = getattr(cudnn, f"CUDNN_TYPE_{short}")
        given, back = bytes(range(3 * size)), bytearray(3 * size)
        assert not cudnn.cudnnBackendSetAttribute(descriptor, name, type, 3, given)
        get = cudnn.cudnnBackendGetAttribute
        assert get(descriptor, name, type, 0, None) == (3, cudnn.CUDNN_STATUS_SUCCESS)
        assert get(descriptor, name, type, 3, back) == (3, cudnn.CUDNN_STATUS_SUCCESS)
        assert back == given
        short_by_one = f"'arrayOfElements' is too short: {3 * size} needed, {3 * size - 1} given"
        with pytest.raises(ValueError, match=short_by_one):
            cudnn.cudnnBackendSetAttribute(descriptor, name, type, 3, given[:-1])
        with pytest.raises(ValueError, match=short_by_one):
            get(descriptor, name, type, 3, bytearray(3 * size - 1))
    with pytest.raises((ValueError, OverflowError)):
        cudnn.cudnnBackendSetAttribute(descriptor, name, cudnn.CUDNN_TYPE_INT64, 1 << 61, bytes(8))


@own_interpreter("on_standin")
def test_a_handle_has_a_stream_and_an_end():
    cudnn = PyGPU.cudnn
    handle = cudnn.cudnnHandle_t()
    stream = cuda.cudaStream_t(flags=1)
    assert not cudnn.cudnnSetStream(handle, stream)
    assert cudnn.checked.cudnnGetStream(handle) == stream
    library = ctypes.CDLL(os.environ["PYGPU_CUDNN_LIBRARY"])
    del handle
    gc.collect()
    assert library.standin_gone() == 1


@own_interpreter("on_standin")
def test_the_last_error_is_a_text():
    assert PyGPU.cudnn.cudnnGetLastErrorString() == "nothing is wrong"
    assert PyGPU.cudnn.cudnnGetLastErrorString(max_size=8) == "nothing"
    assert PyGPU.cudnn.cudnnGetVersion() == 92801


@own_interpreter(PYGPU_CUDNN_LIBRARY="/nowhere/libcudnn.so.9")
def test_without_a_library_every_call_says_so():
    cudnn = PyGPU.cudnn
    with pytest.warns(RuntimeWarning, match="PYGPU_CUDNN_LIBRARY"):
        handle, err = cudnn.cudnnCreate()
    assert handle is None
    assert err is cudnn.cudnnStatus_t.PYGPU_ERROR_LIBRARY_NOT_FOUND
    assert cudnn.cudnnGetErrorString(2000) == "CUDNN_STATUS_BAD_PARAM"
    with pytest.raises(PyGPU.GPUError, match="no libcudnn was found"):
        cudnn.cudnnHandle_t()


def test_numbers_in_the_rules_are_those_of_the_types():
    """The rules' formulas name types by their numbers."""
    cudnn = PyGPU.cudnn
    wide = [cudnn.CUDNN_TYPE_HANDLE, cudnn.CUDNN_TYPE_INT64, cudnn.CUDNN_TYPE_DOUBLE]
    wide += [cudnn.CUDNN_TYPE_VOID_PTR, cudnn.CUDNN_TYPE_BACKEND_DESCRIPTOR]
    assert wide == [0, 3, 5, 6, 15]
    assert [cudnn.CUDNN_TYPE_BOOLEAN, cudnn.CUDNN_TYPE_CHAR] == [2, 24]
    assert cudnn.CUDNN_TYPE_FRACTION == 26
    assert cudnn.cudnnFraction_t.sizeof == 16
