"""Pointer and handle fields: what they take, and what they keep alive."""

from __future__ import annotations

import copy
import ctypes
import gc
import pickle
import weakref

import pytest

from PyGPU import cuda, hip


class Memory(bytearray):
    """A buffer whose end can be seen."""


class Device:
    """An array on a device, as other packages show it."""

    def __init__(self, pointer: int) -> None:
        interface = {"data": (pointer, False), "shape": (4,), "typestr": "|u1", "version": 3}
        self.__cuda_array_interface__ = interface


def address_of(memory: bytearray) -> int:
    return ctypes.addressof(ctypes.c_char.from_buffer(memory))


def test_what_a_pointer_takes() -> None:
    made = cuda.cudaPitchedPtr(ptr=4096)
    assert made.ptr == 4096
    made.ptr = None
    assert made.ptr == 0
    memory = bytearray(8)
    made.ptr = memory
    assert made.ptr == address_of(memory)
    made.ptr = Device(0x7000)
    assert made.ptr == 0x7000
    cell = ctypes.c_int(3)
    made.ptr = ctypes.pointer(cell)
    assert made.ptr == ctypes.addressof(cell)
    extent = cuda.cudaExtent()
    made.ptr = extent
    assert made.ptr == extent.address
    with pytest.raises(OverflowError, match=r"cudaPitchedPtr\.ptr = -1"):
        made.ptr = -1
    with pytest.raises(TypeError, match=r"cudaPitchedPtr\.ptr must be an address"):
        made.ptr = cuda.cudaStream_t(1)
    with pytest.raises(TypeError, match=r"cudaPitchedPtr\.ptr must be an address"):
        made.ptr = "memory"
    assert made.ptr == extent.address


def test_buffers_are_kept_as_long_as_they_are_pointed_to() -> None:
    memory = Memory(16)
    ended = weakref.ref(memory)
    made = cuda.cudaMemcpy3DParms(srcPtr=(memory, 4, 4, 4))
    with pytest.raises(BufferError):
        memory.extend(b"more")  # exported memory can't move
    del memory
    gc.collect()
    assert ended() is not None
    other = copy.copy(made)
    pointer = made.srcPtr
    made.srcPtr = {}
    gc.collect()
    assert ended() is not None  # the copy points there too
    pointer.ptr = other.srcPtr.ptr  # now it is only an address
    other.dstPtr = other.srcPtr
    other.srcPtr.ptr = None
    gc.collect()
    assert ended() is not None
    other.dstPtr.ptr = 0
    gc.collect()
    assert ended() is None


def test_an_owned_handle_is_kept() -> None:
    stream = cuda.cudaStream_t(0x5000)
    config = cuda.cudaLaunchConfig_t(stream=stream)
    assert config.stream == stream
    assert isinstance(config.stream, cuda.cudaStream_t)
    config.stream = None
    assert not config.stream
    config.stream = 0x6000
    assert int(config.stream) == 0x6000
    with pytest.raises(TypeError, match=r"cudaLaunchConfig_t\.stream must be a cudaStream_t"):
        config.stream = cuda.cudaEvent_t(0x5000)


def test_sequences_fill_counted_arrays() -> None:
    attribute = cuda.cudaLaunchAttribute(
        id=cuda.cudaLaunchAttributePriority, val=cuda.cudaLaunchAttributeValue(priority=4)
    )
    config = cuda.cudaLaunchConfig_t(attrs=[attribute, {"id": 2, "val": {"cooperative": 1}}])
    assert config.numAttrs == 2
    gc.collect()
    first = cuda.cudaLaunchAttribute.from_address(config.attrs, config)
    assert first == attribute
    second = int(config.attrs) + cuda.cudaLaunchAttribute.sizeof
    assert cuda.cudaLaunchAttribute.from_address(second, config).val.cooperative == 1
    config.numAttrs = 1
    with pytest.raises(ValueError, match=r"cudaLaunchConfig_t\.numAttrs = 3, but 'attrs' has 2"):
        config.numAttrs = 3
    with pytest.raises(ValueError, match="but 'attrs' has 1"):
        cuda.cudaLaunchConfig_t(numAttrs=2, attrs=[attribute])
    with pytest.raises(TypeError, match=r"cudaLaunchConfig_t\.attrs\[1\] must be a cudaLaunchAttr"):
        config.attrs = [attribute, 3]
    assert config.numAttrs == 1
    config.attrs = []
    assert (config.attrs, config.numAttrs) == (0, 0)
    config.attrs = second  # for an address the caller keeps the memory and the count right
    config.numAttrs = 17
    semaphores = hip.hipExternalSemaphoreWaitNodeParams(extSemArray=[0x1000, 0x2000])
    assert semaphores.numExtSems == 2
    address = int(semaphores.extSemArray)
    assert list((ctypes.c_uint64 * 2).from_address(address)) == [0x1000, 0x2000]


def test_pickles_refuse_addresses() -> None:
    for made, path in (
        (cuda.cudaPitchedPtr(ptr=0x7000), "cudaPitchedPtr.ptr"),
        (cuda.cudaMemcpy3DParms(srcPtr={"ptr": 0x7000}), "cudaMemcpy3DParms.srcPtr.ptr"),
        (cuda.cudaLaunchConfig_t(stream=0x7000), "cudaLaunchConfig_t.stream"),
    ):
        with pytest.raises(TypeError, match=f"{path} is an address"):
            pickle.dumps(made)
    # The special streams mean the same everywhere. In a union a small number is just a number.
    for made in (
        cuda.cudaLaunchConfig_t(stream=1),
        cuda.cudaLaunchAttribute(id=2, val={"cooperative": 1}),
    ):
        assert pickle.loads(pickle.dumps(made)) == made
