"""The real library without a GPU, and the API without a library."""

from __future__ import annotations

import pytest

import PyGPU
from tests.own_interpreter import own_interpreter


def test_the_version_is_that_of_the_library(cublas):
    parts = [cublas.checked.cublasGetProperty(part) for part in range(3)]
    assert parts[0] in (12, 13)
    assert cublas.cublasGetProperty(3) == (None, cublas.CUBLAS_STATUS_INVALID_VALUE)
    assert cublas.cublasGetCudartVersion() // 1000 == parts[0]


def test_statuses_have_names_and_texts(cublas):
    assert cublas.cublasGetStatusName(14) == "CUBLAS_STATUS_INTERNAL_ERROR"
    assert cublas.CUBLAS_STATUS_INTERNAL_ERROR.message == cublas.cublasGetStatusString(14)
    assert cublas.cublasGetStatusString(14) == "an internal operation failed"


def test_without_a_handle_calls_fail_in_c(cublas):
    memory = bytearray(64)
    status = cublas.cublasSgemm(None, 0, 0, 4, 4, 4, 1, memory, 4, memory, 4, 0, memory, 4)
    assert status is cublas.CUBLAS_STATUS_NOT_INITIALIZED
    assert cublas.cublasHgemm(None, 0, 0, 1, 1, 1, b"12", b"12", 1, b"12", 1, b"12", memory, 1)


@own_interpreter(PYGPU_CUBLAS_LIBRARY="/nowhere/libcublas.so.13")
def test_without_a_library_every_call_says_so():
    cublas = PyGPU.cublas
    with pytest.warns(RuntimeWarning, match="PYGPU_CUBLAS_LIBRARY"):
        handle, err = cublas.cublasCreate()
    assert handle is None
    assert err is cublas.cublasStatus_t.PYGPU_ERROR_LIBRARY_NOT_FOUND
    assert cublas.cublasGetStatusName(7) == "CUBLAS_STATUS_INVALID_VALUE"
    with pytest.raises(PyGPU.GPUError, match="no libcublas was found; pip install nvidia-cublas"):
        cublas.cublasHandle_t()
