"""Calls on arrays, with scalars on the host and elsewhere, on the stand-in."""

from __future__ import annotations

import ctypes
import os

import numpy as np
import pytest

import PyGPU
from PyGPU import cublas, cuda
from tests.own_interpreter import own_interpreter

N, T = 0, 1


def handles() -> int:
    return ctypes.CDLL(os.environ["PYGPU_CUBLAS_LIBRARY"]).standin_handles()


@own_interpreter("on_standin")
def test_a_handle_is_owned_and_takes_streams():
    handle = cublas.cublasHandle_t()
    assert handles() == 1
    stream = cuda.cudaStream_t(flags=1)
    assert not cublas.cublasSetStream(handle, stream)
    got, err = cublas.cublasGetStream(handle)
    assert not err
    assert type(got) is cuda.cudaStream_t
    assert got == stream
    assert not cublas.cublasSetPointerMode(handle, cublas.CUBLAS_POINTER_MODE_DEVICE)
    assert cublas.cublasGetPointerMode(handle)[0] is cublas.CUBLAS_POINTER_MODE_DEVICE
    del handle
    assert handles() == 0
    other, err = cublas.cublasCreate()
    assert not err
    assert not cublas.cublasDestroy(other)
    assert handles() == 0


@own_interpreter("on_standin")
def test_matrices_by_columns():
    """Arrays of the device and of the host, 32-bit and 64-bit, real and complex."""
    handle = cublas.cublasHandle_t()
    for name, dtype, scalar in (
        ("cublasSgemm", "f4", 0.5),
        ("cublasDgemm_64", "f8", 2),
        ("cublasCgemm", "c8", 0.5 - 2j),
    ):
        a = np.arange(6, dtype=dtype).reshape(2, 3, order="F")
        b = np.arange(12, dtype=dtype).reshape(4, 3, order="F")
        c = PyGPU.to_gpu(np.ones((2, 4), dtype, order="F"))
        gemm = getattr(cublas, name)
        device_a, device_b = PyGPU.to_gpu(a), PyGPU.to_gpu(b)
        assert not gemm(handle, N, T, 2, 4, 3, scalar, device_a, 2, device_b, 4, 1, c, 2)
        assert np.allclose(c.get(), scalar * (a @ b.T) + 1)
        host = np.zeros((2, 4), dtype, order="F")
        assert not gemm(handle, N, T, 2, 4, 3, 1, a, 2, b, 4, 0, host, 2)
        assert np.allclose(host, a @ b.T)


@own_interpreter("on_standin")
def test_scalars_lie_where_the_caller_says():
    """A Python number is copied; an array, or the address of a number, is passed as it is."""
    handle = cublas.cublasHandle_t()
    one = np.ones(1, "f4")
    for alpha in (3, 3.0, PyGPU.to_gpu(np.full(1, 3, "f4")), ctypes.pointer(ctypes.c_float(3))):
        out = np.zeros(1, "f4")
        assert not cublas.cublasSgemm(handle, N, N, 1, 1, 1, alpha, one, 1, one, 1, 0, out, 1)
        assert out[0] == 3
    for wrong in (np.full(1, 3.0), "3", 1j):
        with pytest.raises(TypeError, match="alpha"):
            cublas.cublasSgemm(handle, N, N, 1, 1, 1, wrong, one, 1, one, 1, 0, one, 1)
    halves = np.zeros(2, "f2")
    alpha, beta = np.float16(1.5), np.float16(-2)
    assert not cublas.cublasHgemm(
        handle, N, N, 2, 1, 1, alpha, halves, 2, halves, 1, beta, halves, 2
    )
    assert halves.tolist() == [1.5, -2]


@own_interpreter("on_standin")
def test_results_are_written_where_the_caller_says():
    handle = cublas.cublasHandle_t()
    x, y = PyGPU.to_gpu(np.arange(4, dtype="f4")), np.arange(4, dtype="f4")
    for result in (np.zeros(1, "f4"), ctypes.c_float(), PyGPU.zeros(1, "float32")):
        assert not cublas.cublasSdot(handle, 4, x, 1, y, 1, result)
        value = result.get() if isinstance(result, PyGPU.GPUArray) else np.asarray(result)
        assert value.ravel()[0] == 14
    backwards = np.zeros(1, "f4")
    assert not cublas.cublasSdot(handle, 4, y, -1, y, 1, backwards)
    assert backwards[0] == 0 * 3 + 1 * 2 + 2 * 1 + 3 * 0
    at = np.zeros(1, "i4")
    assert not cublas.cublasIsamax(handle, 4, x, 1, at)
    assert at[0] == 4
    with pytest.raises(TypeError, match="'result' holds"):
        cublas.cublasIsamax(handle, 4, x, 1, np.zeros(1, "f4"))


@own_interpreter("on_standin")
def test_batches_take_arrays_of_pointers():
    """They lie on the device, so they are arrays of addresses there."""
    handle = cublas.cublasHandle_t()
    numbers = PyGPU.to_gpu(np.arange(1, 7, dtype="f4"))
    a, x, y = (
        PyGPU.to_gpu(np.array([numbers.ptr + 4 * at, numbers.ptr + 4 * at + 4], "u8"))
        for at in (0, 2, 4)
    )
    assert not cublas.cublasSgemvBatched(handle, N, 1, 1, 1, a, 1, x, 1, 0, y, 1, 2)
    assert numbers.get().tolist() == [1, 2, 3, 4, 1 + 3, 2 + 4]
    with pytest.raises(ValueError, match="'Aarray' is too short: 24 needed, 16 given"):
        cublas.cublasSgemvBatched(handle, N, 1, 1, 1, a, 1, x[:2], 1, 0, y, 1, 3)
    with pytest.raises(TypeError, match="'Aarray' must be an address"):
        cublas.cublasSgemvBatched(handle, N, 1, 1, 1, [a.ptr], 1, x, 1, 0, y, 1, 1)
    info, err = cublas.cublasSgetrsBatched(handle, N, 1, 1, a, 1, None, x, 1, 2)
    assert (info, bool(err)) == (-3, False)
    with pytest.raises(ValueError, match="'devIpiv' is too short: 8 needed"):
        cublas.cublasSgetrsBatched(handle, N, 1, 1, a, 1, bytearray(4), x, 1, 2)


@own_interpreter("on_standin")
def test_groups_have_sequences():
    handle = cublas.cublasHandle_t()
    numbers = PyGPU.zeros(2, "float32")
    c = PyGPU.to_gpu(np.array([numbers.ptr, numbers.ptr + 4], "u8"))
    two = [7, 7]
    groups = [N, T], [N, N], [1, 2], [3, 4], [5, 6], [1.0, 0.5], c, two, c, two, [0.0, 0.0], c, two
    assert not cublas.cublasSgemmGroupedBatched(handle, *groups, 2, [1, 2])
    assert numbers.get().tolist() == [15, 2 * 4 * 6 * 0.5 * 2 + 1]
    with pytest.raises(ValueError, match="group_size"):
        cublas.cublasSgemmGroupedBatched(handle, *groups, 2, [1])


@own_interpreter("on_standin")
def test_errors_have_the_library_s_text():
    with pytest.raises(PyGPU.GPUError, match="CUBLAS_STATUS_NOT_INITIALIZED") as told:
        cublas.checked.cublasDestroy(None)
    assert told.value.error is cublas.CUBLAS_STATUS_NOT_INITIALIZED
    assert cublas.cublasStatus_t(7).message == "the stand-in's text"
    assert cublas.cublasGetStatusName(7) == "CUBLAS_STATUS_INVALID_VALUE"
