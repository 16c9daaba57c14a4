"""Systems and eigenvalues, from arrays to the result, on a stand-in that computes."""

from __future__ import annotations

import ctypes
import os

import numpy as np
import pytest

import PyGPU
from PyGPU import hipblas, hipsolver
from tests.own_interpreter import own_interpreter

N, LOWER, VECTORS = 111, 122, 202
RNG = np.random.default_rng(5)


def standin() -> ctypes.CDLL:
    return ctypes.CDLL(os.environ["PYGPU_HIPSOLVER_LIBRARY"])


def by_columns(values: np.ndarray) -> PyGPU.GPUArray:
    """On the device, in LAPACK's order."""
    return PyGPU.to_gpu(np.asfortranarray(values))


def positive(n: int) -> np.ndarray:
    root = RNG.standard_normal((n, n))
    return root @ root.T + n * np.eye(n)


@own_interpreter("on_standin")
def test_a_system_is_solved_by_its_lu_factors() -> None:
    call = hipsolver.checked
    matrix, due = RNG.standard_normal((7, 7)), RNG.standard_normal((7, 2))
    a, b = by_columns(matrix), by_columns(matrix @ due)
    pivots, info = PyGPU.empty(7, "i4"), PyGPU.empty(1, "i4")
    with hipsolver.hipsolverHandle_t() as handle:
        size = call.hipsolverDgetrf_bufferSize(handle, 7, 7, a, 7)
        assert size == 7 * 3 + 1  # bytes
        work = PyGPU.empty(-(-size // 8), "f8")
        call.hipsolverDgetrf(handle, 7, 7, a, 7, work, size, pivots, info)
        with pytest.raises(ValueError, match="'work' is too short: 25 needed, 24 given"):
            call.hipsolverDgetrf(handle, 7, 7, a, 7, work, 25, pivots, info)
        solve = (7, 2, a, 7, pivots, b, 7, None, 0, info)
        call.hipsolverDgetrs(handle, hipblas.HIPBLAS_OP_N, *solve)
        assert np.allclose(b.get(), due)
        with pytest.raises(PyGPU.GPUError, match="hipsolverDgetrs: HIPSOLVER_STATUS_INVALID_ENUM"):
            call.hipsolverDgetrs(handle, hipblas.HIPBLAS_OP_T, *solve)
    assert standin().standin_made() == 0


@own_interpreter("on_standin")
def test_a_solution_of_its_own_leaves_the_right_side() -> None:
    matrix, due = RNG.standard_normal((4, 4)), RNG.standard_normal((4, 1))
    a, b, x = by_columns(matrix), by_columns(matrix @ due), PyGPU.empty((4, 1), "f8")
    pivots, info = PyGPU.empty(4, "i4"), PyGPU.empty(1, "i4")
    given = (hipsolver.hipsolverHandle_t(), 4, 1, a, 4, pivots, b, 4, x, 4)
    steps, err = hipsolver.hipsolverDDgesv(*given, PyGPU.empty(5, "u1"), 5, info)
    assert (steps, bool(err)) == (0, False)
    assert np.allclose(x.get(), due) and np.allclose(b.get(), matrix @ due)


@own_interpreter("on_standin")
def test_batches_and_eigenvalues_on_a_stream() -> None:
    call = hipsolver.checked
    handle, jacobi = hipsolver.hipsolverHandle_t(), hipsolver.hipsolverSyevjInfo_t()
    stream = PyGPU.checked.cudaStreamCreate()
    call.hipsolverSetStream(handle, int(stream))
    assert int(call.hipsolverDnGetStream(handle)) == int(stream)
    matrices = [positive(3) for _ in range(4)]
    arrays = [by_columns(one) for one in matrices]
    addresses = PyGPU.to_gpu(np.array([int(one.gpudata) for one in arrays], np.uint64))
    infos, info = PyGPU.empty(4, "i4"), PyGPU.empty(1, "i4")
    batch = (LOWER, 3, addresses, 3, PyGPU.empty(1, "f8"), 8)
    assert not hipsolver.hipsolverDpotrfBatched(handle, *batch, infos, 4)
    for array, matrix in zip(arrays, matrices, strict=True):
        assert np.allclose(np.tril(array.get()), np.linalg.cholesky(matrix))
    with pytest.raises(ValueError, match="'A' is too short: 40 needed, 32 given"):
        hipsolver.hipsolverDpotrfBatched(handle, *batch, PyGPU.empty(5, "i4"), 5)
    matrix = positive(6)
    a, w = by_columns(matrix), PyGPU.empty(6, "f8")
    size = call.hipsolverDnDsyevj_bufferSize(handle, VECTORS, LOWER, 6, a, 6, w, jacobi)
    work = PyGPU.empty(size // 8, "f8")
    call.hipsolverDnDsyevj(handle, VECTORS, LOWER, 6, a, 6, w, work, size, info, jacobi)
    assert np.allclose(w.get(), np.linalg.eigvalsh(matrix))


@own_interpreter("on_standin")
def test_either_name_ends_a_handle_once() -> None:
    for destroy in (hipsolver.hipsolverDestroy, hipsolver.hipsolverDnDestroy):
        handle, other = hipsolver.hipsolverHandle_t(), hipsolver.hipsolverHandle_t()
        assert not destroy(handle)
        del handle
        assert standin().standin_made() == 1
        del other
    info, params = hipsolver.hipsolverSyevjInfo_t(), hipsolver.hipsolverDnParams_t()
    assert not hipsolver.hipsolverDnDestroySyevjInfo(info)
    with hipsolver.hipsolverRfHandle_t(), params:
        assert standin().standin_made() == 2
    assert standin().standin_made() == 0
    with pytest.raises(PyGPU.GPUError, match="NOT_INITIALIZED") as told:
        hipsolver.checked.hipsolverDestroy(None)
    assert told.value.error is hipsolver.HIPSOLVER_STATUS_NOT_INITIALIZED


@own_interpreter("on_standin")
def test_sparse_systems_and_factors() -> None:
    descriptor, _ = hipsolver.hipsolverDnCreateParams()  # the stand-in knows it by its address
    descriptor = PyGPU.hipsparse.hipsparseMatDescr_t(int(descriptor))
    rows, columns = np.arange(4, dtype="i4"), np.arange(3, dtype="i4")
    x, b = np.zeros(3), np.array([2.0, 6, 12])
    solve = hipsolver.hipsolverSpDcsrlsvcholHost
    for values, at in (([1.0, 2, 3], -1), ([1.0, 0, 3], 1)):
        given = (None, 3, 3, descriptor, np.array(values), rows, columns, b, 0.0, 0, x)
        singularity, err = solve(*given)
        assert (singularity, bool(err)) == (at, False)
        if at < 0:
            assert x.tolist() == [2, 3, 4]
    with pytest.raises(ValueError, match="'csrRowPtr' is too short: 16 needed, 12 given"):
        solve(*given[:5], columns, *given[6:])
    handle = hipsolver.hipsolverRfHandle_t()
    count, _, _, values, err = hipsolver.hipsolverRfAccessBundledFactorsDevice(handle)
    assert (count, bool(err)) == (2, False)
    assert list((ctypes.c_double * 2).from_address(int(values))) == [1.5, 2.5]


@own_interpreter(PYGPU_HIPSOLVER_LIBRARY="/nowhere/libhipsolver.so.0")
def test_without_a_library_every_call_says_so() -> None:
    with pytest.warns(RuntimeWarning, match="PYGPU_HIPSOLVER_LIBRARY"):
        handle, err = hipsolver.hipsolverCreate()
    assert handle is None
    assert err is hipsolver.hipsolverStatus_t.PYGPU_ERROR_LIBRARY_NOT_FOUND
