"""Sparse products, from arrays to the result, on the stand-in."""

from __future__ import annotations

import ctypes
import os

import numpy as np
import pytest

import PyGPU
from PyGPU import hipsparse
from tests.own_interpreter import own_interpreter

I32, ZERO, R32F = 2, 0, 0


def made() -> int:
    """How many handles and descriptors there are."""
    return ctypes.CDLL(os.environ["PYGPU_HIPSPARSE_LIBRARY"]).standin_made()


@own_interpreter("on_standin")
def test_a_matrix_times_a_vector() -> None:
    """Descriptors hold arrays of the device; a function that only reads takes the same ones."""
    create = hipsparse.checked
    handle = hipsparse.hipsparseHandle_t()
    offsets, indices = np.array([0, 2, 3], "i4"), np.array([0, 2, 1], "i4")
    values, x = np.array([1, 2, 3], "f4"), np.array([10, 20, 30], "f4")
    held = [PyGPU.to_gpu(one) for one in (offsets, indices, values, x, np.ones(2, "f4"))]
    matrix = create.hipsparseCreateCsr(2, 3, 3, *held[:3], I32, I32, ZERO, R32F)
    first = create.hipsparseCreateDnVec(3, held[3], R32F)
    second = create.hipsparseCreateDnVec(2, held[4], R32F)
    call = handle, 0, np.float32(2), matrix, first, np.float32(1), second, R32F, 0
    size, err = hipsparse.hipsparseSpMV_bufferSize(*call)
    assert (size, bool(err)) == (24, False)
    buffer = PyGPU.zeros(24, "uint8")
    assert not hipsparse.hipsparseSpMV(*call, buffer)
    assert held[4].get().tolist() == [2 * (1 * 10 + 2 * 30) + 1, 2 * 3 * 20 + 1]
    with pytest.raises(TypeError, match="matA"):
        hipsparse.hipsparseSpMV(handle, 0, None, first, *call[4:], buffer)
    with pytest.raises(ValueError, match="'csrRowOffsets' is too short: 16 needed, 12 given"):
        hipsparse.hipsparseCreateCsr(3, 3, 3, *held[:3], I32, I32, ZERO, R32F)
    assert not hipsparse.hipsparseDestroySpMat(matrix)
    for one in (first, second):
        assert not hipsparse.hipsparseDestroyDnVec(one)
    del handle, call
    assert made() == 0


@own_interpreter("on_standin")
def test_owners_end_once() -> None:
    owners = hipsparse.csrsv2Info_t(), hipsparse.hipsparseHybMat_t()
    assert made() == 2
    assert not hipsparse.hipsparseDestroyCsrsv2Info(owners[0])
    del owners
    assert made() == 0


@own_interpreter("on_standin")
def test_attributes_are_typed_by_their_names() -> None:
    matrix, err = hipsparse.hipsparseCreateCsr(0, 0, 0, None, None, None, I32, I32, ZERO, R32F)
    assert not err
    put, get = hipsparse.hipsparseSpMatSetAttribute, hipsparse.hipsparseSpMatGetAttribute
    fill, upper = hipsparse.HIPSPARSE_SPMAT_FILL_MODE, hipsparse.HIPSPARSE_FILL_MODE_UPPER
    assert not put(matrix, fill, upper)
    assert get(matrix, fill)[0] is upper
    with pytest.raises(TypeError, match="FILL_MODE"):
        put(matrix, fill, "upper")


@own_interpreter("on_standin")
def test_numbers_lie_where_the_caller_says() -> None:
    position = np.zeros(1, "i4")
    status = hipsparse.hipsparseXcsrilu02_zeroPivot(None, None, position)
    assert status is hipsparse.HIPSPARSE_STATUS_ZERO_PIVOT
    assert position[0] == 5
    y = np.zeros(2, "c8")
    rows, none = np.zeros(3, "i4"), (None, None)
    call = (None, 0, 2, 2, 0, 1 + 2j, None, None, rows, *none, 3 - 4j)
    assert not hipsparse.hipsparseCcsrmv(*call, y)
    assert y.tolist() == [1 + 2j, 3 - 4j]
    with pytest.raises(ValueError, match="'y' is too short: 16 needed, 8 given"):
        hipsparse.hipsparseCcsrmv(*call, y[:1])


@own_interpreter("on_standin")
def test_lengths_follow_blocks_and_transposition() -> None:
    """Calls of functions that the stand-in lacks: their arguments are right, or refused."""
    sizes = {"mb": 2, "kb": 3, "n": 5, "nnzb": 4, "blockDim": 2, "ldb": 8, "ldc": 9}
    most = dict.fromkeys(["handle", "dirA", "transA", "descrA", "alpha", "beta"])
    most |= {"dirA": 0, "transA": 0, **sizes}
    needed = {"bsrValA": 4 * 4 * 4, "bsrRowPtrA": 4 * 3, "bsrColIndA": 4 * 4}
    for trans, b in ((0, 4 * 8 + 6), (1, 5 * 8 + 5)):
        every = {**needed, "B": 4 * b, "C": 4 * (4 * 9 + 4)}
        given = {**most, "transB": trans, **{key: bytearray(at) for key, at in every.items()}}
        assert hipsparse.hipsparseSbsrmm(**given) == 4094
        for key, at in every.items():
            with pytest.raises(ValueError, match=f"'{key}' is too short: {at} needed"):
                hipsparse.hipsparseSbsrmm(**{**given, key: bytearray(at - 1)})
    rest = [None] * 4
    with pytest.raises(ValueError, match="'x' is too short: 96 needed, 95 given"):
        hipsparse.hipsparseZgtsvInterleavedBatch(
            None, 0, 3, None, None, None, bytearray(95), 2, None
        )
    with pytest.raises(ValueError, match="'B' is too short: 52 needed, 51 given"):
        hipsparse.hipsparseSgtsv2(None, 3, 2, *rest[:3], bytearray(51), 10, None)
