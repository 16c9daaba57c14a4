"""Arrays, memory and handles as arguments of C functions, with ctypes and cffi."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from tests.conftest import required

LIBRARY = ctypes.CDLL(None)
TYPES = {
    "?": ctypes.c_bool, "f4": ctypes.c_float, "f8": ctypes.c_double,
    "i1": ctypes.c_int8, "i2": ctypes.c_int16, "i4": ctypes.c_int32, "i8": ctypes.c_int64,
    "u1": ctypes.c_uint8, "u2": ctypes.c_uint16, "u4": ctypes.c_uint32, "u8": ctypes.c_uint64,
}  # fmt: skip
NUMBERS = list(TYPES.values())


def passed(argument, *argtypes):
    """The address that a C function received: memcpy() returns it."""
    function = LIBRARY["memcpy"]
    function.restype = ctypes.c_void_p
    if argtypes:
        function.argtypes = (*argtypes, ctypes.c_void_p, ctypes.c_size_t)
    return function(argument, ctypes.c_void_p(1), ctypes.c_size_t(0))


@pytest.mark.parametrize("dtype", TYPES)
def test_arrays_go_as_pointers_to_their_elements(device, dtype):
    a = device.zeros((2, 3), dtype)
    typed = getattr(device, f"DeviceArray_{np.dtype(dtype).name}")([4])
    assert typed.allocate() == 0
    pointer = typed.device_data()
    for array, address in (
        (a, a.ptr),
        (a[1], a[1].ptr),
        (typed, int(pointer)),
        (pointer, int(pointer)),
    ):
        assert passed(array) == address
        assert passed(array, ctypes.c_void_p) == address
        assert passed(array, ctypes.POINTER(TYPES[dtype])) == address
        other = ctypes.c_double if dtype != "f8" else ctypes.c_float
        with pytest.raises(ctypes.ArgumentError):
            passed(array, ctypes.POINTER(other))


def test_memory_goes_as_a_pointer_to_any_number(device):
    for memory in (
        device.DeviceMemory(64),
        device.HostMemory(64),
        device.zeros(4, "c8"),
        device.zeros(4, "f2"),
    ):
        address = memory.ptr if isinstance(memory, device.GPUArray) else int(memory)
        assert passed(memory) == passed(memory, ctypes.c_void_p) == address
        for number in NUMBERS:
            assert passed(memory, ctypes.POINTER(number)) == address


def test_nothing_goes_as_null(device):
    for nothing in (device.DeviceMemory(0), device.empty(0, "f4"), device.empty(0, "c8")):
        assert nothing._as_parameter_.value is None
        assert passed(nothing) is None
        assert passed(nothing, ctypes.c_void_p) is None
        assert passed(nothing, ctypes.POINTER(ctypes.c_float)) is None


def test_handles_go_as_addresses(device):
    event = device.Event().record()
    for handle in (device.Stream(), event, device.cudaStream_t(), device.cudaEvent_t()):
        assert passed(handle) == passed(handle, ctypes.c_void_p) == int(handle) != 0


def test_a_function_of_c_reads_the_elements(device):
    if device.backend != "host":
        pytest.skip("the CPU reads")
    a = device.to_gpu(np.arange(1000, dtype="f4"))
    device.wait(a)
    same = LIBRARY["memcmp"]
    same.argtypes = ctypes.POINTER(ctypes.c_float), ctypes.c_void_p, ctypes.c_size_t
    assert same(a, np.arange(1000, dtype="f4").ctypes.data, 4000) == 0
    assert same(a, np.ones(1000, dtype="f4").ctypes.data, 4000) != 0


def test_cffi_casts_the_address(device):
    cffi = required("cffi")
    ffi = cffi.FFI()
    ffi.cdef("void *memcpy(void *to, const void *from, size_t size);")
    library = ffi.dlopen(None)
    a, memory, pinned = device.zeros(3, "f4"), device.DeviceMemory(8), device.HostMemory(8)
    for argument, address in (
        (ffi.cast("float *", a.ptr), a.ptr),
        (ffi.cast("void *", int(memory)), int(memory)),
        (ffi.cast("void *", memory), int(memory)),
        (ffi.cast("void *", pinned), int(pinned)),
        (ffi.cast("void *", a.gpudata), a.ptr),
        (ffi.from_buffer("float[]", pinned), int(pinned)),
    ):
        got = library.memcpy(argument, ffi.cast("void *", 1), 0)
        assert int(ffi.cast("uintptr_t", got)) == address
    with pytest.raises(TypeError):
        library.memcpy(a, a, 0)
