"""A ctypes pointer instead of a sequence: it is passed as C's array, or refused, and never read."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

import PyGPU
from PyGPU import cuda
from tests.own_interpreter import own_interpreter

CELL = ctypes.c_int(0)
POINTER = ctypes.pointer(CELL)


class Endless:
    """Like a ctypes pointer: it has items, but no length."""

    def __getitem__(self, index: int) -> int:
        return 0


@pytest.mark.parametrize("given", [POINTER, ctypes.pointer(ctypes.c_void_p(1)), Endless()])
@pytest.mark.parametrize(
    "call",
    [
        lambda given: cuda.cudaMemRangeGetAttributes([given], given, 1, 0, 0),
        lambda given: cuda.cudaDevSmResourceSplit(None, 0, given),
        lambda given: cuda.cudaMemcpyBatchAsync([1], [1], [8], 1, [given], [0], 1, 0),
        lambda given: cuda.cudaGraphNodeParams(eventRecord=given),
        lambda given: cuda.cudaLaunchKernel(0x1000, given, 1, None, 0, 0),
        lambda given: cuda.dim3(given),
        lambda given: cuda.cudaMemcpy3DParms(extent=given),
    ],
)
def test_what_is_read_by_us_is_no_pointer(call: Any, given: Any) -> None:
    """Where PyGPU itself reads the sequence, a ctypes pointer is refused."""
    with pytest.raises((TypeError, ValueError)):
        call(given)


def it_is_the_address_of_a_c_array():
    two = (ctypes.c_int * 2)(7, 8)
    first = ctypes.cast(two, ctypes.POINTER(ctypes.c_int))
    for given in ([7, 8], two, first, ctypes.cast(two, ctypes.c_void_p), ctypes.addressof(two)):
        assert not cuda.cudaSetValidDevices(given, 2), given
    assert cuda.cudaSetValidDevices(None, 2)
    assert cuda.cudaSetValidDevices(ctypes.POINTER(ctypes.c_int)(), 2)


def test_it_is_the_address_of_a_c_array(python, compile_library) -> None:
    library = compile_library(
        "libcudart.so.13",
        """
        extern "C" int cudaRuntimeGetVersion(int *version) { *version = 13000; return 0; }
        extern "C" int cudaSetValidDevices(int *devices, int count) {
            return count == 2 && devices && devices[0] == 7 && devices[1] == 8 ? 0 : 1;
        }
        """,
    )
    python(
        it_is_the_address_of_a_c_array,
        PYGPU_CUDA_LIBRARY=library,
    )


@own_interpreter(PYGPU_BACKEND="host")
def test_no_array_function_reads_one() -> None:
    array = PyGPU.zeros((2, 3), np.float32)
    for given in (ctypes.pointer(ctypes.c_int(3)), Endless()):
        calls = [
            lambda given: PyGPU.empty(given),
            lambda given: PyGPU.zeros(given),
            lambda given: PyGPU.GPUArray((2,), np.int8, strides=given),
            lambda given: PyGPU.concatenate(given),
            lambda given: PyGPU.stack(given),
            lambda given: array.reshape(given),
            lambda given: array.transpose(given),
            lambda given: array.squeeze(given),
            lambda given: PyGPU.pagelocked_empty(given),
            lambda given: PyGPU.managed_empty(given),
            lambda given: PyGPU.DeviceArray_float32(given),
            lambda given: PyGPU.DeviceArray_float32([given]),
            lambda given: array.__getitem__(given),
        ]
        for call in calls:
            with pytest.raises((TypeError, ValueError, IndexError)):
                call(given)


def like_ctypes(metaclass: str, **names: Any) -> type:
    """Makes a class of bytes whose metaclass has the name of a ctypes metaclass."""
    return type(metaclass, (type,), {})("Like", (bytes,), names)


@pytest.mark.parametrize("name", ["PyCPointerType", "_ctypes.PyCPointerType", "PyCFuncPtrType"])
def test_what_looks_like_a_pointer_is_a_buffer(name: str) -> None:
    """Its own bytes are passed, and it is not read as an address."""
    like = like_ctypes(name)
    with pytest.raises(ValueError, match="too short: 9 needed, 8 given"):
        cuda.cudaMemcpy(0, like(8), 9, 0)
    with pytest.raises(TypeError):
        cuda.cudaFree(like(8))
    with pytest.raises(ValueError, match="too short: 9 needed, 3 given"):
        cuda.cudaMemcpy(0, like(3), 9, 0)
    with pytest.raises(ValueError, match="too short: 9 needed, 8 given"):
        cuda.cudaMemcpy(0, like_ctypes("PyCSimpleType", _type_="P")(8), 9, 0)


def test_a_letter_that_was_changed_makes_no_pointer() -> None:
    class Letter(ctypes.c_char):
        pass

    Letter._type_ = "P"
    with pytest.raises(TypeError, match="Letter is no pointer: it has 1 bytes"):
        cuda.cudaMemcpy(0, Letter(b"x"), 9, 0)
