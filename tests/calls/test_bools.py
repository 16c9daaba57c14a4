"""A bool is refused where C has a number.

It is taken where C only asks whether the value is zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from PyGPU import cuda, hip
from PyGPU.cuda import checked
from tests.own_interpreter import own_interpreter

TRUE = [True, np.True_]


@pytest.mark.parametrize("value", TRUE)
@pytest.mark.parametrize(
    "call",
    [
        cuda.cudaSetDevice,
        cuda.cudaMalloc,
        cuda.cudaStreamQuery,
        cuda.cudaGetErrorName,
        cuda.cudaError,
        cuda.cudaStream_t,
        cuda.cudaSetDoubleForDevice,
        checked.cudaGetDeviceProperties,
        lambda value: cuda.cudaStream_t(flags=value),
        lambda value: cuda.cudaMemset(0x1000, value, 0),
        lambda value: cuda.cudaMemcpy(0x1000, 0x2000, 0, value),
        lambda value: cuda.cudaSetValidDevices([value], 1),
        lambda value: cuda.cudaDeviceSetLimit(0, value),
        hip.hipSetDevice,
        hip.hipFree,
    ],
)
def test_a_bool_is_no_number(call: Any, value: Any) -> None:
    with pytest.raises(TypeError, match=r"not (numpy\.)?bool"):
        call(value)


@pytest.mark.parametrize("value", TRUE)
@pytest.mark.parametrize(
    "call",
    [
        lambda value: cuda.cudaGraphNodeSetEnabled(0, 0, value),
        lambda value: cuda.cudaFuncSetAttribute(0, 9, value),
        lambda value: hip.hipGraphNodeSetEnabled(0, 0, value),
        lambda value: cuda.cudaMemPoolSetAttribute(
            0, cuda.cudaMemPoolReuseAllowOpportunistic, value
        ),
        lambda value: cuda.cudaStreamSetAttribute(0, cuda.cudaLaunchAttributeCooperative, value),
    ],
)
def test_what_is_true_or_false_to_c_takes_one(call: Any, value: Any) -> None:
    """Parameters that C treats as true or false take a bool."""
    call(value)
    call(1)


def test_other_values_that_an_enumerator_types_do_not() -> None:
    """Other values whose type an enumerator decides refuse a bool."""
    with pytest.raises(TypeError, match="not bool"):
        cuda.cudaMemPoolSetAttribute(0, cuda.cudaMemPoolAttrReleaseThreshold, True)


@own_interpreter(PYGPU_BACKEND="host")
def test_what_arrives_is_one(host_library) -> None:
    """The value stays the same through the whole call and back."""
    pool, err = cuda.cudaDeviceGetDefaultMemPool(0)
    name = cuda.cudaMemPoolReuseFollowEventDependencies
    for value in (False, True, False, True):
        assert not cuda.cudaMemPoolSetAttribute(pool, name, value)
        assert cuda.cudaMemPoolGetAttribute(pool, name)[0] == int(value)
