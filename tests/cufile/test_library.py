"""The real library: what it does without a GPU."""

from __future__ import annotations

import pytest

import PyGPU
from tests.own_interpreter import own_interpreter


@own_interpreter("real")
def test_settings_are_kept_where_there_is_no_gpu():
    cufile = PyGPU.cufile
    call = cufile.checked
    assert call.cuFileGetVersion() // 1000 == 1
    which = cufile.CUFILE_PARAM_PROPERTIES_MAX_DIRECT_IO_SIZE_KB
    call.cuFileSetParameterSizeT(which, 4096)
    assert call.cuFileGetParameterSizeT(which) == 4096
    which = cufile.CUFILE_PARAM_PROPERTIES_ALLOW_COMPAT_MODE
    for value in (True, False):
        call.cuFileSetParameterBool(which, value)
        assert call.cuFileGetParameterBool(which) is value
    call.cuFileSetParameterString(cufile.CUFILE_PARAM_LOG_DIR, "/tmp")
    assert call.cuFileGetParameterString(cufile.CUFILE_PARAM_LOG_DIR) == "/tmp"
    value, err = cufile.cuFileGetParameterSizeT(999)
    assert (value, err) == (None, cufile.CU_FILE_INVALID_VALUE)
    with pytest.raises(PyGPU.GPUError, match="cuFileGetParameterSizeT: CU_FILE_INVALID_VALUE"):
        call.cuFileGetParameterSizeT(999)
    assert cufile.cuFileUseCount() == 0


@own_interpreter("real")
def test_properties_need_no_driver_or_say_which_code_it_gave():
    cufile = PyGPU.cufile
    properties, err = cufile.cuFileDriverGetProperties()
    if err:
        assert properties is None
        assert err == cufile.CU_FILE_CUDA_DRIVER_ERROR
        assert err.detail is PyGPU.cu.CUresult.CUDA_ERROR_NOT_INITIALIZED
        assert "CUDA_ERROR_NOT_INITIALIZED" in str(err)
    else:
        assert properties.nvfs.max_direct_io_size >= 0


@own_interpreter(PYGPU_CUFILE_LIBRARY="/nowhere/libcufile.so.0")
def test_without_a_library_every_call_says_so():
    cufile = PyGPU.cufile
    with pytest.warns(RuntimeWarning, match="PYGPU_CUFILE_LIBRARY"):
        version, err = cufile.cuFileGetVersion()
    assert version is None
    assert err is cufile.CUfileOpError.PYGPU_ERROR_LIBRARY_NOT_FOUND
    with pytest.raises(PyGPU.GPUError, match="no libcufile was found; pip install nvidia-cufile"):
        cufile.cuFileRead(None, bytearray(4), 4, 0, 0)
