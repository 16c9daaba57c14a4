"""Products with an epilogue, from descriptors to the result, on a stand-in that computes."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

import numpy as np
import pytest

import PyGPU
from PyGPU import hipblas, hipblaslt
from tests.own_interpreter import own_interpreter


def made() -> int:
    """How many handles and descriptors there are."""
    return ctypes.CDLL(os.environ["PYGPU_HIPBLASLT_LIBRARY"]).standin_made()


def layout(rows: int, columns: int):
    return hipblaslt.hipblasLtMatrixLayout_t(type=0, rows=rows, cols=columns, ld=rows)


@own_interpreter("on_nvidia")
def test_the_program_runs_on_cublaslt() -> None:
    from tests.hipblaslt import portable

    result, sizes = portable.run()
    assert np.allclose(result, portable.DUE) and sizes == [0, 256]


@own_interpreter("on_amd")
def test_the_program_runs_on_hipblaslt() -> None:
    from tests.hipblaslt import portable

    assert PyGPU.backend == "hip"
    assert portable.cublasLtHandle_t is hipblaslt.hipblasLtHandle_t
    result, sizes = portable.run()
    assert np.allclose(result, portable.DUE) and sizes == [0, 256]
    assert made() == 0
    assert PyGPU.CUBLASLT_ORDER_ROW is hipblaslt.HIPBLASLT_ORDER_ROW
    # These have no counterpart, or one that takes a handle.
    ids, err = PyGPU.cublasLtMatmulAlgoGetIds(None, 68, 0, 0, 0, 0, 0, 4)
    assert ids is None and "CUBLAS_STATUS_NOT_SUPPORTED" in str(err)
    assert not hasattr(PyGPU, "CUBLASLT_MATMUL_TILE_8x8")


def test_the_program_names_nothing_of_amd() -> None:
    assert "hip" not in (Path(__file__).parent / "portable.py").read_text().lower()


@own_interpreter("on_standin")
def test_a_work_area_has_the_size_that_is_said() -> None:
    call = [None] * 16
    call[2] = call[7] = np.float32(1)
    call[13:15] = PyGPU.zeros(256, "uint8"), 257
    with pytest.raises(ValueError, match="'workspace' is too short: 257 needed, 256 given"):
        hipblaslt.hipblasLtMatmul(*call)


@own_interpreter("on_standin")
def test_attributes_have_the_type_of_their_enumerator() -> None:
    compute = hipblas.HIPBLAS_COMPUTE_32F
    desc = hipblaslt.hipblasLtMatmulDesc_t(computeType=compute, scaleType=0)
    put, get = hipblaslt.hipblasLtMatmulDescSetAttribute, hipblaslt.hipblasLtMatmulDescGetAttribute
    for name, given, back in (
        ("TRANSA", hipblas.HIPBLAS_OP_T, 112),
        ("EPILOGUE", hipblaslt.HIPBLASLT_EPILOGUE_SWISH_EXT, 65536),
        ("BIAS_POINTER", 0x1230, 0x1230),
        ("A_SCALE_MODE", hipblaslt.HIPBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F, 3),
        ("EPILOGUE_ACT_ARG0_EXT", 0.25, 0.25),
    ):
        attribute = getattr(hipblaslt, f"HIPBLASLT_MATMUL_DESC_{name}")
        assert not put(desc, attribute, given)
        value, size, err = get(desc, attribute)
        assert (value, size, bool(err)) == (back, 8 if "POINTER" in name else 4, False)
    with pytest.raises(OverflowError, match="TRANSA"):
        put(desc, hipblaslt.HIPBLASLT_MATMUL_DESC_TRANSA, 1 << 31)


@own_interpreter("on_standin")
def test_each_owner_ends_what_it_made() -> None:
    owners = [hipblaslt.hipblasLtHandle_t(), layout(1, 1), hipblaslt.hipblasLtMatmulPreference_t()]
    owners += [hipblaslt.hipblasLtMatmulDesc_t(computeType=2, scaleType=0)]
    assert made() == 4
    assert hipblaslt.checked.hipblasLtGetVersion(owners[0]) == 100100
    assert not hipblaslt.hipblasLtMatrixLayoutDestroy(owners[1])
    assert made() == 3
    owners.clear()
    assert made() == 0
    with pytest.raises(PyGPU.GPUError, match="GetVersion: HIPBLAS_STATUS_NOT_INITIALIZED"):
        hipblaslt.checked.hipblasLtGetVersion(None)
    with pytest.raises(TypeError, match="'pref'"):
        hipblaslt.hipblasLtMatmulAlgoGetHeuristic(*[None] * 6, layout(1, 1), 1)


@own_interpreter("on_standin")
def test_a_maximum_and_what_other_operations_touch() -> None:
    values, most = PyGPU.to_gpu(np.array([[1, -5, 2], [3, 4, 0]], "f4")), PyGPU.zeros(1, "float32")
    assert not hipblaslt.hipblasltExtAMax(0, 0, most, values, 2, 3, None)
    assert most.get()[0] == 5
    assert hipblaslt.hipblasltExtAMax(9, 9, None, None, 2, 3, None)  # no such type of numbers
    with pytest.raises(ValueError, match="'input' is too short: 12 needed, 11 given"):
        hipblaslt.hipblasltExtAMax(2, 2, bytearray(2), bytearray(11), 2, 3, None)
    tall, rows, columns = bytearray(24), bytearray(8), bytearray(12)
    given = {"datatype": 0, "output": tall, "mean": rows, "invvar": rows, "input": tall}
    given |= {"m": 2, "n": 3, "eps": 1e-5, "gamma": columns, "beta": columns, "stream": None}
    assert hipblaslt.hipblasltExtLayerNorm(**given) == 4094  # the stand-in has none
    for name in ("output", "mean", "invvar", "input", "gamma", "beta"):
        with pytest.raises(ValueError, match=f"'{name}' is too short"):
            hipblaslt.hipblasltExtLayerNorm(**{**given, name: given[name][:-1]})


@own_interpreter("on_standin")
def test_what_a_benchmark_sets_and_asks() -> None:
    assert hipblaslt.hipblasltSetFlushValue(True) is None
    assert hipblaslt.hipblasltGetWaveGranularity() == 0.5
    with pytest.raises(PyGPU.GPUError, match="hipblasltGetCUs"):
        hipblaslt.hipblasltGetCUs()  # the stand-in has none


@own_interpreter(PYGPU_HIPBLASLT_LIBRARY="/nowhere/libhipblaslt.so.1")
def test_without_a_library_every_call_says_so() -> None:
    with pytest.warns(RuntimeWarning, match="PYGPU_HIPBLASLT_LIBRARY"):
        handle, err = hipblaslt.hipblasLtCreate()
    assert handle is None
    assert err is hipblaslt.hipblasStatus_t.PYGPU_ERROR_LIBRARY_NOT_FOUND
