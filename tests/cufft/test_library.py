"""The real library without a GPU, and the API without a library."""

from __future__ import annotations

import numpy as np
import pytest

import PyGPU
from tests.own_interpreter import own_interpreter


def test_the_version_is_that_of_the_library(cufft):
    number, err = cufft.cufftGetVersion()
    assert not err
    parts = [cufft.checked.cufftGetProperty(part) for part in range(3)]
    assert parts[0] * 1000 + parts[1] * 100 + parts[2] == number


def test_no_plan_is_an_invalid_plan(cufft):
    """Numbers of plans that don't exist are refused by C, each with its own code."""
    work = np.zeros(1, "u8")
    assert cufft.cufftMakePlan1d(1 << 20, 16, cufft.CUFFT_C2C, 1, work) == 1
    assert cufft.cufftXtQueryPlan(1 << 20, 0) == (None, cufft.CUFFT_INVALID_PLAN)
    with pytest.raises(PyGPU.GPUError, match="CUFFT_INVALID_PLAN") as told:
        cufft.checked.cufftExecC2C(1 << 20, None, None, cufft.CUFFT_FORWARD)
    assert told.value.error is cufft.CUFFT_INVALID_PLAN


@own_interpreter(PYGPU_CUFFT_LIBRARY="/nowhere/libcufft.so.12")
def test_without_a_library_every_call_says_so():
    cufft = PyGPU.cufft
    with pytest.warns(RuntimeWarning, match="PYGPU_CUFFT_LIBRARY"):
        plan, err = cufft.cufftPlan1d(16, cufft.CUFFT_C2C, 1)
    assert plan is None
    assert err is cufft.cufftResult.PYGPU_ERROR_LIBRARY_NOT_FOUND
    with pytest.raises(PyGPU.GPUError, match="no libcufft was found; pip install nvidia-cufft"):
        cufft.checked.cufftDestroy(1)
