"""Sparse products, from arrays to the result, on the stand-in."""

from __future__ import annotations

import ctypes
import os

import numpy as np
import pytest

import PyGPU
from PyGPU import cusparse
from tests.own_interpreter import own_interpreter

I32, ZERO, R32F = 2, 0, 0


def made() -> int:
    """How many handles and descriptors there are."""
    return ctypes.CDLL(os.environ["PYGPU_CUSPARSE_LIBRARY"]).standin_made()


@own_interpreter("on_standin")
def test_a_matrix_times_a_vector():
    """Descriptors hold arrays of the device; a function that only reads takes the same ones."""
    create = cusparse.checked
    handle = cusparse.cusparseHandle_t()
    offsets, indices = np.array([0, 2, 3], "i4"), np.array([0, 2, 1], "i4")
    values, x = np.array([1, 2, 3], "f4"), np.array([10, 20, 30], "f4")
    held = [PyGPU.to_gpu(one) for one in (offsets, indices, values, x, np.ones(2, "f4"))]
    matrix = create.cusparseCreateCsr(2, 3, 3, *held[:3], I32, I32, ZERO, R32F)
    vectors = [
        create.cusparseCreateDnVec(size, one, R32F)
        for size, one in ((3, held[3]), (2, held[4]))
    ]  # fmt: skip
    call = handle, 0, np.float32(2), matrix, vectors[0], np.float32(1), vectors[1], R32F, 0
    size, err = cusparse.cusparseSpMV_bufferSize(*call)
    assert (size, bool(err)) == (24, False)
    buffer = PyGPU.zeros(24, "uint8")
    assert not cusparse.cusparseSpMV(*call, buffer)
    assert held[4].get().tolist() == [2 * (1 * 10 + 2 * 30) + 1, 2 * 3 * 20 + 1]
    assert buffer.get().tolist() == [7] * 24
    with pytest.raises(TypeError, match="matA"):
        cusparse.cusparseSpMV(handle, 0, None, vectors[0], *call[4:], buffer)
    assert not cusparse.cusparseDestroySpMat(matrix)
    for one in vectors:
        assert not cusparse.cusparseDestroyDnVec(one)
    del handle, call
    assert made() == 0


@own_interpreter("on_standin")
def test_owners_end_once():
    owner = cusparse.csrilu02Info_t()
    assert made() == 1
    assert not cusparse.cusparseDestroyCsrilu02Info(owner)
    del owner
    assert made() == 0


@own_interpreter("on_standin")
def test_sizes_come_out_and_go_in():
    """cusparseSpGEMM tells a size without a buffer, and reads it with one."""
    rest = (None, 0, 0, None, None, None, None, None, R32F, 0, None)
    size, err = cusparse.cusparseSpGEMM_workEstimation(*rest, 0, None)
    assert (size, bool(err)) == (40, False)
    buffer = bytearray(41)
    assert cusparse.cusparseSpGEMM_workEstimation(*rest, size, buffer) == (41, 0)
    assert buffer == b"\1" * 40 + b"\0"
    assert cusparse.cusparseSgtsv2_bufferSizeExt(None, 8, 2, *[None] * 4, 8) == (16, 0)


@own_interpreter("on_standin")
def test_attributes_are_typed_by_their_names():
    matrix, err = cusparse.cusparseCreateCsr(0, 0, 0, None, None, None, I32, I32, ZERO, R32F)
    assert not err
    put, get = cusparse.cusparseSpMatSetAttribute, cusparse.cusparseSpMatGetAttribute
    fill, upper = cusparse.CUSPARSE_SPMAT_FILL_MODE, cusparse.CUSPARSE_FILL_MODE_UPPER
    assert not put(matrix, fill, upper)
    assert get(matrix, fill)[0] is upper
    assert get(matrix, cusparse.CUSPARSE_SPMAT_DIAG_TYPE)[0] is cusparse.CUSPARSE_DIAG_TYPE_NON_UNIT
    with pytest.raises(TypeError, match="FILL_MODE"):
        put(matrix, fill, "upper")


@own_interpreter("on_standin")
def test_numbers_lie_where_the_caller_says():
    position = np.zeros(1, "i4")
    status = cusparse.cusparseXcsrilu02_zeroPivot(None, None, position)
    assert status is cusparse.CUSPARSE_STATUS_ZERO_PIVOT
    assert position[0] == 5
    y = np.zeros(2, "c8")
    rest = (None, 1, 0, None, None)
    assert not cusparse.cusparseCgemvi(None, 0, 1, 1, 1 + 2j, *rest, 3 - 4j, y, ZERO, None)
    assert y.tolist() == [1 + 2j, 3 - 4j]
