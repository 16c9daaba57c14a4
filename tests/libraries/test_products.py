"""cuBLAS and cuBLASLt on a card: arrays of several libraries, scalars on both sides, streams."""

from __future__ import annotations

import numpy as np
import pytest

import PyGPU

RNG = np.random.default_rng(1)
N, T = 0, 1


def matrix(rows, columns, dtype):
    """A matrix in C's order of columns."""
    values = RNG.standard_normal((rows, columns))
    if np.dtype(dtype).kind == "c":
        values = values + 1j * RNG.standard_normal((rows, columns))
    return np.asfortranarray(values.astype(dtype))


def close(result, due, dtype):
    tolerance = 2e-2 if np.dtype(dtype) == np.float16 else 1e-4
    assert np.allclose(result, due, rtol=tolerance, atol=tolerance * abs(due).max())


@pytest.mark.parametrize(("letter", "dtype"), [("S", "f4"), ("D", "f8"), ("C", "c8"), ("Z", "c16")])
def test_products_of_arrays(letter, dtype):
    cublas = PyGPU.cublas
    a, b, c = matrix(5, 7, dtype), matrix(7, 3, dtype), matrix(5, 3, dtype)
    on_card = [PyGPU.to_gpu(one) for one in (a, b, c)]
    alpha, beta = (2 - 1j, 0.5j) if letter in "CZ" else (2, -0.5)
    handle = cublas.cublasHandle_t()
    gemm = getattr(cublas.checked, f"cublas{letter}gemm")
    gemm(handle, N, N, 5, 3, 7, alpha, on_card[0], 5, on_card[1], 7, beta, on_card[2], 5)
    close(on_card[2].get(), alpha * a @ b + beta * c, dtype)


def test_half_numbers_and_scalars_of_their_type():
    cublas = PyGPU.cublas
    a, b = matrix(64, 32, "f2"), matrix(32, 16, "f2")
    left, right = PyGPU.to_gpu(a), PyGPU.to_gpu(b)
    out = PyGPU.zeros((64, 16), "f2", order="F")
    one, zero = np.array([1], "f2"), np.array([0], "f2")
    handle = cublas.cublasHandle_t()
    cublas.checked.cublasHgemm(
        handle, N, N, 64, 16, 32, one, left, 64, right, 32, zero, out, 64
    )  # fmt: skip
    close(out.get(), a.astype("f4") @ b.astype("f4"), "f2")


def test_scalars_on_the_device():
    cublas = PyGPU.cublas
    x, y = PyGPU.arange(10, dtype="f4"), PyGPU.ones(10, "f4")
    alpha, total = PyGPU.full(1, 3, "f4"), PyGPU.zeros(1, "f4")
    handle = cublas.cublasHandle_t()
    cublas.checked.cublasSetPointerMode(handle, cublas.CUBLAS_POINTER_MODE_DEVICE)
    cublas.checked.cublasSaxpy(handle, 10, alpha, x, 1, y, 1)
    cublas.checked.cublasSdot(handle, 10, x, 1, y, 1, total)
    assert y.get().tolist() == [3 * i + 1 for i in range(10)]
    assert total.get()[0] == sum(i * (3 * i + 1) for i in range(10))


@pytest.mark.parametrize("library", ["cupy", "torch"])
def test_arrays_of_other_libraries(library):
    cublas = PyGPU.cublas
    module = pytest.importorskip(library)
    values = np.arange(6, dtype="f4")
    x = module.asarray(values) if library == "cupy" else module.as_tensor(values, device="cuda")
    y = PyGPU.ones(6, "f4")
    handle = cublas.cublasHandle_t()
    cublas.checked.cublasSaxpy(handle, 6, 2.0, x, 1, y, 1)
    assert y.get().tolist() == [2 * i + 1 for i in range(6)]


def test_a_call_on_a_stream_comes_before_the_memory_is_used_again():
    """Arrays go while the product still runs: what is allocated next isn't in their place yet."""
    cublas = PyGPU.cublas
    size = 4096
    stream = PyGPU.Stream(non_blocking=True)
    handle = cublas.cublasHandle_t()
    cublas.checked.cublasSetStream(handle, stream)
    out = PyGPU.zeros((size, size), "f4")
    PyGPU.cudaDeviceSynchronize()
    for _ in range(5):
        a, b = PyGPU.ones((size, size), "f4"), PyGPU.ones((size, size), "f4")
        PyGPU.cudaDeviceSynchronize()
        for _ in range(3):
            cublas.checked.cublasSgemm(
                handle, N, N, size, size, size, 1.0, a, size, b, size, 0.0, out, size
            )  # fmt: skip
        del a, b
        others = [PyGPU.full((size, size), 7, "f4") for _ in range(2)]
        stream.synchronize()
        assert (out.get() == size).all()
        del others


def test_a_product_with_bias_and_a_limit():
    cublas, cublaslt = PyGPU.cublas, PyGPU.cublaslt
    a, b = matrix(64, 32, "f4"), matrix(32, 16, "f4")
    bias = RNG.standard_normal(64).astype("f4")
    arrays = [PyGPU.to_gpu(one) for one in (a, b, bias)]
    out, room = PyGPU.zeros((64, 16), "f4", order="F"), PyGPU.zeros(1 << 22, "u1")

    def layout(rows, columns):
        return cublaslt.cublasLtMatrixLayout_t(type=0, rows=rows, cols=columns, ld=rows)

    desc = cublaslt.cublasLtMatmulDesc_t(computeType=cublas.CUBLAS_COMPUTE_32F, scaleType=0)
    put = cublaslt.checked.cublasLtMatmulDescSetAttribute
    put(desc, cublaslt.CUBLASLT_MATMUL_DESC_EPILOGUE, cublaslt.CUBLASLT_EPILOGUE_RELU_BIAS)
    put(desc, cublaslt.CUBLASLT_MATMUL_DESC_BIAS_POINTER, arrays[2])
    handle, preference = cublaslt.cublasLtHandle_t(), cublaslt.cublasLtMatmulPreference_t()
    shapes = layout(64, 32), layout(32, 16), layout(64, 16)
    found = cublaslt.checked.cublasLtMatmulAlgoGetHeuristic(
        handle, desc, *shapes, shapes[2], preference, 4
    )
    cublaslt.checked.cublasLtMatmul(
        handle, desc, np.float32(1), arrays[0], shapes[0], arrays[1], shapes[1], np.float32(0),
        out, shapes[2], out, shapes[2], found[0].algo, room, room.nbytes, 0,
    )  # fmt: skip
    close(out.get(), np.maximum(a @ b + bias[:, None], 0), "f4")
