"""A test suite of somebody's, which knows nothing of PyGPU."""

import ctypes
import os


def test_devices():
    count = ctypes.c_int()
    assert ctypes.CDLL("libcudart.so.12").cudaGetDeviceCount(ctypes.byref(count)) == 0
    assert count.value == 2


def test_children():
    assert "libcuda.so.1" in os.environ["LD_PRELOAD"]
