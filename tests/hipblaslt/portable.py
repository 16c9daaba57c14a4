"""A program of cuBLASLt's names. It knows nothing of AMD."""

from __future__ import annotations

import numpy as np

from PyGPU import (
    CUBLAS_COMPUTE_32F,
    CUBLASLT_EPILOGUE_BIAS,
    CUBLASLT_MATMUL_DESC_BIAS_POINTER,
    CUBLASLT_MATMUL_DESC_EPILOGUE,
    CUDA_R_32F,
    checked,
    cublasLtHandle_t,
    cublasLtMatmul,
    cublasLtMatmulDesc_t,
    cublasLtMatmulPreference_t,
    cublasLtMatrixLayout_t,
)
from PyGPU.gpuarray import to_gpu, zeros

LEFT = np.arange(6, dtype="f4").reshape(2, 3, order="F")
RIGHT = np.arange(12, dtype="f4").reshape(3, 4, order="F")
BIAS = np.array([10, 20], "f4")
DUE = 2 * LEFT @ RIGHT + 3 + BIAS[:, None]


def layout(rows: int, columns: int):
    return cublasLtMatrixLayout_t(type=CUDA_R_32F, rows=rows, cols=columns, ld=rows)


def run() -> tuple[np.ndarray, list[int]]:
    """Gives a product with a bias, and the work areas of the algorithms that were found."""
    handle = cublasLtHandle_t()
    desc = cublasLtMatmulDesc_t(computeType=CUBLAS_COMPUTE_32F, scaleType=CUDA_R_32F)
    a, b, c = layout(2, 3), layout(3, 4), layout(2, 4)
    bias = to_gpu(BIAS)
    put = checked.cublasLtMatmulDescSetAttribute
    put(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS)
    put(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias)
    wanted = cublasLtMatmulPreference_t()
    found = checked.cublasLtMatmulAlgoGetHeuristic(handle, desc, a, b, c, c, wanted, 8)
    old = np.ones((2, 4), "f4", order="F")
    arrays = [to_gpu(one) for one in (LEFT, RIGHT, old)]
    out, work = zeros((2, 4), "float32", order="F"), zeros(256, "uint8")
    assert not cublasLtMatmul(
        *(handle, desc, np.float32(2), arrays[0], a, arrays[1], b, np.float32(3), arrays[2], c),
        *(out, c, found[1].algo, work, 256, None),
    )
    assert work.get()[0] == 41  # the second algorithm
    return out.get(), [one.workspaceSize for one in found]
