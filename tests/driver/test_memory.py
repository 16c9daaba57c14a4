"""C types device addresses as numbers. PyGPU takes them as pointers, and checks lengths."""

from __future__ import annotations

import ctypes

import pytest

import PyGPU
from tests.own_interpreter import own_interpreter


@own_interpreter("with_both")
def test_a_short_buffer_is_refused():
    cu = PyGPU.cu
    place, short = 1 << 20, bytearray(15)
    for call in (
        lambda: cu.cuMemcpyHtoD(place, short, 16),
        lambda: cu.cuMemcpyDtoH(short, place, 16),
        lambda: cu.cuMemcpyDtoD(short, place, 16),
        lambda: cu.cuMemsetD32(short, 0, 4),
        lambda: cu.cuMemsetD2D16(short, 10, 0, 3, 2),
        lambda: cu.cuStreamWriteValue64(0, bytearray(7), 1, 0),
        lambda: cu.cuMemcpyBatchAsync([short], [place], [16], 1, [], [], 0, 0),
    ):
        with pytest.raises(ValueError, match=r"needs (16|8) bytes|needed"):
            call()
    assert cu.cuMemcpyHtoD(place, bytes(16), 16) == 0
    with pytest.raises(TypeError):  # C writes to the first argument
        cu.cuMemcpyDtoH(bytes(16), place, 16)


@own_interpreter("with_both")
def test_fields_that_are_addresses():
    cu = PyGPU.cu
    memory = bytearray(64)
    copy = cu.CUDA_MEMCPY2D(
        srcMemoryType=cu.CU_MEMORYTYPE_HOST, srcHost=bytes(64), srcPitch=16,
        dstMemoryType=cu.CU_MEMORYTYPE_DEVICE, dstDevice=memory, dstPitch=16,
        WidthInBytes=16, Height=4,
    )  # fmt: skip
    assert copy.dstDevice == ctypes.addressof(ctypes.c_char.from_buffer(memory))
    assert cu.cuMemcpy2D(copy) == 0
    copy.Height = 5
    with pytest.raises(ValueError, match="srcHost"):
        cu.cuMemcpy2D(copy)
    copy.srcHost = bytes(80)
    with pytest.raises(ValueError, match="dstDevice"):
        cu.cuMemcpy2D(copy)
    copy.dstMemoryType = cu.CU_MEMORYTYPE_HOST  # now dstHost is the one in use
    assert cu.cuMemcpy2D(copy) == 0


@own_interpreter("with_both")
def test_strides_lie_between_dimensions():
    cu = PyGPU.cu
    given = {
        "tensorDataType": 0,
        "tensorRank": 3,
        "globalAddress": 1 << 20,
        "globalDim": [4, 4, 4],
        "boxDim": [1, 1, 1],
        "elementStrides": [1, 1, 1],
        **dict.fromkeys(("interleave", "swizzle", "l2Promotion", "oobFill"), 0),
    }
    tensor, err = cu.cuTensorMapEncodeTiled(**given, globalStrides=[16, 64])
    assert err == 0
    assert tensor.address % 64 == 0  # the header's alignment
    with pytest.raises(ValueError, match="globalStrides"):
        cu.cuTensorMapEncodeTiled(**given, globalStrides=[16])


@own_interpreter("with_both")
def test_no_granularity_is_no_division():
    *_, err = PyGPU.cu.cuMemGetLocationInfo(1 << 20, 1 << 20, 0, 0)
    assert err == 302  # added in 13.4
