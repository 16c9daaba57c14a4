"""The real library, which makes descriptors without a GPU, and lengths of arrays."""

from __future__ import annotations

import numpy as np
import pytest

import PyGPU
from tests.own_interpreter import own_interpreter

R32F, R64F, C64F = 0, 1, 5
COLUMNS, ROWS = 1, 2


@pytest.mark.parametrize(("of_indices", "index"), [(2, "i4"), (3, "i8")])
@pytest.mark.parametrize(("of_values", "dtype"), [(R32F, "f4"), (R64F, "f8"), (C64F, "c16")])
def test_a_descriptor_gives_back_its_arrays(cusparse, of_indices, index, of_values, dtype):
    offsets, columns = np.array([0, 1, 1, 3], index), np.array([0, 0, 1], index)
    values = np.ones(3, dtype)
    rest = (of_indices, of_indices, cusparse.CUSPARSE_INDEX_BASE_ZERO, of_values)
    create = cusparse.cusparseCreateCsr
    matrix, err = create(3, 2, 3, offsets, columns, values, *rest)
    assert not err
    addresses = [one.ctypes.data for one in (offsets, columns, values)]
    assert cusparse.cusparseCsrGet(matrix) == (3, 2, 3, *addresses, *rest, 0)
    assert cusparse.cusparseConstCsrGet(matrix) == (3, 2, 3, *addresses, *rest, 0)
    assert cusparse.cusparseSpMatGetSize(matrix) == (3, 2, 3, 0)
    assert cusparse.cusparseSpMatGetFormat(matrix)[0] is cusparse.CUSPARSE_FORMAT_CSR
    assert not cusparse.cusparseDestroySpMat(matrix)
    given = {"csrRowOffsets": offsets, "csrColInd": columns, "csrValues": values}
    for name, array in given.items():
        short = {**given, name: array[:-1]}
        with pytest.raises(ValueError, match=f"'{name}' is too short: {array.nbytes} needed"):
            create(3, 2, 3, *short.values(), *rest)


def test_a_dense_matrix_ends_with_its_last_number(cusparse):
    """Rows or columns lie `ld` numbers apart, as the order says."""
    for order, ld, needed in ((COLUMNS, 8, 4 * 8 + 3), (ROWS, 9, 2 * 9 + 5)):
        fits = bytearray(needed * 8)
        matrix, err = cusparse.cusparseCreateDnMat(3, 5, ld, fits, R64F, order)
        assert not err
        assert cusparse.cusparseDnMatGet(matrix)[:3] == (3, 5, ld)
        assert not cusparse.cusparseDestroyDnMat(matrix)
        with pytest.raises(ValueError, match="'values' is too short"):
            cusparse.cusparseCreateDnMat(3, 5, ld, fits[:-1], R64F, order)


def test_arrays_that_c_only_reads_may_be_read_only(cusparse):
    vector, err = cusparse.cusparseCreateConstDnVec(2, b"12345678", R32F)
    assert not err
    assert cusparse.cusparseConstDnVecGet(vector)[0] == 2
    assert not cusparse.cusparseDestroyDnVec(vector)
    with pytest.raises(TypeError, match="must be writable memory"):
        cusparse.cusparseCreateDnVec(2, b"12345678", R32F)


def test_indices_are_one_more_than_rows(cusparse):
    """The older functions, whose arrays have the type of their numbers."""
    call = cusparse.cusparseDcsrilu02_bufferSize
    values, offsets, columns = bytearray(8 * 7), np.zeros(5, "i4"), np.zeros(7, "i4")
    for at, (name, short) in enumerate(
        (
            ("csrSortedValA", (values[:-1], offsets, columns)),
            ("csrSortedRowPtrA", (values, offsets[:-1], columns)),
            ("csrSortedColIndA", (values, offsets, columns[:-1])),
        )
    ):
        with pytest.raises(ValueError, match=f"'{name}' is too short: {(56, 20, 28)[at]} needed"):
            call(None, 4, 7, None, *short, None)
    blocks = bytearray(8 * 3 * 2 * 2 - 1)
    with pytest.raises(ValueError, match="'bsrSortedValA' is too short: 96 needed, 95 given"):
        cusparse.cusparseDbsrmv(
            *(None, 0, 0, 2, 2, 3, 1.0, None, blocks, None, None, 2, None, 0.0, None)
        )


def test_statuses_have_names_and_texts(cusparse):
    assert cusparse.cusparseGetErrorName(3) == "CUSPARSE_STATUS_INVALID_VALUE"
    assert cusparse.cusparseGetErrorString(3) == cusparse.CUSPARSE_STATUS_INVALID_VALUE.message
    matrix = cusparse.cusparseMatDescr_t()
    assert not cusparse.cusparseSetMatType(matrix, cusparse.CUSPARSE_MATRIX_TYPE_TRIANGULAR)
    assert cusparse.cusparseGetMatType(matrix) is cusparse.CUSPARSE_MATRIX_TYPE_TRIANGULAR


@own_interpreter(PYGPU_CUSPARSE_LIBRARY="/nowhere/libcusparse.so.12")
def test_without_a_library_every_call_says_so():
    cusparse = PyGPU.cusparse
    with pytest.warns(RuntimeWarning, match="PYGPU_CUSPARSE_LIBRARY"):
        handle, err = cusparse.cusparseCreate()
    assert handle is None
    assert err is cusparse.cusparseStatus_t.PYGPU_ERROR_LIBRARY_NOT_FOUND
    with pytest.raises(PyGPU.GPUError, match="no libcusparse was found; pip install nvidia-cuspa"):
        cusparse.cusparseHandle_t()
