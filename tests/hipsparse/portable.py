"""A program of cuSPARSE's names. It knows nothing of AMD."""

from __future__ import annotations

import numpy as np

from PyGPU import (
    CUDA_R_32F,
    CUSPARSE_INDEX_32I,
    CUSPARSE_INDEX_BASE_ZERO,
    CUSPARSE_OPERATION_NON_TRANSPOSE,
    CUSPARSE_SPMV_ALG_DEFAULT,
    checked,
    cusparseHandle_t,
)
from PyGPU.gpuarray import to_gpu, zeros


def run() -> list[float]:
    """Multiplies a vector by a matrix, and gives the numbers."""
    handle = cusparseHandle_t()
    numbers = np.array([0, 2, 3], "i4"), np.array([0, 2, 1], "i4"), np.array([1, 2, 3], "f4")
    of_matrix = [to_gpu(one) for one in numbers]
    x, y = to_gpu(np.array([10, 20, 30], "f4")), to_gpu(np.ones(2, "f4"))
    kinds = CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F
    matrix = checked.cusparseCreateCsr(2, 3, 3, *of_matrix, *kinds)
    first = checked.cusparseCreateDnVec(3, x, CUDA_R_32F)
    second = checked.cusparseCreateDnVec(2, y, CUDA_R_32F)
    one = np.ones(1, "f4")
    call = (handle, CUSPARSE_OPERATION_NON_TRANSPOSE, one, matrix, first, one, second)
    how = CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT
    buffer = zeros(checked.cusparseSpMV_bufferSize(*call, *how), "uint8")
    checked.cusparseSpMV(*call, *how, buffer)
    for end, held in (("SpMat", matrix), ("DnVec", first), ("DnVec", second)):
        getattr(checked, f"cusparseDestroy{end}")(held)
    return y.get().tolist()
