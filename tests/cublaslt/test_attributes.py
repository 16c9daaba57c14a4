"""Attributes of the real library, which makes descriptors without a GPU."""

from __future__ import annotations

import pytest

import PyGPU
from PyGPU import cublas
from tests.own_interpreter import own_interpreter


@pytest.fixture
def layout(cublaslt):
    return cublaslt.cublasLtMatrixLayout_t(type=0, rows=16, cols=8, ld=32)


def test_a_layout_has_what_it_was_made_of(cublaslt, layout):
    get = cublaslt.cublasLtMatrixLayoutGetAttribute
    names = ("TYPE", "ORDER", "ROWS", "COLS", "LD", "BATCH_COUNT")
    every = [get(layout, getattr(cublaslt, f"CUBLASLT_MATRIX_LAYOUT_{one}")) for one in names]
    assert [value for value, _, err in every if not err] == [0, 0, 16, 8, 32, 1]
    assert [size for _, size, _ in every] == [4, 4, 8, 8, 8, 4]


def test_every_value_has_the_size_that_c_wants(cublaslt, layout):
    """C refuses a value of another size, so each type is the header's."""
    desc = cublaslt.cublasLtMatmulDesc_t(computeType=cublas.CUBLAS_COMPUTE_32F, scaleType=0)
    made = {
        "MatrixLayout": (layout, "MATRIX_LAYOUT_"),
        "MatmulDesc": (desc, "MATMUL_DESC_"),
        "MatmulPreference": (cublaslt.cublasLtMatmulPreference_t(), "MATMUL_PREF_"),
        "MatrixTransformDesc": (
            cublaslt.cublasLtMatrixTransformDesc_t(scaleType=0),
            "MATRIX_TRANSFORM_DESC_",
        ),
        "MatmulAlgoConfig": (cublaslt.cublasLtMatmulAlgo_t(), "ALGO_CONFIG_"),
    }
    if cublaslt.cublasLtGetVersion() >= 130100:
        made["EmulationDesc"] = (cublaslt.cublasLtEmulationDesc_t(), "EMULATION_DESC_")
    for name, (one, begin) in made.items():
        get = getattr(cublaslt, f"cublasLt{name}GetAttribute")
        put = getattr(cublaslt, f"cublasLt{name}SetAttribute")
        attributes = [key for key in dir(cublaslt) if key.startswith(f"CUBLASLT_{begin}")]
        assert attributes
        taken = 0
        for key in attributes:
            value, size, err = get(one, getattr(cublaslt, key))
            if err:  # this release doesn't know it
                continue
            assert size in (1, 2, 4, 8), key
            result = put(one, getattr(cublaslt, key), value)
            status = result[-1] if isinstance(result, tuple) else result
            assert bool(status) is (key == "CUBLASLT_ALGO_CONFIG_ID"), key  # that one is read-only
            taken += 1
        assert taken >= len(attributes) // 2, name


def test_values_come_back_as_they_went_in(cublaslt, layout):
    rows = cublaslt.CUBLASLT_MATRIX_LAYOUT_ROWS
    assert not cublaslt.cublasLtMatrixLayoutSetAttribute(layout, rows, 1 << 40)
    assert cublaslt.cublasLtMatrixLayoutGetAttribute(layout, rows)[0] == 1 << 40
    desc = cublaslt.cublasLtMatmulDesc_t(computeType=cublas.CUBLAS_COMPUTE_32F, scaleType=0)
    memory = bytearray(64)
    for key, given, back in (
        ("TRANSA", cublas.CUBLAS_OP_T, 1),
        ("EPILOGUE", cublaslt.CUBLASLT_EPILOGUE_RELU_BIAS, 6),
        ("FAST_ACCUM", 1, 1),
        ("BIAS_POINTER", 0x1230, 0x1230),
        ("BIAS_POINTER", None, 0),
    ):
        attribute = getattr(cublaslt, f"CUBLASLT_MATMUL_DESC_{key}")
        assert not cublaslt.cublasLtMatmulDescSetAttribute(desc, attribute, given)
        assert cublaslt.cublasLtMatmulDescGetAttribute(desc, attribute)[0] == back
    bias = cublaslt.CUBLASLT_MATMUL_DESC_BIAS_POINTER
    assert not cublaslt.cublasLtMatmulDescSetAttribute(desc, bias, memory)
    assert cublaslt.cublasLtMatmulDescGetAttribute(desc, bias)[0]
    with pytest.raises(OverflowError, match="TRANSA"):
        cublaslt.cublasLtMatmulDescSetAttribute(desc, cublaslt.CUBLASLT_MATMUL_DESC_TRANSA, 1 << 31)


def test_an_algorithm_changes_as_a_copy(cublaslt):
    """C writes into the algorithm; the call gives the new one, and leaves the caller's alone."""
    old = cublaslt.cublasLtMatmulAlgo_t()
    tile = cublaslt.CUBLASLT_ALGO_CONFIG_TILE_ID
    new, err = cublaslt.cublasLtMatmulAlgoConfigSetAttribute(old, tile, 5)
    assert not err
    assert cublaslt.cublasLtMatmulAlgoConfigGetAttribute(new, tile)[0] == 5
    assert cublaslt.cublasLtMatmulAlgoConfigGetAttribute(old, tile)[0] == 0


def test_version_cache_and_statuses(cublaslt):
    number = cublaslt.cublasLtGetVersion()
    parts = [cublaslt.checked.cublasLtGetProperty(part) for part in range(3)]
    assert parts[0] * 10000 + parts[1] * 100 + parts[2] == number
    capacity = cublaslt.checked.cublasLtHeuristicsCacheGetCapacity()
    assert not cublaslt.cublasLtHeuristicsCacheSetCapacity(100)
    assert cublaslt.checked.cublasLtHeuristicsCacheGetCapacity() >= 100
    assert not cublaslt.cublasLtHeuristicsCacheSetCapacity(capacity)
    assert cublaslt.cublasLtGetStatusName(7) == "CUBLAS_STATUS_INVALID_VALUE"
    found, err = cublaslt.cublasLtMatmulAlgoGetIds(None, 68, 0, 0, 0, 0, 0, 4)
    assert (found, err) == (None, cublaslt.cublasStatus_t(1))


@own_interpreter(PYGPU_CUBLASLT_LIBRARY="/nowhere/libcublasLt.so.13")
def test_without_a_library_every_call_says_so():
    cublaslt = PyGPU.cublaslt
    with pytest.warns(RuntimeWarning, match="PYGPU_CUBLASLT_LIBRARY"):
        handle, err = cublaslt.cublasLtCreate()
    assert handle is None
    assert err is cublaslt.cublasStatus_t.PYGPU_ERROR_LIBRARY_NOT_FOUND
    with pytest.raises(PyGPU.GPUError, match="no libcublasLt was found; pip install nvidia-cublas"):
        cublaslt.cublasLtMatrixLayout_t(type=0, rows=1, cols=1, ld=1)
