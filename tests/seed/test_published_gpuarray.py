"""GPUArray's published examples, as written; on a GPU or the host runtime."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest


def test_send_a_numpy_array(device):
    import PyGPU as gpuarray

    k = np.array([1, 2, 3, 4, 5, 6])
    k_gpu = gpuarray.to_gpu(k)
    k[0] = 99
    assert k_gpu.get()[0] == 1


@pytest.mark.parametrize(
    "complex_dtype", [np.complex64, "complex64", complex, np.dtype("complex128")]
)
def test_allocate_and_fetch(device, complex_dtype):
    import PyGPU as gpuarray

    fk_gpu = gpuarray.GPUArray((3, 3, 3), dtype=complex_dtype)
    fk = fk_gpu.get()
    assert fk.shape == (3, 3, 3)
    assert fk.dtype == np.dtype(complex_dtype)


def test_the_address_reaches_ctypes_whole(device):
    import PyGPU as gpuarray

    a = gpuarray.to_gpu(np.arange(6.0))
    identity = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(lambda pointer: pointer)
    assert identity(a) == a.ptr
    assert identity(a.device_data()) == a.ptr


def test_in_the_place_of_pycudas_module(device):
    import PyGPU.gpuarray as gpuarray
    from PyGPU import gpuarray as same

    assert same is gpuarray
    a = gpuarray.to_gpu(np.ones((2, 2), np.float32))
    b = gpuarray.zeros_like(a)
    b[...] = a[:, ::-1]
    assert (b.get() == 1).all()
