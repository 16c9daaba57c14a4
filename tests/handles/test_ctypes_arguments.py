"""PyGPU's objects as ctypes arguments: the whole address is passed, with any declaration."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import PyGPU
from PyGPU import cuda, hip
from tests.own_interpreter import own_interpreter


@pytest.fixture(scope="module")
def library(compile_library) -> str:
    return compile_library(
        "libaddress.so", 'extern "C" unsigned long address(void *p) { return (unsigned long)p; }'
    )


@own_interpreter(PYGPU_BACKEND="host")
def test_every_object_with_an_address_is_a_ctypes_argument(library) -> None:
    """With argtypes, and without, where ctypes would cut an int to 32 bits."""
    plain = ctypes.CDLL(library).address
    declared = ctypes.CDLL(library).address
    declared.argtypes = [ctypes.c_void_p]
    for function in (plain, declared):
        function.restype = ctypes.c_ulong
    stream, event, array = PyGPU.Stream(), PyGPU.Event(), PyGPU.zeros(8, np.float32)
    event.record(stream)
    typed = PyGPU.DeviceArray_float32(np.ones(8, np.float32))
    typed.allocate()
    memory = PyGPU.pagelocked_empty(8, np.uint8).base
    every = {
        "Stream": (stream, stream.handle),
        "Event": (event, int(event)),
        "array": (array, array.ptr),
        "DeviceMemory": (array.gpudata, int(array.gpudata)),
        "HostMemory": (memory, int(memory)),
        "DeviceArray": (typed, int(typed.device_data())),
        "pointer": (typed.device_data(), int(typed.device_data())),
        "owner": (cuda.cudaStream_t(), None),
        "null": (cuda.cudaStream_t(0), 0),
    }
    address = 0x7FED_CBA9_8765_4000
    for module in (cuda, hip):
        for name in dir(module):
            kind = getattr(module, name, None)
            if (
                isinstance(kind, type)
                and hasattr(kind, "_as_parameter_")
                and not hasattr(kind, "sizeof")
                and name.endswith("_t")
            ):
                every[name] = (kind(address), address)
    assert len(every) > 40, sorted(every)
    for name, (given, address) in every.items():
        address = int(given) if address is None else address
        assert isinstance(given._as_parameter_, ctypes.c_void_p), name
        for function in (plain, declared):
            assert function(given) == address, (name, function(given), address)
