"""Calls of the stand-in; test_hipfft.py runs this file."""

from __future__ import annotations

import numpy as np
import pytest

from PyGPU import GPUError, hip, hipfft

run = hipfft.checked


def a_plan_is_destroyed_once() -> None:
    plan = hipfft.hipfftHandle()
    assert run.hipfftGetVersion() == 1
    assert not hipfft.hipfftSetStream(plan, hip.hipStream_t(0))
    del plan
    assert run.hipfftGetVersion() == 0
    plan = run.hipfftCreate()
    assert not hipfft.hipfftDestroy(plan)


def sizes_count_with_the_rank(plan) -> None:
    def made(n: list[int], inembed: list[int] | None):
        return hipfft.hipfftMakePlanMany(
            plan, 2, n, inembed, 1, 1, None, 1, 1, hipfft.HIPFFT_C2C, 3
        )

    assert made([4, 5], None) == (60, hipfft.HIPFFT_SUCCESS)
    assert made([4, 5], [1, 9]) == (60, hipfft.HIPFFT_SUCCESS)
    assert made([4, 5], [1, 8]) == (None, hipfft.HIPFFT_INVALID_VALUE)
    with pytest.raises(ValueError, match="inembed"):
        made([4, 5], [9])


def complex_arrays_go_in(plan) -> None:
    numbers, got = np.array([1 + 2j], np.complex64), np.zeros(1, np.complex64)
    assert not hipfft.hipfftExecC2C(plan, numbers, got, hipfft.HIPFFT_BACKWARD)
    assert got[0] == -1 - 2j
    assert not hipfft.hipfftExecC2C(plan, numbers, numbers, hipfft.HIPFFT_FORWARD)
    with pytest.raises(TypeError, match="odata"):
        hipfft.hipfftExecC2C(plan, numbers, b"read-only", hipfft.HIPFFT_FORWARD)
    with pytest.raises(GPUError, match="hipfftExecC2C: HIPFFT_INVALID_PLAN"):
        run.hipfftExecC2C(hipfft.hipfftHandle(0), numbers, got, hipfft.HIPFFT_FORWARD)


def descriptors_are_the_librarys_own(plan) -> None:
    """They go back by their address, not as a copy."""
    made = run.hipfftXtMalloc(plan, hipfft.HIPFFT_XT_FORMAT_INPUT)
    assert made.version == 7
    assert not hipfft.hipfftXtFree(made)
    assert hipfft.hipfftXtFree(made) == hipfft.HIPFFT_INVALID_VALUE


if __name__ == "__main__":
    a_plan_is_destroyed_once()
    only = hipfft.hipfftHandle()
    sizes_count_with_the_rank(only)
    complex_arrays_go_in(only)
    descriptors_are_the_librarys_own(only)
