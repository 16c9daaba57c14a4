"""A program of cuSOLVER's names. It knows nothing of AMD."""

from __future__ import annotations

import numpy as np

from PyGPU import (
    CUBLAS_FILL_MODE_LOWER,
    CUBLAS_OP_N,
    CUBLAS_OP_T,
    CUDA_R_64F,
    CUSOLVER_EIG_MODE_VECTOR,
    CUSOLVER_STATUS_SUCCESS,
    checked,
    cudaStream_t,
    cusolverDnDgetrs,
    cusolverDnHandle_t,
    cusolverDnParams_t,
    cusolverDnSetStream,
    syevjInfo_t,
)
from PyGPU.gpuarray import empty, to_gpu

MATRIX = np.array([[4.0, 1, 0], [1, 3, 1], [0, 1, 2]])
DUE = np.array([1.0, -2, 3])


def on_device(values: np.ndarray):
    return to_gpu(np.asfortranarray(values))


def run() -> list[np.ndarray]:
    """Gives the solution of a system, eigenvalues, and a factor."""
    handle = cusolverDnHandle_t()
    assert cusolverDnSetStream(handle, cudaStream_t(0)) is CUSOLVER_STATUS_SUCCESS
    info, pivots = empty(1, "i4"), empty(3, "i4")
    a, b = on_device(MATRIX), on_device(MATRIX @ DUE)
    # Bytes or numbers, as the library has it: as many numbers are enough.
    work = empty(checked.cusolverDnDgetrf_bufferSize(handle, 3, 3, a, 3), "f8")
    checked.cusolverDnDgetrf(handle, 3, 3, a, 3, work, pivots, info)
    assert cusolverDnDgetrs(handle, CUBLAS_OP_T, 3, 1, a, 3, pivots, b, 3, info)
    checked.cusolverDnDgetrs(handle, CUBLAS_OP_N, 3, 1, a, 3, pivots, b, 3, info)
    mode, uplo = CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER
    a, w = on_device(MATRIX), empty(3, "f8")
    with syevjInfo_t() as jacobi:
        given = (handle, mode, uplo, 3, a, 3, w)
        work = empty(checked.cusolverDnDsyevj_bufferSize(*given, jacobi), "f8")
        checked.cusolverDnDsyevj(*given, work, work.size, info, jacobi)
    factor = on_device(MATRIX)
    given = (handle, cusolverDnParams_t(), uplo, 3, CUDA_R_64F, factor, 3, CUDA_R_64F)
    device, host = checked.cusolverDnXpotrf_bufferSize(*given)
    area, beside = empty(device, "u1"), bytearray(host)
    checked.cusolverDnXpotrf(*given, area, device, beside, host, info)
    checked.cusolverDnDestroy(handle)
    return [b.get(), w.get(), np.tril(factor.get())]
