"""What C gets and gives, on the stand-in."""

from __future__ import annotations

import ctypes
import gc
import os
import sys

import numpy as np
import pytest

import PyGPU
from tests.own_interpreter import own_interpreter


def standin(name: str) -> int:
    """What the stand-in has noted."""
    function = getattr(ctypes.CDLL(os.environ["PYGPU_NVJPEG_LIBRARY"]), name)
    function.restype = ctypes.c_void_p
    return function() or 0


@own_interpreter("on_standin")
def test_the_bitstream_comes_back_whole():
    """Its length is asked for. On the device the caller's memory is as long as it says."""
    nvjpeg = PyGPU.nvjpeg
    assert nvjpeg.checked.nvjpegEncodeRetrieveBitstream(None, None, None) == b"a bitstream"
    short = nvjpeg.nvjpegEncodeRetrieveBitstream(None, None, None, length=4)
    assert short == (None, nvjpeg.NVJPEG_STATUS_INVALID_PARAMETER)
    retrieve = nvjpeg.checked.nvjpegEncodeRetrieveBitstreamDevice
    assert retrieve(None, None, None, 0, None) == 11
    array = PyGPU.zeros(16, "uint8")
    assert retrieve(None, None, array, 16, None) == 11
    assert bytes(array.get()[:12]) == b"a bitstream\0"
    with pytest.raises(ValueError, match="'data' is too short: 17 needed, 16 given"):
        retrieve(None, None, array, 17, None)


@own_interpreter("on_standin")
def test_a_batch_has_memory_for_each_image():
    nvjpeg = PyGPU.nvjpeg
    assert not nvjpeg.nvjpegDecodeBatchedInitialize(None, None, 2, 1, nvjpeg.NVJPEG_OUTPUT_Y)
    planes = [PyGPU.zeros(8, "uint8") for _ in range(2)]
    images = [nvjpeg.nvjpegImage_t(channel=[plane], pitch=[8]) for plane in planes]
    assert not nvjpeg.nvjpegDecodeBatched(None, None, [b"\x07ab", b"\x09"], [3, 1], images, None)
    assert standin("standin_total") == 4
    assert [plane.get().tolist() for plane in planes] == [[7] * 8, [9] * 8]
    with pytest.raises(ValueError, match=r"'data\[1\]' is too short: 2 needed, 1 given"):
        nvjpeg.nvjpegDecodeBatched(None, None, [b"\x07ab", b"\x09"], [3, 2], images, None)


@own_interpreter("on_standin")
def test_image_information_has_four_planes():
    info = PyGPU.nvjpeg.checked.nvjpegGetImageInfo(None, b"abc", 3)
    assert info == (3, PyGPU.nvjpeg.NVJPEG_CSS_420, [64, 32, 32, 0], [48, 24, 24, 0])
    with pytest.raises(ValueError, match="'data' is too short"):
        PyGPU.nvjpeg.nvjpegGetImageInfo(None, b"abc", 4)


@own_interpreter("on_standin")
def test_what_c_keeps_is_the_callers():
    """A bitstream and an allocator are no copies: C may look at them after the call."""
    nvjpeg = PyGPU.nvjpeg
    bitstream = np.frombuffer(b"abcd", "u1")
    assert not nvjpeg.nvjpegJpegStreamParse(None, bitstream, 4, False, True, None)
    assert standin("standin_kept") == bitstream.ctypes.data
    assert standin("standin_total") == 5
    allocator = nvjpeg.nvjpegDevAllocator_t()
    handle = nvjpeg.nvjpegHandle_t(backend=0, dev_allocator=allocator, flags=0)
    assert standin("standin_kept") == allocator.address
    with pytest.raises(TypeError, match="'dev_allocator' must be a nvjpegDevAllocator_t"):
        nvjpeg.nvjpegCreateEx(0, {"dev_malloc": 1}, None, 0)
    del handle
    gc.collect()
    assert standin("standin_gone") == 1
    assert nvjpeg.nvjpegHandle_t(backend=0, flags=0)


@own_interpreter("on_standin")
def test_a_handle_keeps_those_that_it_was_created_with():
    """C needs the library's handle to end a state, whatever Python lets go first."""
    nvjpeg = PyGPU.nvjpeg
    handle = nvjpeg.nvjpegHandle_t(backend=nvjpeg.NVJPEG_BACKEND_DEFAULT, flags=0)
    others = sys.getrefcount(handle)
    state = nvjpeg.nvjpegJpegState_t(handle=handle)
    assert sys.getrefcount(handle) == others + 1
    del state
    assert sys.getrefcount(handle) == others
