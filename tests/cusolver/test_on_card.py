"""Factorizations, eigenvalues and singular values on a GPU, beside numpy's."""

from __future__ import annotations

import numpy as np
import pytest

import PyGPU

RNG = np.random.default_rng(5)
TYPES = {"S": "f4", "D": "f8", "C": "c8", "Z": "c16"}


@pytest.fixture
def handle(cusolver, on_card):
    with cusolver.cusolverDnHandle_t() as handle:
        yield handle


def matrix_of(rows: int, columns: int, dtype: str) -> np.ndarray:
    values = RNG.standard_normal((rows, columns))
    if dtype[0] == "c":
        values = values + 1j * RNG.standard_normal((rows, columns))
    return values.astype(dtype)


def close(left: np.ndarray, right: np.ndarray, dtype: str) -> bool:
    bound = 1e-3 if dtype in ("f4", "c8") else 1e-9
    return bool(np.allclose(left, right, rtol=bound, atol=bound * np.abs(right).max()))


@pytest.mark.parametrize("letter", TYPES)
def test_a_system_by_lu(cusolver, handle, letter):
    dtype, call = TYPES[letter], cusolver.checked
    matrix, due = matrix_of(65, 65, dtype), matrix_of(65, 3, dtype)
    a, b = PyGPU.to_gpu(np.asfortranarray(matrix)), PyGPU.to_gpu(np.asfortranarray(matrix @ due))
    pivots, info = PyGPU.empty(65, "i4"), PyGPU.empty(1, "i4")
    size = getattr(call, f"cusolverDn{letter}getrf_bufferSize")(handle, 65, 65, a, 65)
    work = PyGPU.empty(size, dtype)
    getattr(call, f"cusolverDn{letter}getrf")(handle, 65, 65, a, 65, work, pivots, info)
    assert info.get()[0] == 0
    getattr(call, f"cusolverDn{letter}getrs")(handle, 0, 65, 3, a, 65, pivots, b, 65, info)
    assert info.get()[0] == 0
    assert close(b.get(), due, dtype)


@pytest.mark.parametrize("letter", TYPES)
def test_least_squares_by_qr(cusolver, handle, letter):
    """R of the factors has the same product with itself as the matrix has."""
    dtype, call = TYPES[letter], cusolver.checked
    matrix = matrix_of(50, 20, dtype)
    a, tau, info = (
        PyGPU.to_gpu(np.asfortranarray(matrix)),
        PyGPU.empty(20, dtype),
        PyGPU.empty(1, "i4"),
    )
    size = getattr(call, f"cusolverDn{letter}geqrf_bufferSize")(handle, 50, 20, a, 50)
    work = PyGPU.empty(size, dtype)
    getattr(call, f"cusolverDn{letter}geqrf")(handle, 50, 20, a, 50, tau, work, size, info)
    assert info.get()[0] == 0
    r = np.triu(a.get()[:20])
    assert close(r.conj().T @ r, matrix.conj().T @ matrix, dtype)


@pytest.mark.parametrize("letter", TYPES)
def test_singular_values(cusolver, handle, letter):
    dtype, call = TYPES[letter], cusolver.checked
    real = "f4" if letter in "SC" else "f8"
    matrix = matrix_of(40, 30, dtype)
    a, info = PyGPU.to_gpu(np.asfortranarray(matrix)), PyGPU.empty(1, "i4")
    s, u, vt = PyGPU.empty(30, real), PyGPU.empty((40, 40), dtype), PyGPU.empty((30, 30), dtype)
    size = getattr(call, f"cusolverDn{letter}gesvd_bufferSize")(handle, 40, 30)
    work, room = PyGPU.empty(size, dtype), PyGPU.empty(29, real)
    getattr(call, f"cusolverDn{letter}gesvd")(
        handle, ord("A"), ord("A"), 40, 30, a, 40, s, u, 40, vt, 30, work, size, room, info
    )
    assert info.get()[0] == 0
    assert close(s.get(), np.linalg.svd(matrix, compute_uv=False), dtype)
    # The arrays hold columns one after the other, so numpy sees them transposed.
    assert close((u.get().T[:, :30] * s.get()) @ vt.get().T, matrix, dtype)


@pytest.mark.parametrize("letter", TYPES)
def test_eigenvalues(cusolver, handle, letter):
    dtype, call = TYPES[letter], cusolver.checked
    real, name = ("f4" if letter in "SC" else "f8"), ("syevd" if letter in "SD" else "heevd")
    matrix = matrix_of(33, 33, dtype)
    matrix = matrix + matrix.conj().T
    a, info = PyGPU.to_gpu(np.asfortranarray(matrix)), PyGPU.empty(1, "i4")
    w, start = PyGPU.empty(33, real), (handle, cusolver.CUSOLVER_EIG_MODE_VECTOR, 0, 33)
    size = getattr(call, f"cusolverDn{letter}{name}_bufferSize")(*start, a, 33, w)
    work = PyGPU.empty(size, dtype)
    getattr(call, f"cusolverDn{letter}{name}")(*start, a, 33, w, work, size, info)
    assert info.get()[0] == 0
    assert close(w.get(), np.linalg.eigvalsh(matrix), dtype)
    vectors = a.get()
    assert close(matrix @ vectors, vectors * w.get(), dtype)


def test_the_call_without_a_type_in_its_name(cusolver, handle):
    """cusolverDnXpotrf takes the types as values, and memory on both sides."""
    call, params, double = cusolver.checked, cusolver.cusolverDnParams_t(), 1
    root = matrix_of(30, 30, "f8")
    matrix = root @ root.T + 30 * np.eye(30)
    a, info = PyGPU.to_gpu(np.asfortranarray(matrix)), PyGPU.empty(1, "i4")
    given = (handle, params, 0, 30, double, a, 30, double)
    device, host = call.cusolverDnXpotrf_bufferSize(*given)
    room = PyGPU.empty(max(device, 1), "u1")
    call.cusolverDnXpotrf(*given, room, device, bytearray(host), host, info)
    assert info.get()[0] == 0
    assert np.allclose(np.tril(a.get()), np.linalg.cholesky(matrix))


def test_a_sparse_system(cusolver, on_card):
    """Three bands, by QR."""
    from PyGPU import cusparse

    n = 50
    values = np.concatenate([[2.0, -1.0], *[[-1.0, 2.0, -1.0]] * (n - 2), [-1.0, 2.0]])
    columns = np.concatenate(
        [[0, 1], *[[i - 1, i, i + 1] for i in range(1, n - 1)], [n - 2, n - 1]]
    )
    starts = np.concatenate([[0], np.cumsum([2, *[3] * (n - 2), 2])])
    dense = 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    due = RNG.standard_normal(n)
    rows, cols = PyGPU.to_gpu(starts.astype("i4")), PyGPU.to_gpu(columns.astype("i4"))
    b, x = PyGPU.to_gpu(dense @ due), PyGPU.empty(n, "f8")
    with cusolver.cusolverSpHandle_t() as handle, cusparse.cusparseMatDescr_t() as descr:
        singularity = np.zeros(1, "i4")
        cusolver.checked.cusolverSpDcsrlsvqr(
            *(handle, n, len(values), descr, PyGPU.to_gpu(values), rows, cols, b, 1e-12, 0, x),
            singularity,
        )
    assert singularity[0] == -1
    assert np.allclose(x.get(), due)
