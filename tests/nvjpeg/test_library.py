"""The real library without a GPU, and the API without a library."""

from __future__ import annotations

import pytest

import PyGPU
from tests.own_interpreter import own_interpreter


def test_the_version_is_that_of_the_library(nvjpeg):
    major, minor, patch = (nvjpeg.checked.nvjpegGetProperty(part) for part in range(3))
    assert major in (12, 13)
    assert (minor, patch) >= (0, 0)
    assert nvjpeg.nvjpegGetProperty(3) == (None, nvjpeg.NVJPEG_STATUS_INVALID_PARAMETER)
    assert nvjpeg.checked.nvjpegGetCudartProperty(0) == major


def test_without_a_driver_there_is_no_handle(nvjpeg, has_device):
    if has_device:
        pytest.skip("there is a GPU")
    handle, err = nvjpeg.nvjpegCreateSimple()
    assert (handle, bool(err)) == (None, True)
    with pytest.raises(PyGPU.GPUError, match="nvjpegCreateEx: NVJPEG_STATUS_"):
        nvjpeg.nvjpegHandle_t(backend=nvjpeg.NVJPEG_BACKEND_DEFAULT, flags=0)


def test_without_a_handle_calls_fail_in_c(nvjpeg):
    invalid = nvjpeg.NVJPEG_STATUS_INVALID_PARAMETER
    assert nvjpeg.nvjpegGetImageInfo(None, b"abc", 3) == (None, None, None, None, invalid)
    assert nvjpeg.nvjpegJpegStreamCreate(None) == (None, invalid)
    assert nvjpeg.nvjpegJpegStreamParse(None, b"abc", 3, False, False, None) is invalid
    image = {"channel": [bytearray(4)], "pitch": [2]}
    assert nvjpeg.nvjpegDecode(None, None, b"abc", 3, nvjpeg.NVJPEG_OUTPUT_Y, image, None)
    assert invalid.message == "status invalid parameter"


@own_interpreter(PYGPU_NVJPEG_LIBRARY="/nowhere/libnvjpeg.so.13")
def test_without_a_library_every_call_says_so():
    nvjpeg = PyGPU.nvjpeg
    with pytest.warns(RuntimeWarning, match="PYGPU_NVJPEG_LIBRARY"):
        value, err = nvjpeg.nvjpegGetProperty(0)
    assert value is None
    assert err is nvjpeg.nvjpegStatus_t.PYGPU_ERROR_LIBRARY_NOT_FOUND
    with pytest.raises(PyGPU.GPUError, match="no libnvjpeg was found; pip install nvidia-nvjpeg"):
        nvjpeg.nvjpegHandle_t(backend=0, flags=0)
