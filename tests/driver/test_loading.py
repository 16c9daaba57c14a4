"""How libcuda is found, and what the API does without it."""

from __future__ import annotations

import pathlib
import sys
import warnings

import pytest

import PyGPU
from PyGPU import _libraries
from PyGPU._apis import APIS
from tests.own_interpreter import own_interpreter


@own_interpreter(PYGPU_CU_LIBRARY="/nowhere/libcuda.so.1")
def test_without_a_library_every_call_says_so():
    assert "PyGPU._cu" not in sys.modules  # imported on first use
    cu = PyGPU.cu
    with pytest.warns(RuntimeWarning, match="PYGPU_CU_LIBRARY names a library"):
        assert cu.cuInit(0) == cu.CUDA_ERROR_SHARED_OBJECT_INIT_FAILED == 303
    assert cu.cuDeviceGetCount() == (None, 303)
    assert cu.cuMemAlloc(16) == (None, 303)
    assert cu.CUDA_ERROR_OUT_OF_MEMORY.message == "out of memory"
    # PyPI has no package with it: libcuda comes with the driver.
    with pytest.raises(PyGPU.GPUError, match=r"cuDriverGetVersion.*let PYGPU_CU_LIBRARY .*=host "):
        cu.checked.cuDriverGetVersion()


@own_interpreter("with_both")
def test_the_drivers_release_is_in_force():
    """The file is libcuda.so.1 in every release: there is no warning about an old release."""
    from tests.standin.library import StandIn

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert PyGPU.cu.cuDriverGetVersion()[-1] == 0
    facts = _libraries.installed("cu")
    assert (facts["soname"], facts["release"]) == ("libcuda.so.1", "13.2")
    assert facts["missing"] == sorted(facts["missing"])
    assert "cuFabricCpyBatchAsync" in facts["missing"]  # added in 13.5
    assert PyGPU.cu.cuFabricCpyBatchAsync(0, [], 0, 0) == 302
    StandIn(pathlib.Path(facts["path"]))  # from now on it answers with its patterns
    # C gives the text through a pointer.
    assert PyGPU.cu.CUresult(1).message == "text of parameter 1"


@own_interpreter("with_11_8")
def test_an_older_driver_has_todays_forms():
    cu = PyGPU.cu
    assert cu.cuDriverGetVersion()[-1] == 0
    *_, status, err = cu.cuGetProcAddress("cuInit", 11080, 0)
    assert (status, err) == (None, 0)  # 11.8 doesn't report the status
    _, err = cu.cuCtxCreate(None, 0, 0)
    assert err == 0
    limits = cu.CUctxCreateParams(execAffinityParams=[{"type": 0}])
    assert cu.cuCtxCreate(limits, 0, 0)[-1] == 0
    assert cu.cuCtxCreate(cu.CUctxCreateParams(cigParams=1 << 20), 0, 0)[-1] == 801
    assert cu.cuLibraryUnload(None) == 302


@pytest.mark.parametrize(
    ("name", "is_it"),
    [
        ("libcuda.so.1", True),
        ("libcuda.so", True),
        ("libcuda.so.560.35.03", True),
        ("libcudart.so.13", False),
        ("libcudadebugger.so.1", False),
    ],
)
def test_names_of_the_library(name, is_it):
    assert APIS["cu"].library.matches(name) is is_it
