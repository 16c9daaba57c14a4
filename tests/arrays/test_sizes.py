"""No shape, stride or size wraps around to one that fits."""

from __future__ import annotations

import ctypes

import pytest

FAR = 2**62

WRAPPING = {
    # The last element is 2**64 bytes away, which is 0 in 64 bits.
    "up": ((FAR + 1,), 4),
    "down": ((FAR + 1,), -4),
    "both ways": ((FAR + 1, FAR + 1), (1, -1)),
    "a sum": ((3, 3), (FAR, FAR)),
    "the last byte": ((2,), 2**63 - 1),
    "the other end": ((2,), -(2**63)),
}


@pytest.mark.parametrize(("shape", "strides"), WRAPPING.values(), ids=WRAPPING)
def test_strides_that_leave_the_address_space_are_refused(device, shape, strides):
    memory = device.zeros(64, "u1")
    for place in (memory, memory.gpudata, memory.ptr):
        with pytest.raises(ValueError, match=r"GPUArray\(\)"):
            device.GPUArray(shape, "u1", gpudata=place, strides=strides)
    with pytest.raises(ValueError, match=r"GPUArray\(\)"):
        device.GPUArray(shape, "u1", strides=strides)


def test_a_size_that_is_no_ones_is_refused_where_an_extent_of_0_hides_it(device):
    for shape in ((0, FAR), (FAR, 0, 2), (2**32, 2**31, 0)):
        with pytest.raises(ValueError, match="larger than any memory"):
            device.empty(shape, "f8")
        with pytest.raises(ValueError, match="cannot reshape"):
            device.empty(0, "f8").reshape(shape)
    with pytest.raises(ValueError, match="cannot reshape"):
        device.empty(0, "f8").reshape(-1, FAR)
    for shape in ((0, 2**40), (2**30, 0, 2**20)):
        assert device.empty(shape, "f8").reshape(shape[::-1]).get().shape == shape[::-1]


def test_views_stay_in_their_memory(device):
    a = device.arange(10)
    for shape, strides, offset in (
        ((11,), (8,), 0),
        ((10,), (8,), 8),
        ((2,), (-8,), 0),
        ((1,), (8,), -8),
        ((FAR + 1,), (4,), 0),
        ((1,), (8,), 2**63 - 1),
    ):
        with pytest.raises(ValueError, match="out of its memory"):
            a._view(shape, strides, offset, a.dtype)
    assert a._view((5,), (-16,), 72, a.dtype).get().tolist() == [9, 7, 5, 3, 1]


def test_memory_at_an_address_reaches_as_far_as_the_strides(device):
    a = device.arange(10)
    back = device.GPUArray(5, a.dtype, gpudata=a.ptr + 72, strides=-16)
    assert back.get().tolist() == [9, 7, 5, 3, 1]
    assert back[::-1][1:].get().tolist() == [3, 5, 7, 9]
    assert back.gpudata.size == 8
    again = device.GPUArray(2, a.dtype, gpudata=back.gpudata, strides=-64)
    assert again.get().tolist() == [9, 1]
    with pytest.raises(ValueError, match="has 64 bytes before"):
        device.GPUArray(3, a.dtype, gpudata=back.gpudata, strides=-64)


class Interface:
    """A device array of another library's, of any shape."""

    def __init__(self, address: int, *shape: int) -> None:
        self.__cuda_array_interface__ = {
            "data": (address, False),
            "shape": shape,
            "typestr": "<f8",
            "version": 3,
        }


def test_an_interface_with_no_elements_holds_nothing(device):
    a = device.zeros(4)
    for shape in ((0, FAR), (FAR, 0), (FAR, FAR, 0)):
        with pytest.raises(ValueError, match="8 needed, 0 given"):
            device.cudaMemset(Interface(a.ptr, *shape), 0, 8)
    # A length beyond all memory limits no call.
    assert not device.cudaMemset(Interface(a.ptr, FAR, FAR), 0, 8)


def test_the_host_runtime_refuses_copies_that_wrap(device):
    """These copies have 0 bytes in 64 bits: once they copied nothing and reported success."""
    if device.backend != "host":
        pytest.skip("of the host runtime alone")
    a, b = ctypes.create_string_buffer(64), ctypes.create_string_buffer(64)
    near, half = ctypes.addressof(a), 2**32
    kind = device.cudaMemcpyHostToHost
    assert device.cudaMemcpy2D(ctypes.addressof(b), half, near, half, half, half, kind) == 1
    flat = device.cudaPitchedPtr(ptr=near, pitch=half, xsize=half, ysize=0)
    box = device.cudaMemcpy3DParms(
        srcPtr=flat,
        dstPtr=device.cudaPitchedPtr(ptr=ctypes.addressof(b), pitch=half, xsize=half, ysize=0),
        extent=(half, 1, half),
        kind=kind,
    )
    assert device.cudaMemcpy3D(box) == 1
    there = device.zeros(64, "u1").ptr
    assert device.cudaMemset2D(there, half, 0, half, half) == 1
