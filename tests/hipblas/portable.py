"""A program of cuBLAS's names. It knows nothing of AMD."""

from __future__ import annotations

import numpy as np

from PyGPU import (
    CUBLAS_COMPUTE_32F,
    CUBLAS_DIAG_NON_UNIT,
    CUBLAS_FILL_MODE_UPPER,
    CUBLAS_GEMM_DEFAULT,
    CUBLAS_OP_N,
    CUBLAS_OP_T,
    CUBLAS_SIDE_LEFT,
    CUDA_R_32F,
    GPUError,
    checked,
    cublasGemmEx,
    cublasHandle_t,
    cublasSdot,
    cublasSetStream,
    cublasSgemm,
    cublasStatus_t,
    cublasStrsm,
    cudaStream_t,
)
from PyGPU.gpuarray import to_gpu

N, T = CUBLAS_OP_N, CUBLAS_OP_T


def run() -> list[list[float]]:
    """Makes some products, and gives their numbers."""
    handle = cublasHandle_t()
    assert not cublasSetStream(handle, cudaStream_t(0))
    a = np.arange(6, dtype="f4").reshape(2, 3, order="F")
    b = np.arange(12, dtype="f4").reshape(4, 3, order="F")
    first, second = (to_gpu(np.zeros((2, 4), "f4", order="F")) for _ in range(2))
    device_a, device_b = to_gpu(a), to_gpu(b)
    assert not cublasSgemm(handle, N, T, 2, 4, 3, 2, device_a, 2, device_b, 4, 0, first, 2)
    one, zero = np.ones(1, "f4"), np.zeros(1, "f4")
    kind, how = CUDA_R_32F, CUBLAS_COMPUTE_32F
    assert not cublasGemmEx(
        *(handle, N, T, 2, 4, 3, one, device_a, kind, 2, device_b, kind, 4),
        *(zero, second, kind, 2, how, CUBLAS_GEMM_DEFAULT),
    )
    solved = to_gpu(np.arange(3, dtype="f4"))
    assert not cublasStrsm(
        *(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, N, CUBLAS_DIAG_NON_UNIT),
        *(1, 3, 4, to_gpu(np.full(1, 2, "f4")), 1, solved, 1),
    )
    dot = np.zeros(1, "f4")
    assert not cublasSdot(handle, 3, solved, 1, solved, 1, dot)
    told = None
    try:
        checked.cublasDestroy(None)
    except GPUError as error:
        told = error.error
    assert told is cublasStatus_t.CUBLAS_STATUS_NOT_INITIALIZED
    return [first.get().ravel("F").tolist(), second.get().ravel("F").tolist(), dot.tolist()]
