"""The real library: what it does without a GPU."""

from __future__ import annotations

import pytest

import PyGPU
from tests.own_interpreter import own_interpreter


def test_the_version_is_a_number_and_three_parts(cusolver):
    version, err = cusolver.cusolverGetVersion()
    assert not err
    parts = [cusolver.checked.cusolverGetProperty(one) for one in range(3)]
    assert version == parts[0] * 1000 + parts[1] * 100 + parts[2]


def test_settings_are_kept_where_there_is_no_gpu(cusolver):
    checked = cusolver.checked
    with cusolver.cusolverDnIRSParams_t() as params:
        checked.cusolverDnIRSParamsSetMaxIters(params, 9)
        assert checked.cusolverDnIRSParamsGetMaxIters(params) == 9
        lowest = cusolver.CUSOLVER_R_16F
        assert not cusolver.cusolverDnIRSParamsSetSolverLowestPrecision(params, lowest)
    with cusolver.syevjInfo_t() as info:
        assert not cusolver.cusolverDnXsyevjSetTolerance(info, 1e-7)
        assert not cusolver.cusolverDnXsyevjSetMaxSweeps(info, 15)
        assert not cusolver.cusolverDnXsyevjSetSortEig(info, 0)
    assert not info


def test_a_handle_needs_a_gpu_and_says_so(cusolver, has_device):
    if has_device:
        with cusolver.cusolverDnHandle_t() as handle:
            assert handle
        return
    handle, err = cusolver.cusolverDnCreate()
    assert handle is None
    assert err in (
        cusolver.CUSOLVER_STATUS_NOT_INITIALIZED,
        cusolver.CUSOLVER_STATUS_INTERNAL_ERROR,
    )
    with pytest.raises(PyGPU.GPUError, match="cusolverDnCreate: CUSOLVER_STATUS_"):
        cusolver.cusolverDnHandle_t()


@own_interpreter(PYGPU_CUSOLVER_LIBRARY="/nowhere/libcusolver.so.12")
def test_without_a_library_every_call_says_so():
    cusolver = PyGPU.cusolver
    with pytest.warns(RuntimeWarning, match="PYGPU_CUSOLVER_LIBRARY"):
        handle, err = cusolver.cusolverDnCreate()
    assert handle is None
    assert err is cusolver.cusolverStatus_t.PYGPU_ERROR_LIBRARY_NOT_FOUND
    with pytest.raises(PyGPU.GPUError, match="no libcusolver was found; pip install nvidia-cusolv"):
        cusolver.cusolverDnHandle_t()
