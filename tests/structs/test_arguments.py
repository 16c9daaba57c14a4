"""The kernel and the arguments in a struct take what a launch takes, and keep it alive."""

from __future__ import annotations

import copy
import ctypes
import gc
import weakref
from typing import Any

import numpy as np
import pytest

from PyGPU import cuda, hip

FIELDS = [
    (cuda.cudaKernelNodeParams, "kernelParams"),
    (cuda.cudaKernelNodeParamsV2, "kernelParams"),
    (cuda.cudaLaunchParams, "args"),
    (hip.hipKernelNodeParams, "kernelParams"),
    (hip.hipLaunchParams, "args"),
    (hip.hipFunctionLaunchParams, "kernelParams"),
]


@pytest.fixture(params=FIELDS, ids=lambda one: f"{one[0].__name__}.{one[1]}")
def field(request: pytest.FixtureRequest) -> tuple[Any, str]:
    found: tuple[Any, str] = request.param
    return found


def behind(address: int, count: int) -> list[int]:
    return list((ctypes.c_void_p * count).from_address(address))


def test_values_lie_where_the_pointers_lead(field: tuple[Any, str]) -> None:
    kind, name = field
    made = kind(**{name: [np.int32(-5), ctypes.c_double(2.5), hip.hipExtent(1, 2, 3)]})
    gc.collect()
    first, second, third = behind(getattr(made, name), 3)
    assert ctypes.c_int32.from_address(first).value == -5
    assert ctypes.c_double.from_address(second).value == 2.5
    assert list((ctypes.c_size_t * 3).from_address(third)) == [1, 2, 3]
    setattr(made, name, ((7, 8.0), (ctypes.c_int64, ctypes.c_float)))
    first, second = behind(getattr(made, name), 2)
    assert ctypes.c_int64.from_address(first).value == 7
    assert ctypes.c_float.from_address(second).value == 8.0


def test_the_pointers_lead_to_the_values_themselves(field: tuple[Any, str]) -> None:
    """C finds the current value of a ctypes object, not the value at the struct's creation."""
    kind, name = field
    value = ctypes.c_int(5)
    structs = [kind(**{name: [value]}) for _ in range(2)]  # by the second one the type is known
    value.value = 6
    for made in structs:
        assert ctypes.c_int.from_address(behind(getattr(made, name), 1)[0]).value == 6


def test_a_copy_keeps_them_too(field: tuple[Any, str]) -> None:
    kind, name = field

    class Memory(bytearray):
        pass

    memory = Memory(8)
    end = weakref.ref(memory)
    made = kind(**{name: [memory, np.int32(3)]})
    del memory
    twin = copy.copy(made)
    del made
    gc.collect()
    assert end() is not None
    assert ctypes.c_int32.from_address(behind(getattr(twin, name), 2)[1]).value == 3
    setattr(twin, name, None)
    gc.collect()
    assert end() is None
    assert getattr(twin, name) == 0


def test_addresses_stay_addresses(field: tuple[Any, str]) -> None:
    kind, name = field
    assert getattr(kind(**{name: 0x1000}), name) == 0x1000
    assert getattr(kind(), name) == 0


@pytest.mark.parametrize(
    ("value", "error", "said"),
    [
        ([1], TypeError, r"\[0\].* is a bare int, which has no size in C"),
        ([np.int32(1), 2.0], TypeError, r"\[1\].* is a bare float"),
        (([1, 2], [ctypes.c_int]), ValueError, ""),
        ("text", TypeError, "a sequence of values"),
        (-1, OverflowError, "-1 is out of range"),
    ],
)
def test_what_is_none_is_said(field: tuple[Any, str], value: Any, error: Any, said: str) -> None:
    kind, name = field
    made = kind(**{name: [np.int32(4)]})
    before = getattr(made, name)
    with pytest.raises(error, match=f"{name}.*{said}"):
        setattr(made, name, value)
    with pytest.raises(error, match=f"{name}.*{said}"):
        kind(**{name: value})
    assert getattr(made, name) == before
    assert ctypes.c_int32.from_address(behind(before, 1)[0]).value == 4


@pytest.mark.parametrize(
    ("kind", "handle"),
    [
        (cuda.cudaKernelNodeParams, cuda.cudaKernel_t),
        (cuda.cudaKernelNodeParamsV2, cuda.cudaFunction_t),
        (cuda.cudaLaunchParams, cuda.cudaKernel_t),
        (hip.hipKernelNodeParams, hip.hipFunction_t),
        (hip.hipLaunchParams, hip.hipFunction_t),
    ],
)
def test_a_kernel_is_a_handle_an_address_or_a_ctypes_function(kind: Any, handle: Any) -> None:
    made = kind(func=handle(0xABC000))
    assert made.func == 0xABC000
    function = ctypes.pythonapi.Py_GetVersion
    made.func = function
    assert made.func == ctypes.cast(function, ctypes.c_void_p).value
    made.func = 0x1000
    for wrong in (cuda.cudaStream_t(0x5000), "name", 1.5, bytearray(8).__len__):
        with pytest.raises(TypeError, match=rf"{kind.__name__}\.func must be"):
            made.func = wrong
    assert made.func == 0x1000


@pytest.mark.parametrize(
    ("kind", "end"), [(cuda.cudaKernelNodeParams, None), (hip.hipKernelNodeParams, 3)]
)
def test_packed_arguments_are_a_buffer_behind_a_list(kind: Any, end: int | None) -> None:
    packed = np.arange(6, dtype=np.int32)
    end_of_packed = weakref.ref(packed)
    made = copy.copy(kind(extra=packed))
    pointer, size = packed.ctypes.data, packed.nbytes
    del packed
    gc.collect()
    key, first, other, second, last = behind(made.extra, 5)
    assert (key, first, other, last) == (1, pointer, 2, end)
    assert ctypes.c_size_t.from_address(second).value == size
    with pytest.raises(TypeError, match=r"extra must be a buffer of packed arguments, an address"):
        made.extra = [np.int32(1)]
    made.extra = 0x1000
    gc.collect()
    assert made.extra == 0x1000
    assert end_of_packed() is None
