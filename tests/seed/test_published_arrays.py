"""The published round trip of a DeviceArray, as a user types it."""

from __future__ import annotations

import ctypes
import os

import pytest

import PyGPU
from tests.own_interpreter import own_interpreter

TWICE = """
extern "C" void twice(long *data) { for (int at = 0; at < 6; ++at) data[at] *= 2; }
"""

SPIN = """
extern "C" __global__ void twice_after(long long *data, long long cycles) {
    const long long start = clock64();
    while (clock64() - start < cycles) {}
    data[threadIdx.x] *= 2;
}
"""


def round_trip(fn):
    import numpy

    from PyGPU import DeviceArray_int64

    A = numpy.array([1, 2, 3, 4, 5, 6])  # noqa: N806 (as published)
    da = DeviceArray_int64(A)  # host_data() points to A
    da.allocate()  # memory on the device
    da.to_device()
    fn(da.device_data())  # any function on the device's data
    da.to_host()  # back into A
    assert A.tolist() == [2, 4, 6, 8, 10, 12]
    assert repr(da.last_status()) == "<cudaError: code=0>"
    assert da.host_data().get() == A.ctypes.data


@pytest.fixture
def twice(compile_library):
    return compile_library("libtwice.so", TWICE)


@own_interpreter(PYGPU_BACKEND="host")
def test_round_trip_with_a_ctypes_function_without_argtypes(twice):
    round_trip(ctypes.CDLL(twice).twice)


@pytest.mark.device
def test_round_trip_beside_a_kernel_that_spins(device):
    """Nothing synchronises explicitly: to_host() itself comes after the kernel."""
    if os.environ.get("PYGPU_BACKEND") == "host":
        pytest.skip("CuPy needs a GPU")
    cupy = pytest.importorskip("cupy")
    import numpy

    kernel = cupy.RawKernel(SPIN, "twice_after")
    kilohertz, _ = device.cudaDeviceGetAttribute(device.cudaDevAttrClockRate, 0)
    cycles = numpy.int64(kilohertz * 100)  # 100 ms

    def fn(pointer):
        kernel((1,), (6,), (numpy.uint64(int(pointer)), cycles))

    round_trip(fn)


def test_star_import_brings_the_arrays():
    names: dict[str, object] = {}
    exec("from PyGPU import *", names)
    for dtype in ["int16", "int32", "int64", "uint16", "uint32", "uint64", "float32", "float64"]:
        assert f"DeviceArray_{dtype}" in names
        assert f"pointer_wrapper_{dtype}" in names


@own_interpreter(PYGPU_BACKEND="host")
def test_the_address_is_whole_for_ctypes():
    """ctypes would cut an int to 32 bits where a function has no argtypes."""
    da = PyGPU.DeviceArray_uint8(8)
    assert not da.allocate()
    for one in (da.device_data(), da.host_data(), da):
        assert isinstance(one._as_parameter_, ctypes.c_void_p)
    ctypes.CDLL(None).memset(da, 7, 8)
    assert not da.to_host()
    assert bytes(da.host_data()) == bytes([7] * 8)
