"""cuSOLVER's names on AMD's library: one program, run on both stand-ins."""

from __future__ import annotations

import os
from ctypes import CDLL
from pathlib import Path

import numpy as np

import PyGPU
from tests.own_interpreter import own_interpreter


def check(results: list[np.ndarray]) -> None:
    from tests.hipsolver import portable

    matrix = portable.MATRIX
    due = (portable.DUE, np.linalg.eigvalsh(matrix), np.linalg.cholesky(matrix))
    assert all(np.allclose(one, other) for one, other in zip(results, due, strict=True))


@own_interpreter("on_nvidia")
def test_the_program_runs_on_cusolver() -> None:
    from tests.hipsolver import portable

    assert portable.cusolverDnHandle_t is PyGPU.cusolver.cusolverDnHandle_t
    check(portable.run())


@own_interpreter("on_amd")
def test_the_program_runs_on_hipsolver() -> None:
    from tests.hipsolver import portable

    assert PyGPU.backend == "hip"
    assert portable.cusolverDnHandle_t is PyGPU.hipsolver.hipsolverHandle_t
    check(portable.run())
    assert CDLL(os.environ["PYGPU_HIPSOLVER_LIBRARY"]).standin_made() == 0
    assert PyGPU.CUSOLVER_EIG_RANGE_V is PyGPU.hipsolver.HIPSOLVER_EIG_RANGE_V
    assert PyGPU.CUSOLVERRF_MATRIX_FORMAT_CSC is PyGPU.hipsolver.HIPSOLVERRF_MATRIX_FORMAT_CSC
    # These have no counterpart, or one of another shape.
    version, err = PyGPU.cusolverGetVersion()
    assert version is None and err is PyGPU.CUSOLVER_STATUS_NOT_SUPPORTED
    assert PyGPU.cusolverSpDcsrlsvqr(*[None] * 12) is PyGPU.CUSOLVER_STATUS_NOT_SUPPORTED
    assert not hasattr(PyGPU, "CUSOLVER_INF_NORM")


def test_the_program_names_nothing_of_amd() -> None:
    assert "hip" not in (Path(__file__).parent / "portable.py").read_text().lower()
