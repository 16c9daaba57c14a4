"""cuBLAS's names on AMD's library: one program, run on both stand-ins."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import PyGPU
from tests.own_interpreter import own_interpreter

A = np.arange(6).reshape(2, 3, order="F")
B = np.arange(12).reshape(4, 3, order="F")
EXPECTED = [[float(one) for one in (k * (A @ B.T)).ravel("F")] for k in (2, 1)]


@own_interpreter("on_amd")
def test_a_program_of_cublas_runs_on_hipblas() -> None:
    from tests.hipblas import portable

    assert PyGPU.backend == "hip"
    assert portable.cublasHandle_t is PyGPU.hipblas.hipblasHandle_t
    assert portable.run() == [*EXPECTED, [0 + 4 + 16]]
    assert PyGPU.CUBLAS_OP_T is PyGPU.hipblas.HIPBLAS_OP_T
    assert PyGPU.CUBLAS_OP_HERMITAN is PyGPU.hipblas.HIPBLAS_OP_C
    handle, err = PyGPU.cublasXtCreate()  # it has no counterpart
    assert handle is None and err is PyGPU.CUBLAS_STATUS_NOT_SUPPORTED
    assert not hasattr(PyGPU, "CUBLAS_GEMM_ALGO0")


def test_the_program_names_nothing_of_amd() -> None:
    assert "hip" not in (Path(__file__).parent / "portable.py").read_text().lower()
