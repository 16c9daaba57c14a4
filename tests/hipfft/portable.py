"""A program of cuFFT's names, on AMD's runtime and hipFFT; test_hipfft.py runs this file."""

from __future__ import annotations

import numpy as np

import PyGPU
from PyGPU import CUFFT_C2C, CUFFT_FORWARD, CUFFT_INVERSE, CUFFT_SUCCESS, checked

if __name__ == "__main__":
    plan = checked.cufftPlan1d(1, CUFFT_C2C, 1)
    assert not PyGPU.cufftSetStream(plan, PyGPU.cudaStream_t(0))
    numbers, got = np.array([1 + 2j], np.complex64), np.zeros(1, np.complex64)
    assert PyGPU.cufftExecC2C(plan, numbers, got, CUFFT_INVERSE) is CUFFT_SUCCESS
    assert got[0] == -1 - 2j
    checked.cufftExecC2C(plan, numbers, numbers, CUFFT_FORWARD)
    assert not PyGPU.cufftDestroy(plan)
    plan, err = PyGPU.cufftPlan1d(2, CUFFT_C2C, 1)
    assert plan is None and err == PyGPU.CUFFT_INVALID_VALUE
    assert not PyGPU.cufftDestroy(checked.cufftCreate())
