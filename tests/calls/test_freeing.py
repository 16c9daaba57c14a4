"""Calls that free memory refuse memory that PyGPU's objects own."""

from __future__ import annotations

import ctypes
import gc

import numpy as np
import pytest

import PyGPU
import PyGPU as gpuarray
from PyGPU import cuda, hip
from tests.own_interpreter import own_interpreter


@own_interpreter(PYGPU_BACKEND="host")
def test_what_an_object_owns_is_no_call_s_to_free() -> None:
    array = gpuarray.zeros(1000, np.float32)
    typed = PyGPU.DeviceArray_float32(np.ones(10, np.float32))
    typed.allocate(), typed.to_device()
    pinned = PyGPU.pagelocked_zeros(100, np.float32)
    managed = PyGPU.managed_zeros(100, np.float32)
    address = cuda.cudaMalloc(64)[0]

    class Own:
        def __init__(self):
            self.ptr = cuda.cudaMalloc(64)[0]

    owned = [
        array,
        array[10:],
        array.gpudata,
        typed,
        typed.device_data(),
        gpuarray.GPUArray(16, np.int8, gpudata=Own()),
        pinned,
        pinned[3:],
        pinned.reshape(10, 10).T,
        memoryview(pinned),
        pinned.base,
        managed,
        gpuarray.GPUArray(8, np.int8, allocator=lambda size: Own()),
    ]
    stream = PyGPU.cudaStream_t()
    frees = [
        cuda.cudaFree,
        cuda.cudaFreeHost,
        lambda it: cuda.cudaFreeAsync(it, stream),
        hip.hipFree,
        hip.hipFreeHost,
        hip.hipHostFree,
        lambda it: hip.hipFreeAsync(it, 0),
        lambda it: hip.hipMemUnmap(it, 1),
        lambda it: hip.hipMemAddressFree(it, 1),
        lambda it: cuda.cudaGraphAddMemFreeNode(0, None, 0, it),
        lambda it: cuda.cudaMemFreeNodeParams(dptr=it),
        lambda it: cuda.cudaGraphAddNode(0, None, None, 0, {"type": 11, "free": {"dptr": it}}),
        PyGPU.checked.cudaFree,
    ]
    for it in owned:
        for free in frees:
            with pytest.raises(TypeError) as raised:
                free(it)
            assert "memory that PyGPU owns" in str(raised.value)
            assert "free()" in str(raised.value) and "del" in str(raised.value)
    assert (array.get() == 0).all() and (pinned == 0).all()

    # Users may free their own memory, whatever object they pass.
    assert not cuda.cudaFree(gpuarray.GPUArray(16, np.int8, gpudata=address))
    for pointer in (PyGPU.pointer_wrapper_float32, ctypes.c_void_p):
        assert not cuda.cudaFree(pointer(cuda.cudaMalloc(64)[0]))
    assert not cuda.cudaFree(None) and not cuda.cudaFreeHost(0)
    assert not cuda.cudaFree(PyGPU.DeviceArray_float32(3))  # nothing was allocated
    assert cuda.cudaFree(np.zeros(3)).name == "cudaErrorInvalidValue"  # C's answer
    del array, owned, it, typed, pinned, managed
    gc.collect()
