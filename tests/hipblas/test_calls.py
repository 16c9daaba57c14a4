"""Calls of the stand-in, which computes on the host runtime's memory."""

from __future__ import annotations

import ctypes
import os

import numpy as np
import pytest

import PyGPU
from PyGPU import hip, hipblas
from tests.own_interpreter import own_interpreter

N, T = hipblas.HIPBLAS_OP_N, hipblas.HIPBLAS_OP_T


@own_interpreter("on_standin")
def test_a_handle_is_destroyed_once() -> None:
    count = ctypes.CDLL(os.environ["PYGPU_HIPBLAS_LIBRARY"]).standin_handles
    handle = hipblas.hipblasHandle_t()
    assert count() == 1
    assert not hipblas.hipblasSetStream(handle, hip.hipStream_t(1 << 20))
    stream = hipblas.checked.hipblasGetStream(handle)
    assert type(stream) is hip.hipStream_t and int(stream) == 1 << 20
    assert not hipblas.hipblasSetPointerMode(handle, hipblas.HIPBLAS_POINTER_MODE_DEVICE)
    mode = hipblas.checked.hipblasGetPointerMode(handle)
    assert mode is hipblas.HIPBLAS_POINTER_MODE_DEVICE
    del handle
    assert count() == 0
    assert not hipblas.hipblasDestroy(hipblas.checked.hipblasCreate())
    assert count() == 0


@own_interpreter("on_standin")
def test_products_of_all_precisions() -> None:
    """Arrays of the device and of the host; the complex form is that with HIP's types."""
    handle = hipblas.hipblasHandle_t()
    for name, dtype, scalar in (
        ("hipblasSgemm", "f4", 0.5),
        ("hipblasDgemm_64", "f8", 2),
        ("hipblasCgemm", "c8", 0.5 - 2j),
    ):
        a = np.arange(6, dtype=dtype).reshape(2, 3, order="F")
        b = np.arange(12, dtype=dtype).reshape(4, 3, order="F")
        c = PyGPU.to_gpu(np.ones((2, 4), dtype, order="F"))
        gemm = getattr(hipblas, name)
        device_a, device_b = PyGPU.to_gpu(a), PyGPU.to_gpu(b)
        assert not gemm(handle, N, T, 2, 4, 3, scalar, device_a, 2, device_b, 4, 1, c, 2)
        assert np.allclose(c.get(), scalar * (a @ b.T) + 1)
        host = np.zeros((2, 4), dtype, order="F")
        assert not gemm(handle, N, T, 2, 4, 3, 1, a, 2, b, 4, 0, host, 2)
        assert np.allclose(host, a @ b.T)


@own_interpreter("on_standin")
def test_scalars_lie_where_the_caller_says() -> None:
    handle = hipblas.hipblasHandle_t()
    one = np.ones(1, "f4")
    for alpha in (3, 3.0, PyGPU.to_gpu(np.full(1, 3, "f4")), ctypes.pointer(ctypes.c_float(3))):
        out = np.zeros(1, "f4")
        assert not hipblas.hipblasSgemm(handle, N, N, 1, 1, 1, alpha, one, 1, one, 1, 0, out, 1)
        assert out[0] == 3
    for wrong in (np.full(1, 3.0), "3", 1j):
        with pytest.raises(TypeError, match="alpha"):
            hipblas.hipblasSgemm(handle, N, N, 1, 1, 1, wrong, one, 1, one, 1, 0, one, 1)
    halves = np.zeros(2, "f2")
    alpha, beta = np.float16(1.5), np.float16(-2)
    assert not hipblas.hipblasHgemm(
        handle, N, N, 2, 1, 1, alpha, halves, 2, halves, 1, beta, halves, 2
    )
    assert halves.tolist() == [1.5, -2]


@own_interpreter("on_standin")
def test_results_and_batches() -> None:
    handle = hipblas.hipblasHandle_t()
    numbers, result = np.arange(4, dtype="f4"), np.zeros(1, "f4")
    assert not hipblas.hipblasSdot(handle, 4, numbers, -1, numbers, 1, result)
    assert result[0] == 0 * 3 + 1 * 2 + 2 * 1 + 3 * 0
    at = np.zeros(1, "i4")
    assert not hipblas.hipblasIsamax(handle, 4, numbers, 1, at)
    assert at[0] == 4
    memory = PyGPU.to_gpu(np.arange(1, 7, dtype="f4"))
    a, x, y = (
        PyGPU.to_gpu(np.array([memory.ptr + 4 * at, memory.ptr + 4 * at + 4], "u8"))
        for at in (0, 2, 4)
    )
    assert not hipblas.hipblasSgemvBatched(handle, N, 1, 1, 1, a, 1, x, 1, 0, y, 1, 2)
    assert memory.get().tolist() == [1, 2, 3, 4, 1 * 3, 2 * 4]
    with pytest.raises(ValueError, match="'AP' is too short: 24 needed, 16 given"):
        hipblas.hipblasSgemvBatched(handle, N, 1, 1, 1, a, 1, x, 1, 0, y, 1, 3)
    info, err = hipblas.hipblasSgetrsBatched(handle, N, 1, 1, a, 1, None, x, 1, 2)
    assert (info, bool(err)) == (-3, False)


@own_interpreter("on_standin")
def test_errors_have_names_and_texts() -> None:
    with pytest.raises(PyGPU.GPUError, match="HIPBLAS_STATUS_NOT_INITIALIZED") as told:
        hipblas.checked.hipblasDestroy(None)
    assert told.value.error is hipblas.HIPBLAS_STATUS_NOT_INITIALIZED
    assert hipblas.hipblasStatusToString(3) == "HIPBLAS_STATUS_INVALID_VALUE"
    assert hipblas.hipblasSgemm(
        hipblas.hipblasHandle_t(), 0, N, *[0] * 3, 1, *[None, 1] * 2, 0, None, 1
    ) == (hipblas.HIPBLAS_STATUS_INVALID_ENUM)


@own_interpreter(PYGPU_HIPBLAS_LIBRARY="/nowhere/libhipblas.so.2")
def test_without_a_library_every_call_says_so() -> None:
    with pytest.warns(RuntimeWarning, match="PYGPU_HIPBLAS_LIBRARY"):
        handle, err = hipblas.hipblasCreate()
    assert handle is None
    assert err is hipblas.hipblasStatus_t.PYGPU_ERROR_LIBRARY_NOT_FOUND
