"""`err, value = call()` is other packages' order. Using the error as the value is refused."""

from __future__ import annotations

import ctypes
import operator

import numpy as np
import pytest

import PyGPU
from PyGPU import cuda, hip
from tests.own_interpreter import own_interpreter

SWAPPED = r"\(value, err\), not \(err, value\)"
error = cuda.cudaSuccess


@own_interpreter(PYGPU_BACKEND="host")
def test_the_story() -> None:
    """A program ported from cuda-python."""
    err, device = cuda.cudaGetDevice()
    with pytest.raises(TypeError) as raised:
        cuda.cudaSetDevice(device)
    assert str(raised.value) == (
        "cudaSetDevice(): parameter 'device' must be an integer, not cudaError: "
        "calls return (value, err), not (err, value)"
    )


@pytest.mark.parametrize(
    "call",
    [
        lambda: cuda.cudaMalloc(error),
        lambda: cuda.cudaFree(error),
        lambda: cuda.cudaStreamQuery(error),
        lambda: cuda.cudaEventDestroy(cuda.cudaErrorInvalidValue),
        lambda: cuda.cudaMemset(0x1000, 0, error),
        lambda: cuda.cudaSetValidDevices([error], 1),
        lambda: cuda.cudaSetValidDevices(error, 1),
        lambda: cuda.cudaSetDoubleForDevice(error),
        lambda: cuda.cudaDeviceGetAttribute(error, 0),
        lambda: cuda.cudaLaunchHostFunc(0, error, None),
        lambda: cuda.cudaLaunchKernel(0x1000, 1, 1, [error], 0, 0),
        lambda: cuda.cudaLaunchKernel(0x1000, 1, 1, ([error], [np.int32]), 0, 0),
        lambda: cuda.cudaLaunchKernel(0x1000, 1, 1, ([error], [ctypes.c_void_p]), 0, 0),
        lambda: cuda.cudaLaunchKernel(error, 1, 1, [], 0, 0),
        lambda: cuda.cudaStream_t(error),
        lambda: cuda.cudaStream_t(flags=error),
        lambda: hip.hipStreamQuery(hip.hipSuccess),
        lambda: hip.hipMalloc(hip.hipErrorInvalidValue),
        lambda: cuda.cudaError(hip.hipSuccess),
        lambda: operator.index(error),
        lambda: range(error),
        lambda: PyGPU.checked.cudaSetDevice(error),
    ],
)
def test_nothing_takes_an_error_for_a_number_an_address_or_a_handle(call) -> None:
    with pytest.raises(TypeError, match=SWAPPED):
        call()


def test_what_c_types_as_the_status_takes_an_error_of_its_api() -> None:
    assert cuda.cudaGetErrorName(cuda.cudaErrorInvalidValue) == "cudaErrorInvalidValue"
    assert cuda.cudaGetErrorName(1) == "cudaErrorInvalidValue"
    assert hip.hipGetErrorName(hip.hipErrorInvalidValue) == "hipErrorInvalidValue"
    with pytest.raises(TypeError, match="hipError"):
        cuda.cudaGetErrorName(hip.hipErrorInvalidValue)
    with pytest.raises(TypeError, match="cudaError"):
        hip.hipGetErrorName(cuda.cudaErrorInvalidValue)


def test_an_error_stays_equal_to_its_int() -> None:
    assert int(cuda.cudaErrorInvalidValue) == 1 == cuda.cudaErrorInvalidValue
    assert {cuda.cudaErrorInvalidValue: "x"}[1] == "x"


@own_interpreter(PYGPU_BACKEND="host")
def test_arrays_take_no_error_for_a_size_a_device_or_an_element() -> None:
    stream, array = PyGPU.Stream(), PyGPU.zeros(4, np.int32)
    calls = [
        lambda: PyGPU.empty(error, np.int8),
        lambda: PyGPU.empty((2, error), np.int8),
        lambda: PyGPU.zeros(error),
        lambda: PyGPU.GPUArray(error, np.int8),
        lambda: PyGPU.GPUArray(4, np.int8, strides=error),
        lambda: PyGPU.GPUArray(4, np.int8, gpudata=error),
        lambda: PyGPU.GPUArray(4, np.int8, allocator=lambda size: error),
        lambda: PyGPU.empty(4, np.int8, stream=error),
        lambda: array.reshape(error),
        lambda: array.reshape(2, error),
        lambda: array.fill(error),
        lambda: array.__setitem__(0, error),
        lambda: array[error],
        lambda: array.get(stream=error),
        lambda: array.record_stream(error),
        lambda: PyGPU.DeviceMemory(error),
        lambda: PyGPU.pagelocked_empty(error),
        lambda: PyGPU.pagelocked_empty((error, 2)),
        lambda: PyGPU.memory_info(error),
        lambda: PyGPU.DeviceArray_float32(error),
        lambda: PyGPU.DeviceArray_float32([error]),
        lambda: PyGPU.pointer_wrapper_float32(error),
        lambda: PyGPU.DeviceAllocator_float32().allocate(error),
        lambda: PyGPU.Stream(priority=error),
        lambda: stream.wait(error),
        lambda: PyGPU.Stream.of(error),
    ]
    for call in calls:
        with pytest.raises((TypeError, IndexError), match=SWAPPED):
            call()
