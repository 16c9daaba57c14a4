"""Records from a stand-in, which gives buffers back on a thread of its own."""

from __future__ import annotations

import copy
import ctypes
import gc
import os
import pickle
import sys
import weakref
from pathlib import Path

import pytest

import PyGPU
from PyGPU import cupti
from tests.own_interpreter import own_interpreter

ALL = ("CONCURRENT_KERNEL", "MEMCPY", "RUNTIME")


def standin() -> ctypes.CDLL:
    return ctypes.CDLL(os.environ["PYGPU_CUPTI_LIBRARY"])


def enable(*kinds: str) -> None:
    for kind in kinds:
        cupti.checked.cuptiActivityEnable(getattr(cupti, f"CUPTI_ACTIVITY_KIND_{kind}"))


def records_of(buffer: bytes, valid: int) -> list:
    found = [None]
    while True:
        record, err = cupti.cuptiActivityGetNextRecord(buffer, valid, found[-1])
        if err:
            assert err is cupti.CUPTI_ERROR_MAX_LIMIT_REACHED
            assert record is None
            return found[1:]
        found.append(record)


@own_interpreter("on_standin")
def test_a_profiler_reads_each_record_as_its_struct():
    call, records, sizes = cupti.checked, [], []

    def completed(context, stream, buffer, size, valid):
        assert isinstance(buffer, bytes)
        assert len(buffer) == valid
        sizes.append((size, stream, bool(context)))
        records.extend(records_of(buffer, valid))

    call.cuptiActivityRegisterCallbacks(lambda: 1 << 16, completed)
    enable(*ALL)
    standin().standin_work()
    call.cuptiActivityFlushAll(0)
    standin().standin_forget_names()  # the records have copies

    assert sizes == [(1 << 16, 0, False)]
    api, kernel, memcpy = records
    assert type(api) is cupti.CUpti_ActivityAPI
    assert api.kind is cupti.CUpti_ActivityKind.CUPTI_ACTIVITY_KIND_RUNTIME
    assert (api.cbid, api.start, api.end, api.correlationId) == (211, 1000, 1500, 7)
    assert api.cbid == cupti.CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000
    assert type(kernel) is cupti.CUpti_ActivityKernel13
    assert kernel.name == "saxpy(float, float *)"
    assert kernel.end - kernel.start == 600
    assert (kernel.gridX, kernel.blockX, kernel.streamId) == (4, 256, 9)
    assert kernel.cacheConfig.both == 0x21
    assert (kernel.cacheConfig.config.requested, kernel.cacheConfig.config.executed) == (1, 2)
    assert kernel.sourceGraphNodeId == 1 << 40
    assert kernel.correlationId == api.correlationId
    assert type(memcpy) is cupti.CUpti_ActivityMemcpy7
    assert memcpy.copyKind == cupti.CUPTI_ACTIVITY_MEMCPY_KIND_HTOD
    assert memcpy.bytes == 4096
    assert "saxpy" in repr(kernel)


@own_interpreter(
    "on_standin", prints="CUpti_ActivityKernel13: 600 ns\nCUpti_ActivityMemcpy7: 0 ns\n"
)
def test_the_example_of_the_page_prints_times():
    page = Path(__file__).resolve().parents[2] / "docs" / "libraries.md"
    code = next(one for one in page.read_text().split("```") if "import cupti" in one)
    work = 'PyGPU.zeros(1000, "f4").get()'
    assert work in code
    names = {"work": standin().standin_work}
    exec(code.removeprefix("python").replace(work, "work()"), names)


@own_interpreter("on_standin")
def test_the_callable_says_how_many_records_a_buffer_takes():
    call, counts = cupti.checked, []
    call.cuptiActivityRegisterCallbacks(
        lambda: (4096, 2), lambda *given: counts.append(len(records_of(given[2], given[4])))
    )
    enable(*ALL)
    standin().standin_work()
    call.cuptiActivityFlushAll(0)
    assert counts == [2, 1]


@own_interpreter("on_standin")
def test_without_a_buffer_records_are_dropped():
    call, errors, seen = cupti.checked, [], []
    sys.unraisablehook = lambda one: errors.append(one.exc_type)
    enable("RUNTIME")
    for requested in (
        lambda: None,
        lambda: 0,
        lambda: 1 / 0,
        lambda: -1,
        lambda: "4096",
        lambda: (1,) * 3,
    ):
        call.cuptiActivityRegisterCallbacks(requested, lambda *given: seen.append(given))
        standin().standin_work()
        call.cuptiActivityFlushAll(0)
    assert call.cuptiActivityGetNumDroppedRecords(0, 0) == 6
    assert errors == [ZeroDivisionError, OverflowError, TypeError, ValueError]
    assert not seen
    call.cuptiActivityRegisterCallbacks(lambda: 8, lambda *given: seen.append(given[2:]))
    standin().standin_work()
    call.cuptiActivityFlushAll(0)
    assert seen == [(b"", 8, 0)]


@own_interpreter("on_standin")
def test_a_callable_lives_until_there_is_another():
    class Completed:
        def __call__(self, *given):
            raise KeyError(given[4])

    errors = []
    sys.unraisablehook = lambda one: errors.append(one.exc_value.args)
    call, first = cupti.checked, Completed()
    gone = weakref.ref(first)
    enable("RUNTIME")
    call.cuptiActivityRegisterCallbacks(lambda: 64, first)
    del first
    gc.collect()
    assert gone() is not None
    standin().standin_work()
    call.cuptiActivityFlushAll(0)
    assert errors == [(40,)]
    # A call that fails leaves the former callable.
    assert cupti.cuptiActivityRegisterCallbacks(print, None)
    gc.collect()
    assert gone() is not None
    call.cuptiActivityRegisterCallbacks(print, print)
    gc.collect()
    assert gone() is None
    with pytest.raises(TypeError, match=r"'funcBufferCompleted'.*a callable"):
        cupti.cuptiActivityRegisterCallbacks(print, "print")


@own_interpreter("on_standin")
def test_functions_of_c_get_the_buffers_as_they_are():
    memory, seen = ctypes.create_string_buffer(256), []
    request = ctypes.CFUNCTYPE(None, *[ctypes.POINTER(ctypes.c_size_t)] * 3)
    complete = ctypes.CFUNCTYPE(
        None, ctypes.c_void_p, ctypes.c_uint32, *[ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t]
    )

    @request
    def requested(buffer, size, most):
        buffer[0], size[0], most[0] = ctypes.addressof(memory), 256, 0

    @complete
    def completed(context, stream, buffer, size, valid):
        seen.append((buffer, size, valid))

    cupti.checked.cuptiActivityRegisterCallbacks(requested, completed)
    enable("RUNTIME")
    standin().standin_work()
    cupti.checked.cuptiActivityFlushAll(0)
    assert seen == [(ctypes.addressof(memory), 256, 40)]
    record, _ = cupti.cuptiActivityGetNextRecord(memory, 40, None)
    assert record.correlationId == 7
    # C may get memory that PyGPU gives back, too.
    taken = []
    cupti.checked.cuptiActivityRegisterCallbacks(requested, lambda *given: taken.append(given[2]))
    standin().standin_work()
    cupti.checked.cuptiActivityFlushAll(0)
    assert records_of(taken[0], 40)[0].correlationId == 7


@own_interpreter("on_standin")
def test_records_are_copies_that_know_their_place():
    buffers = []
    cupti.checked.cuptiActivityRegisterCallbacks(
        lambda: 4096, lambda *given: buffers.append(given[2])
    )
    enable(*ALL)
    standin().standin_work()
    cupti.checked.cuptiActivityFlushAll(0)
    (buffer,) = buffers
    first, second, third = records_of(buffer, len(buffer))
    following, err = cupti.cuptiActivityGetNextRecord(buffer, len(buffer), first)
    assert not err
    assert following.name == second.name
    second.start = 5
    assert records_of(buffer, len(buffer))[1].start == 2000
    copied = pickle.loads(pickle.dumps(third))
    assert copied.bytes == copy.copy(third).bytes == 4096
    for wrong in (copied, cupti.CUpti_ActivityAPI(), "record", 3):
        with pytest.raises((TypeError, ValueError), match="parameter 'record'"):
            cupti.cuptiActivityGetNextRecord(buffer, len(buffer), wrong)
    other = bytes(len(buffer))
    with pytest.raises(ValueError, match="'record' lies in other memory"):
        cupti.cuptiActivityGetNextRecord(other, len(other), first)
    with pytest.raises(ValueError, match="'buffer' is too short"):
        cupti.cuptiActivityGetNextRecord(buffer, len(buffer) + 1, None)
    # The last record doesn't fit into a shorter buffer: what is known of all records is read.
    cut = buffer[: 40 + 248 + 16]
    assert [type(one) for one in records_of(cut, len(cut))][1:] == [
        cupti.CUpti_ActivityKernel13,
        cupti.CUpti_Activity,
    ]


@own_interpreter("on_standin")
def test_a_kind_that_no_header_knows_has_only_its_number():
    found = []
    cupti.checked.cuptiActivityRegisterCallbacks(
        lambda: 4096, lambda *given: found.extend(records_of(given[2], given[4]))
    )
    cupti.checked.cuptiActivityEnable(77)
    standin().standin_work()
    cupti.checked.cuptiActivityFlushAll(0)
    assert [(type(one), one.kind) for one in found] == [(cupti.CUpti_Activity, 77)]


@own_interpreter("on_standin")
def test_times_may_be_the_programs_own():
    found = []
    cupti.checked.cuptiActivityRegisterTimestampCallback(lambda: 2**62)
    cupti.checked.cuptiActivityRegisterCallbacks(
        lambda: 4096, lambda *given: found.extend(records_of(given[2], given[4]))
    )
    enable("MEMCPY")
    standin().standin_work()
    cupti.checked.cuptiActivityFlushAll(0)
    assert found[0].start == 2**62


@own_interpreter("on_standin")
def test_c_may_call_at_once_and_keeps_the_former_callable_if_it_refuses():
    library = standin()
    for name in ("standin_first_time", "standin_now"):
        getattr(library, name).restype = ctypes.c_uint64
    for time in (77, 88):
        assert not cupti.cuptiActivityRegisterTimestampCallback(lambda time=time: time)
        assert library.standin_first_time() == time
    assert cupti.cuptiActivityRegisterTimestampCallback(lambda: 0)
    assert library.standin_now() == 88


@own_interpreter("on_standin")
def test_settings_have_the_type_that_the_attribute_says():
    call, attribute = cupti.checked, cupti.CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT
    assert call.cuptiActivityGetAttribute(attribute) == 250
    call.cuptiActivitySetAttribute(attribute, 30)
    assert call.cuptiActivityGetAttribute(attribute) == 30
    with pytest.raises(PyGPU.GPUError, match=r"cuptiActivityEnable: CUPTI_.*: "):
        call.cuptiActivityEnable(1000)
