"""The real library: what it does without a GPU. That of CUDA 13 does nothing without a driver."""

from __future__ import annotations

import struct

import pytest

import PyGPU
from tests.own_interpreter import own_interpreter


@own_interpreter("real")
def test_records_of_ones_own_are_read():
    cupti = PyGPU.cupti
    version, err = cupti.cuptiGetVersion()
    if err:
        assert version is None
        assert err is cupti.CUPTI_ERROR_UNKNOWN
        return
    assert version >= 18
    assert cupti.cuptiGetResultString(12) == ("CUPTI_ERROR_MAX_LIMIT_REACHED", cupti.CUPTI_SUCCESS)
    record = struct.pack("<IIQQIIII", 5, 211, 100, 200, 1, 2, 3, 4)
    buffer, found = record + record, None
    for _ in range(2):
        found = cupti.checked.cuptiActivityGetNextRecord(buffer, 80, found)
        assert type(found) is cupti.CUpti_ActivityAPI
        assert (found.start, found.end, found.returnValue) == (100, 200, 4)
    assert cupti.cuptiActivityGetNextRecord(buffer, 80, found) == (
        None,
        cupti.CUPTI_ERROR_MAX_LIMIT_REACHED,
    )
    name = cupti.checked.cuptiGetCallbackName(cupti.CUPTI_CB_DOMAIN_RUNTIME_API, 211)
    assert name == "cudaLaunchKernel_v7000"
    assert cupti.checked.cuptiGetTimestamp() > 0


@own_interpreter("real")
def test_the_library_finds_the_record_behind_each_struct():
    cupti, kinds = PyGPU.cupti, 0
    following = struct.pack("<IIQQIIII", 5, 211, 100, 200, 1, 2, 3, 4)
    for kind in (
        one for one in cupti.CUpti_ActivityKind if 0 < one < cupti.CUPTI_ACTIVITY_KIND_COUNT
    ):
        room = struct.pack("<i", kind).ljust(1024, b"\0")
        first, err = cupti.cuptiActivityGetNextRecord(room, 1024, None)
        if err:  # no driver, or a kind of a later release
            assert err in (cupti.CUPTI_ERROR_UNKNOWN, cupti.CUPTI_ERROR_INVALID_KIND)
            continue
        buffer = room[: type(first).sizeof] + following
        first = cupti.checked.cuptiActivityGetNextRecord(buffer, len(buffer), None)
        second = cupti.checked.cuptiActivityGetNextRecord(buffer, len(buffer), first)
        assert (second.start, second.returnValue) == (100, 4), kind
        kinds += 1
    assert kinds == 0 or kinds > 30


@own_interpreter("real")
def test_tracing_needs_a_driver_and_says_so(has_device):
    cupti = PyGPU.cupti
    if has_device:
        pytest.skip("there is a GPU")
    errors = (cupti.CUPTI_ERROR_NOT_INITIALIZED, cupti.CUPTI_ERROR_UNKNOWN)
    assert cupti.cuptiActivityEnable(cupti.CUPTI_ACTIVITY_KIND_MEMCPY) in errors
    subscriber, err = cupti.cuptiSubscribe(print)
    assert subscriber is None
    assert err in errors
    with pytest.raises(PyGPU.GPUError, match="cuptiSubscribe: CUPTI_ERROR_"):
        cupti.CUpti_SubscriberHandle(callback=print)


@own_interpreter(PYGPU_CUPTI_LIBRARY="/nowhere/libcupti.so.13")
def test_without_a_library_every_call_says_so():
    cupti = PyGPU.cupti
    with pytest.warns(RuntimeWarning, match="PYGPU_CUPTI_LIBRARY"):
        version, err = cupti.cuptiGetVersion()
    assert version is None
    assert err is cupti.CUptiResult.PYGPU_ERROR_LIBRARY_NOT_FOUND
    with pytest.raises(
        PyGPU.GPUError, match="no libcupti was found; pip install nvidia-cuda-cupti"
    ):
        cupti.checked.cuptiActivityFlushAll(0)
