"""Values whose C type an enumerator decides: inputs, outputs, arrays, unknown enumerators."""

from __future__ import annotations

import ctypes
import gc
import os
import pathlib
import re
import struct

import numpy as np
import pytest

import PyGPU
from generator import rules, store
from PyGPU import cuda, hip
from tests import reviewed
from tests.own_interpreter import IN_CHILD, own_interpreter

STAND_IN = pathlib.Path(__file__).with_name("typed.cpp")

if IN_CHILD:
    c = ctypes.CDLL(os.environ["PYGPU_CUDA_LIBRARY"])
    for name in ("pointer", "bytes_kept", "size_seen"):
        getattr(c, name).restype = ctypes.c_size_t
    c.option_value.restype = ctypes.c_uint64

set_pool, get_pool = cuda.cudaMemPoolSetAttribute, cuda.cudaMemPoolGetAttribute
set_stream, get_stream = cuda.cudaStreamSetAttribute, cuda.cudaStreamGetAttribute
POOL, STREAM = cuda.cudaMemPool_t(0x9000), cuda.cudaStream_t(0x5000)
THRESHOLD, REUSE = cuda.cudaMemPoolAttrReleaseThreshold, cuda.cudaMemPoolReuseAllowOpportunistic


def tell(data):
    c.tell(data, ctypes.c_size_t(len(data)))


def kept(size):
    return ctypes.string_at(c.bytes_kept(), size)


def refused(kind, text, call, *arguments):
    with pytest.raises(kind, match=re.escape(text)):
        call(*arguments)


@own_interpreter("run")
def test_numbers_have_the_size_that_the_enumerator_says():
    assert int(set_pool(POOL, THRESHOLD, 2**40 + 1)) == 0
    assert kept(9) == struct.pack("<Q", 2**40 + 1) + b"\0"
    set_pool(POOL, REUSE, 1)
    assert kept(8) == struct.pack("<ii", 1, 0)
    tell(struct.pack("<Q", 2**63 + 5))
    assert get_pool(POOL, THRESHOLD) == (2**63 + 5, 0)
    tell(struct.pack("<i", -7))
    assert get_pool(POOL, REUSE) == (-7, 0)
    assert PyGPU.checked.cudaMemPoolGetAttribute(POOL, REUSE) == -7
    assert c.enumerator() == REUSE


@own_interpreter("run")
def test_scalars_of_c_and_pointers_to_values():
    for value in (ctypes.c_uint64(77), np.uint64(77), np.int8(77)):
        set_pool(POOL, THRESHOLD, value)
        assert kept(8) == struct.pack("<Q", 77)
    held = ctypes.c_uint64(78)
    set_pool(POOL, THRESHOLD, ctypes.pointer(held))
    assert c.pointer() == ctypes.addressof(held)
    set_pool(POOL, THRESHOLD, None)
    assert c.pointer() == 0
    refused(ValueError, "needs 8 bytes, got 4", set_pool, POOL, THRESHOLD, ctypes.c_int(1))


@own_interpreter("run")
def test_wrong_values_name_the_enumerator():
    refused(
        TypeError,
        "cudaMemPoolSetAttribute(): parameter 'value' "
        "(cudaMemPoolAttrReleaseThreshold) must be an integer, not str",
        set_pool,
        POOL,
        THRESHOLD,
        "x",
    )
    refused(
        OverflowError,
        "'value' (cudaMemPoolReuseAllowOpportunistic) = 4294967296 is out",
        set_pool,
        POOL,
        REUSE,
        2**32,
    )
    refused(OverflowError, "(cudaMemPoolAttrReleaseThreshold)", set_pool, POOL, THRESHOLD, -1)
    refused(TypeError, "(cudaMemPoolAttrReleaseThreshold)", set_pool, POOL, THRESHOLD, 1.5)
    refused(TypeError, "parameter 'attr'", set_pool, POOL, "x", 1)
    refused(
        TypeError,
        "(cudaLaunchAttributeAccessPolicyWindow): field 'hitRatio'",
        set_stream,
        STREAM,
        cuda.cudaLaunchAttributeAccessPolicyWindow,
        {"hitRatio": "x"},
    )
    refused(TypeError, "cudaMemPoolGetAttribute", get_pool, POOL, THRESHOLD, 1)


@own_interpreter("run")
def test_a_failure_gives_no_value():
    c.fail_with(1)
    tell(b"12345678")
    assert get_pool(POOL, THRESHOLD) == (None, 1)


@own_interpreter("run")
def test_members_of_a_union():
    window = {"base_ptr": 0x1000, "num_bytes": 64, "hitRatio": 0.5}
    wanted = struct.pack("<QQf", 0x1000, 64, 0.5)
    for value in (
        window,
        cuda.cudaAccessPolicyWindow(**window),
        cuda.cudaLaunchAttributeValue(accessPolicyWindow=window),
    ):
        set_stream(STREAM, cuda.cudaLaunchAttributeAccessPolicyWindow, value)
        assert kept(64) == wanted + bytes(44)
    tell(wanted)
    value, err = get_stream(STREAM, cuda.cudaLaunchAttributeAccessPolicyWindow)
    assert type(value) is cuda.cudaAccessPolicyWindow
    assert (value.base_ptr, value.num_bytes, value.hitRatio) == (0x1000, 64, 0.5)

    policy = cuda.cudaLaunchAttributeSynchronizationPolicy
    set_stream(STREAM, policy, cuda.cudaSyncPolicySpin)
    assert kept(4) == struct.pack("<i", cuda.cudaSyncPolicySpin)
    tell(struct.pack("<i", cuda.cudaSyncPolicyYield))
    assert get_stream(STREAM, policy)[0] is cuda.cudaSyncPolicyYield

    set_stream(STREAM, cuda.cudaLaunchAttributeClusterDimension, (1, 2, 3))
    assert kept(12) == struct.pack("<III", 1, 2, 3)
    tell(struct.pack("<III", 4, 5, 6))
    value, err = get_stream(STREAM, cuda.cudaLaunchAttributeClusterDimension)
    assert (value.x, value.y, value.z) == (4, 5, 6)

    event = cuda.cudaEvent_t(0x123000)
    set_stream(STREAM, cuda.cudaLaunchAttributeProgrammaticEvent, {"event": event, "flags": 3})
    assert kept(12) == struct.pack("<Qi", 0x123000, 3)
    set_stream(STREAM, cuda.cudaLaunchAttributePriority, -2)
    assert kept(4) == struct.pack("<i", -2)


@own_interpreter("run")
def test_a_value_outlives_the_object_that_it_came_from():
    tell(struct.pack("<QQ", 1, 2))
    value, err = get_stream(STREAM, cuda.cudaLaunchAttributeAccessPolicyWindow)
    tell(bytes(64))
    get_stream(STREAM, cuda.cudaLaunchAttributeAccessPolicyWindow)
    gc.collect()
    assert value.num_bytes == 2


@own_interpreter("run")
def test_enumerators_that_nobody_knows():
    tell(bytes(range(64)))
    assert get_stream(STREAM, 999) == (bytes(range(64)), 0)
    assert get_stream(STREAM, cuda.cudaLaunchAttributeIgnore)[0] == bytes(range(64))
    assert get_pool(POOL, 77)[0] == bytes(range(64))
    set_stream(STREAM, 999, bytes(range(64)))
    assert kept(64) == bytes(range(64))
    set_stream(STREAM, 999, b"short")
    assert kept(64) == b"short" + bytes(59)
    held = ctypes.create_string_buffer(64)
    set_stream(STREAM, 999, ctypes.addressof(held))
    assert c.pointer() == ctypes.addressof(held)
    refused(TypeError, "parameter 'value' must be", set_stream, STREAM, 999, "text")


@own_interpreter("run")
def test_shareable_handles():
    fd = cuda.cudaMemHandleTypePosixFileDescriptor
    fabric = cuda.cudaMemHandleTypeFabric
    give = cuda.cudaMemPoolExportToShareableHandle
    take = cuda.cudaMemPoolImportFromShareableHandle
    tell(struct.pack("<i", 17))
    assert give(POOL, fd, 0) == (17, 0)
    pool, err = take(17, fd, 0)
    assert c.pointer() == 17 and pool == POOL
    tell(bytes(range(64)))
    handle, err = give(POOL, fabric, 0)
    assert bytes(memoryview(handle)) == bytes(range(64))
    assert type(handle) is cuda.cudaMemFabricHandle_t
    for value in (handle, bytes(range(64))):
        take(value, fabric, 0)
        assert kept(64) == bytes(range(64))
    refused(
        TypeError, "'shareableHandle' (cudaMemHandleTypePosixFileDescriptor)", take, "17", fd, 0
    )
    refused(ValueError, "needs 4 bytes, got 64", take, handle, fd, 0)
    refused(ValueError, "'shareableHandle' (cudaMemHandleTypeFabric)", take, b"short", fabric, 0)


@own_interpreter("run")
def test_attributes_of_a_range():
    ask, several = cuda.cudaMemRangeGetAttribute, cuda.cudaMemRangeGetAttributes
    mostly = cuda.cudaMemRangeAttributeReadMostly
    accessed = cuda.cudaMemRangeAttributeAccessedBy
    place = cuda.cudaMemRangeAttributePreferredLocationType
    tell(struct.pack("<i", 1))
    assert ask(mostly, 0x1000, 64) == (1, 0)
    assert c.size_seen(0) == 4
    assert ask(place, 0x1000, 64)[0] is cuda.cudaMemLocationTypeDevice
    tell(struct.pack("<iii", 0, -1, 3))
    assert ask(accessed, 0x1000, 64) == ([0, -1, 3], 0)
    assert c.size_seen(0) >= 4 * 64
    assert ask(accessed, 0x1000, 64, dataSize=8) == ([0, -1], 0)
    assert c.size_seen(0) == 8
    tell(b"")
    assert ask(accessed, 0x1000, 64) == ([], 0)
    tell(struct.pack("<iii", 1, 2, 3))
    assert several([mostly, accessed, place], 3, 0x1000, 64) == (
        [1, [1, 2, 3], cuda.cudaMemLocationTypeDevice],
        0,
    )
    assert several([mostly, accessed], 2, 0x1000, 64, dataSizes=[4, 8])[0] == [1, [1, 2]]
    assert [c.size_seen(at) for at in range(2)] == [4, 8]
    assert several([], 0, 0x1000, 64) == ([], 0)
    refused(
        ValueError, "'attributes' is too short: 2 needed, 1 given", several, [mostly], 2, 0x1000, 64
    )
    # None stands for no attributes, however many values are asked for.
    refused(
        ValueError,
        "'attributes' is too short: 1048576 needed, 0 given",
        several,
        None,
        1 << 20,
        0,
        0,
    )
    refused(
        TypeError, "'attributes[1]' must be an integer, not str", several, [mostly, "x"], 2, 0, 0
    )
    with pytest.raises(ValueError, match="'dataSizes' is too short"):
        several([mostly], 1, 0x1000, 64, dataSizes=[])
    for wrong in (2**40, 2**63):
        with pytest.raises(MemoryError):
            ask(accessed, 0x1000, 64, dataSize=wrong)


@own_interpreter("run")
def test_options_stand_in_the_pointers():
    load = cuda.cudaLibraryLoadData
    library, err = load(
        b"code",
        [cuda.cudaJitMaxRegisters, cuda.cudaJitFallbackStrategy, cuda.cudaJitLogVerbose],
        [32, cuda.cudaPreferBinary, 1],
        3,
        None,
        None,
        0,
    )
    assert err == 0 and library == cuda.cudaLibrary_t(0xA000)
    assert [c.option_value(at) for at in range(3)] == [32, int(cuda.cudaPreferBinary), 1]
    load(b"code", [cuda.cudaJitMaxThreadsPerBlock], [-1], 1, [], [], 0)
    assert c.option_value(0) == 2**32 - 1
    load(b"code", [999], [0x1234], 1, None, None, 0)
    assert c.option_value(0) == 0x1234

    load(b"code", None, None, 0, [cuda.cudaLibraryBinaryIsPreserved], [1], 1)
    assert c.pointer() == 1
    table = {"functionTable": 0x1000, "functionWindowSize": 2}
    tables = cuda.cudaLibraryHostUniversalFunctionAndDataTable
    load(b"code", None, None, 0, [tables], [table], 1)
    assert kept(16) == struct.pack("<QQ", 0x1000, 2)

    values = (ctypes.c_void_p * 1)(5)
    load(b"code", [cuda.cudaJitMaxRegisters], values, 1, None, None, 0)
    assert c.option_value(0) == 5
    load(b"code", [cuda.cudaJitMaxRegisters], ctypes.addressof(values), 1, None, None, 0)
    assert c.option_value(0) == 5


@own_interpreter("run")
def test_options_that_do_not_suit():
    load, registers = cuda.cudaLibraryLoadData, cuda.cudaJitMaxRegisters
    log, size = cuda.cudaJitInfoLogBuffer, cuda.cudaJitInfoLogBufferSizeBytes

    def wrong(kind, text, options, values, count):
        refused(kind, text, load, b"code", options, values, count, None, None, 0)

    wrong(
        TypeError,
        "'jitOptionsValues[0]' (cudaJitMaxRegisters) must be an integer, not str",
        [registers],
        ["x"],
        1,
    )
    wrong(
        OverflowError,
        "'jitOptionsValues[1]' (cudaJitMaxRegisters)",
        [999, registers],
        [0, 2**32],
        2,
    )
    wrong(ValueError, "'jitOptionsValues' holds 1 values for 2 options", [registers] * 2, [1], 2)
    wrong(ValueError, "too short: 2 needed, 1 given", [registers], [1], 2)
    wrong(ValueError, "no sequence of options", None, [1], 1)
    wrong(TypeError, "'jitOptionsValues' must be a sequence", [registers], "x", 1)
    wrong(
        TypeError,
        "'jitOptionsValues[0]' (cudaJitInfoLogBuffer) must be writable",
        [log],
        [b"read"],
        1,
    )
    wrong(
        ValueError,
        "(cudaJitInfoLogBuffer) holds 8 bytes, but option 1 says 9",
        [log, size],
        [bytearray(8), 9],
        2,
    )


@own_interpreter("run")
def test_what_c_answers_in_an_options_place():
    """What C writes in place of an option's value reaches the caller's memory."""
    c.answer(1)
    options = [cuda.cudaJitWallTime, cuda.cudaJitInfoLogBuffer]
    options.append(cuda.cudaJitInfoLogBufferSizeBytes)
    time, log, size = ctypes.c_float(0), bytearray(64), ctypes.c_uint(64)
    for failure in (0, 218):  # the log must also arrive when the call fails
        c.fail_with(failure)
        time.value, log[:], size.value = 0, bytes(64), 64
        result = cuda.cudaLibraryLoadData(b"code", options, [time, log, size], 3, None, None, 0)
        assert int(result[1]) == failure
        assert time.value == 1.5 and size.value == 8
        assert log[:9] == b"compiled\0"
    result = cuda.cudaLibraryLoadData(b"code", options, [0, log, 64], 3, None, None, 0)
    assert int(result[1]) == failure


@own_interpreter("run")
def test_hips_attributes_of_pointers():
    ask = hip.hipPointerGetAttribute
    tell(struct.pack("<Q", 0x9000))
    assert ask(hip.HIP_POINTER_ATTRIBUTE_DEVICE_POINTER, 0x1000) == (0x9000, 0)
    pool, err = ask(hip.HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, 0x1000)
    assert type(pool) is hip.hipMemPool_t and int(pool) == 0x9000
    tell(b"\x01")  # fewer bytes than the type has
    assert ask(hip.HIP_POINTER_ATTRIBUTE_MAPPED, 0x1000)[0] is True
    assert ask(hip.HIP_POINTER_ATTRIBUTE_RANGE_SIZE, 0x1000)[0] == 1
    kinds = [hip.HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, hip.HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL]
    values, err = hip.hipDrvPointerGetAttributes(2, kinds, 0x1000)
    assert values == [1, 1] and type(values[0]) is hip.hipMemoryType
    c.keep_bytes(ctypes.c_size_t(4))
    hip.hipPointerSetAttribute(1, hip.HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, 0x1000)
    assert kept(4) == struct.pack("<I", 1)


def test_the_docstring_says_which_types():
    from PyGPU import cuda

    text = " ".join(cuda.cudaMemPoolSetAttribute.__doc__.split())
    assert "as attr decides: int for cudaMemPoolReuseFollowEventDependencies," in text
    assert "uint64_t for cudaMemPoolAttrReleaseThreshold" in text


# Enumerators of the newest release that need no type. The value of an unknown one comes as bytes.
UNTYPED = {
    "hipPointer_attribute": set(),
}


@pytest.mark.parametrize("api", ["cuda_driver", "cuda_runtime", "hip_runtime"])
def test_every_enumerator_of_a_table_is_in_it(api):
    model, known = store.load(rules.SPECS / api / "api.json"), rules.load(api)
    for name, table in known.typed.items():
        newest = {one.name for one in model.enums[table.enum][-1].node.enumerators}
        names = newest & reviewed.enumerators(model, table.enum)
        limits = {one for one in names if one.lower().endswith(("max", "numoptions"))}
        assert names - limits - set(table.values) == UNTYPED.get(name, set()), name
