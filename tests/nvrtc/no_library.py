"""What test_loading.py runs where no libnvrtc is to be had."""

import warnings

import pytest

import PyGPU

nvrtc = PyGPU.nvrtc
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    major, minor, err = nvrtc.nvrtcVersion()
assert [
    "PYGPU_NVRTC_LIBRARY names a library that cannot be used" in str(one.message) for one in said
]
assert (major, minor) == (None, None)
assert err == 303
assert str(err) == "PYGPU_ERROR_LIBRARY_NOT_FOUND: library not found"
assert err is nvrtc.nvrtcResult.PYGPU_ERROR_LIBRARY_NOT_FOUND
assert nvrtc.nvrtcGetPTX(1 << 20) == (None, 303)
assert nvrtc.nvrtcGetSupportedArchs() == (None, 303)
assert nvrtc.nvrtcCompileProgram(None, 1, ["-w"]) == 303
assert nvrtc.nvrtcDestroyProgram(None) == 303
assert nvrtc.nvrtcGetErrorString(3) == "invalid input"
assert nvrtc.NVRTC_ERROR_INVALID_INPUT.message == "invalid input"
assert nvrtc.NVRTC_SUCCESS.message == "success"
assert nvrtc.nvrtcResult(77).name == "nvrtcResult(77)"
with pytest.raises(PyGPU.GPUError, match="no libnvrtc was found; pip install nvidia-cuda-nvrtc"):
    nvrtc.checked.nvrtcVersion()
with pytest.raises(PyGPU.GPUError, match="PYGPU_ERROR_LIBRARY_NOT_FOUND"):
    nvrtc.nvrtcProgram(src="")
