"""Systems and eigenvalues, from arrays to the result, on a stand-in that computes."""

from __future__ import annotations

import ctypes
import os

import numpy as np
import pytest

import PyGPU
from PyGPU import cublas, cusolver, cusolvermg
from tests.own_interpreter import own_interpreter

R64F, VECTORS, LOWER = 1, 1, 0
RNG = np.random.default_rng(5)


def standin() -> ctypes.CDLL:
    return ctypes.CDLL(os.environ["PYGPU_CUSOLVER_LIBRARY"])


def by_columns(values: np.ndarray) -> PyGPU.GPUArray:
    """On the device, in LAPACK's order."""
    return PyGPU.to_gpu(np.asfortranarray(values))


def positive(n: int) -> np.ndarray:
    root = RNG.standard_normal((n, n))
    return root @ root.T + n * np.eye(n)


@own_interpreter("on_standin")
def test_a_system_is_solved_by_its_lu_factors():
    call = cusolver.checked
    matrix, due = RNG.standard_normal((7, 7)), RNG.standard_normal((7, 2))
    a, b = by_columns(matrix), by_columns(matrix @ due)
    pivots, info = PyGPU.empty(7, "i4"), PyGPU.empty(1, "i4")
    with cusolver.cusolverDnHandle_t() as handle:
        work = PyGPU.empty(call.cusolverDnDgetrf_bufferSize(handle, 7, 7, a, 7), "f8")
        call.cusolverDnDgetrf(handle, 7, 7, a, 7, work, pivots, info)
        call.cusolverDnDgetrs(handle, 0, 7, 2, a, 7, pivots, b, 7, info)
        assert info.get()[0] == 0
        assert np.allclose(b.get(), due)
        with pytest.raises(PyGPU.GPUError, match="cusolverDnDgetrs: CUSOLVER_STATUS_INTERNAL_ERR"):
            call.cusolverDnDgetrs(handle, 1, 7, 2, a, 7, pivots, b, 7, info)
        # A query of sizes takes a matrix that isn't square, and no matrix.
        wide = PyGPU.empty((2, 5), "f8")
        assert call.cusolverDnDgetrf_bufferSize(handle, 2, 5, wide, 2) == 2
        assert call.cusolverDnDgetrf_bufferSize(handle, 2, 5, None, 2) == 2
    assert standin().standin_made() == 0


@own_interpreter("on_standin")
def test_a_matrix_that_is_not_positive_is_told():
    call = cusolver.checked
    handle, params = cusolver.cusolverDnHandle_t(), cusolver.cusolverDnParams_t()
    matrix = positive(5)
    for values, due in ((matrix, 0), (np.diag([1.0, 2, -3, 4, 5]), 3)):
        a, info = by_columns(values), PyGPU.empty(1, "i4")
        given = (handle, params, LOWER, 5, R64F, a, 5, R64F)
        device, host = call.cusolverDnXpotrf_bufferSize(*given)
        on_device, on_host = PyGPU.empty(device, "u1"), bytearray(host)
        call.cusolverDnXpotrf(*given, on_device, device, on_host, host, info)
        assert info.get()[0] == due
        if not due:
            assert np.allclose(np.tril(a.get()), np.linalg.cholesky(matrix))


@own_interpreter("on_standin")
def test_a_batch_is_an_array_of_addresses_on_the_device():
    handle = cusolver.cusolverDnHandle_t()
    matrices = [positive(3) for _ in range(4)]
    arrays = [by_columns(one) for one in matrices]
    addresses = PyGPU.to_gpu(np.array([int(one.gpudata) for one in arrays], np.uint64))
    infos = PyGPU.empty(4, "i4")
    assert not cusolver.cusolverDnDpotrfBatched(handle, LOWER, 3, addresses, 3, infos, 4)
    assert not infos.get().any()
    for array, matrix in zip(arrays, matrices, strict=True):
        assert np.allclose(np.tril(array.get()), np.linalg.cholesky(matrix))
    with pytest.raises(ValueError, match="'infoArray' is too short: 20 needed, 16 given"):
        cusolver.cusolverDnDpotrfBatched(handle, LOWER, 3, PyGPU.empty(5, "u8"), 3, infos, 5)


@own_interpreter("on_standin")
def test_eigenvalues_on_a_stream():
    call = cusolver.checked
    handle, jacobi = cusolver.cusolverDnHandle_t(), cusolver.syevjInfo_t()
    stream = PyGPU.checked.cudaStreamCreate()
    call.cusolverDnSetStream(handle, stream)
    assert call.cusolverDnGetStream(handle) == stream
    matrix = positive(6)
    a, w, info = by_columns(matrix), PyGPU.empty(6, "f8"), PyGPU.empty(1, "i4")
    size = call.cusolverDnDsyevj_bufferSize(handle, VECTORS, LOWER, 6, a, 6, w, jacobi)
    work = PyGPU.empty(size, "f8")
    call.cusolverDnDsyevj(handle, VECTORS, LOWER, 6, a, 6, w, work, size, info, jacobi)
    PyGPU.checked.cudaStreamSynchronize(stream)
    assert np.allclose(w.get(), np.linalg.eigvalsh(matrix))


@own_interpreter("on_standin")
def test_arrays_reach_as_far_as_the_factorization_does():
    """A ends with its last column; there are as many pivots as rows or columns, what is less."""
    handle = cusolver.cusolverDnHandle_t()
    a, work = bytearray((5 * 7 + 5) * 8), bytearray(5 * 8)
    pivots, info = bytearray(5 * 4), bytearray(4)
    factorize = cusolver.cusolverDnDgetrf
    assert not factorize(handle, 5, 6, a, 7, work, pivots, info)
    for name, arguments in {
        "A": (a[:-1], 7, work, pivots, info),
        "devIpiv": (a, 7, work, pivots[:-1], info),
        "devInfo": (a, 7, work, pivots, info[:-1]),
    }.items():
        with pytest.raises(ValueError, match=f"'{name}' is too short"):
            factorize(handle, 5, 6, *arguments)


def test_a_type_that_cublas_has_no_use_for_is_cusolvers_own():
    """cuBLAS's header declares all three; no function of cuBLAS takes the last."""
    for name in ("cudaEmulationMantissaControl_t", "cudaEmulationSpecialValuesSupport_t"):
        assert not hasattr(cusolver, name) and hasattr(cublas, name)
    assert cusolver.cudaEmulationStrategy_t.__module__ == "PyGPU.cusolver"
    assert not hasattr(cublas, "cudaEmulationStrategy_t")


@own_interpreter("on_standin")
def test_several_devices_take_a_list_of_arrays():
    call = cusolvermg.checked
    grid = call.cusolverMgCreateDeviceGrid(
        1, 2, [0, 0], cusolvermg.CUDALIBMG_GRID_MAPPING_COL_MAJOR
    )
    with cusolvermg.cusolverMgHandle_t() as handle:
        call.cusolverMgDeviceSelect(handle, 2, [0, 0])
        matrix = call.cusolverMgCreateMatrixDesc(2, 2, 2, 1, R64F, grid)
        parts = [PyGPU.to_gpu(np.array([one, 0.0])) for one in (3.0, 4.0)]
        work = [PyGPU.empty(6, "f8") for _ in parts]
        info = np.zeros(1, np.int32)
        call.cusolverMgPotrf(handle, LOWER, 2, parts, 1, 1, matrix, R64F, work, 6, info)
        assert info[0] == -3
        assert [one.get()[5] for one in work] == [3.0, 4.0]
        with pytest.raises(ValueError, match="deviceId"):
            call.cusolverMgCreateDeviceGrid(1, 3, [0, 0], 1)
        call.cusolverMgDestroyMatrixDesc(matrix)
    call.cusolverMgDestroyGrid(grid)
    assert standin().standin_made() == 0
