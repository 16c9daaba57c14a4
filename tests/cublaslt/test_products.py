"""A product with an epilogue, from descriptors to the result, on the stand-in."""

from __future__ import annotations

import ctypes
import os

import numpy as np
import pytest

import PyGPU
from PyGPU import cublas, cublaslt
from tests.own_interpreter import own_interpreter


def made() -> int:
    """How many handles and descriptors there are."""
    return ctypes.CDLL(os.environ["PYGPU_CUBLASLT_LIBRARY"]).standin_made()


def layout(rows: int, columns: int):
    return cublaslt.cublasLtMatrixLayout_t(type=0, rows=rows, cols=columns, ld=rows)


@own_interpreter("on_standin")
def test_a_product_with_bias_and_an_algorithm():
    """Descriptors are objects, and an attribute takes an array where C wants its address."""
    handle = cublaslt.cublasLtHandle_t()
    desc = cublaslt.cublasLtMatmulDesc_t(computeType=cublas.CUBLAS_COMPUTE_32F, scaleType=0)
    a, b, c = layout(2, 3), layout(3, 4), layout(2, 4)
    bias = PyGPU.to_gpu(np.array([10, 20], "f4"))
    put = cublaslt.checked.cublasLtMatmulDescSetAttribute
    put(desc, cublaslt.CUBLASLT_MATMUL_DESC_EPILOGUE, cublaslt.CUBLASLT_EPILOGUE_BIAS)
    put(desc, cublaslt.CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias)
    preference = cublaslt.cublasLtMatmulPreference_t()
    found, err = cublaslt.cublasLtMatmulAlgoGetHeuristic(handle, desc, a, b, c, c, preference, 8)
    assert not err
    assert [one.workspaceSize for one in found] == [0, 256]
    left = np.arange(6, dtype="f4").reshape(2, 3, order="F")
    right = np.arange(12, dtype="f4").reshape(3, 4, order="F")
    old = np.ones((2, 4), "f4", order="F")
    arrays = [PyGPU.to_gpu(one) for one in (left, right, old)]
    out, work = PyGPU.zeros((2, 4), "float32", order="F"), PyGPU.zeros(256, "uint8")
    call = (
        *(handle, desc, np.float32(2), arrays[0], a, arrays[1], b, np.float32(3), arrays[2], c),
        *(out, c, found[1].algo, work),
    )
    assert not cublaslt.cublasLtMatmul(*call, 256, None)
    assert np.allclose(out.get(), 2 * left @ right + 3 + np.array([[10], [20]]))
    assert work.get()[0] == 41  # the second algorithm
    with pytest.raises(ValueError, match="'workspace' is too short: 257 needed, 256 given"):
        cublaslt.cublasLtMatmul(*call, 257, None)


@own_interpreter("on_standin")
def test_each_owner_ends_what_it_made():
    owners = [cublaslt.cublasLtHandle_t(), layout(1, 1), cublaslt.cublasLtMatmulPreference_t()]
    owners += [cublaslt.cublasLtMatmulDesc_t(computeType=0, scaleType=0)]
    assert made() == 4
    assert not cublaslt.cublasLtMatrixLayoutDestroy(owners[1])
    assert made() == 3
    owners.clear()
    assert made() == 0
    with pytest.raises(TypeError, match="rows"):
        cublaslt.cublasLtMatrixLayout_t(type=0)


@own_interpreter("on_standin")
def test_kinds_of_descriptors_differ():
    with pytest.raises(TypeError, match="'preference'"):
        cublaslt.cublasLtMatmulAlgoGetHeuristic(*[None] * 6, layout(1, 1), 1)
