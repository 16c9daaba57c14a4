"""Calls on a real device."""

from __future__ import annotations

import threading

import numpy as np
import pytest


def test_the_loader_has_layers(ur):
    config = ur.ur_loader_config_handle_t()
    info = ur.UR_LOADER_CONFIG_INFO_AVAILABLE_LAYERS
    layers = ur.checked.urLoaderConfigGetInfo(config, info).rstrip(b"\0").decode().split(";")
    assert "UR_LAYER_FULL_VALIDATION" in layers
    assert not ur.urLoaderConfigEnableLayer(config, "UR_LAYER_FULL_VALIDATION")
    unknown = ur.urLoaderConfigEnableLayer(config, "UR_LAYER_OF_NOBODY")
    assert unknown is ur.UR_RESULT_ERROR_LAYER_NOT_PRESENT


def test_properties_of_a_device(ur, device):
    name = ur.checked.urDeviceGetInfo(device, ur.UR_DEVICE_INFO_NAME)
    assert name.endswith(b"\0")
    kind = ur.checked.urDeviceGetInfo(device, ur.UR_DEVICE_INFO_TYPE)
    assert int.from_bytes(kind, "little") in iter(ur.ur_device_type_t)
    none, err = ur.urDeviceGetInfo(device, 0x7FFFFFF0)
    assert (none, bool(err)) == (None, True)


def test_a_buffer_goes_there_and_back(ur, context, queue):
    given, back = np.arange(64, dtype="u1"), np.zeros(64, "u1")
    memory = ur.ur_mem_handle_t(hContext=context, flags=ur.UR_MEM_FLAG_READ_WRITE, size=64)
    ur.checked.urEnqueueMemBufferWrite(queue, memory, True, 0, 64, given, 0, None, None)
    wanted = ur.ur_event_handle_t(0)
    event = ur.checked.urEnqueueMemBufferRead(queue, memory, False, 0, 64, back, 0, None, wanted)
    ur.checked.urEventWait(1, [event])
    assert back.tolist() == given.tolist()
    ur.checked.urEventRelease(event)
    with pytest.raises(ValueError, match="'pDst' is too short: 65 needed, 64 given"):
        ur.urEnqueueMemBufferRead(queue, memory, True, 0, 65, back, 0, None, None)
    size = ur.checked.urMemGetInfo(memory, ur.UR_MEM_INFO_SIZE)
    assert int.from_bytes(size, "little") == 64


def test_a_rectangle_ends_at_its_last_byte(ur, context, queue):
    """C writes exactly as far as PyGPU asks for."""
    given = np.arange(64, dtype="u1")
    memory = ur.ur_mem_handle_t(hContext=context, flags=ur.UR_MEM_FLAG_READ_WRITE, size=64)
    ur.checked.urEnqueueMemBufferWrite(queue, memory, True, 0, 64, given, 0, None, None)
    room = np.full(24, 255, "u1")
    place = ((0, 0, 0), (1, 1, 0), (4, 3, 1), 8, 0, 5, 0)
    ur.checked.urEnqueueMemBufferReadRect(queue, memory, True, *place, room[:20], 0, None, None)
    rows = room.tolist()
    assert [rows[6:10], rows[11:15], rows[16:20]] == [
        [0, 1, 2, 3],
        [8, 9, 10, 11],
        [16, 17, 18, 19],
    ]
    assert rows[20:] == [255] * 4
    with pytest.raises(ValueError, match="'pDst' is too short: 20 needed, 19 given"):
        ur.urEnqueueMemBufferReadRect(queue, memory, True, *place, room[:19], 0, None, None)


def test_a_callable_runs_when_an_event_has_happened(ur, queue):
    called = threading.Event()
    got = []

    def notify(*arguments):
        got.extend(arguments)
        called.set()

    event = ur.checked.urEnqueueEventsWait(queue, 0, None, ur.ur_event_handle_t(0))
    complete = ur.UR_EXECUTION_INFO_COMPLETE
    ur.checked.urEventSetCallback(event, complete, notify, "mine")
    ur.checked.urQueueFinish(queue)
    assert called.wait(30)
    assert got == [event, complete, "mine"]
    ur.checked.urEventRelease(event)


def test_a_device_is_divided(ur, device):
    one_each = ur.ur_device_partition_property_t(type=ur.UR_DEVICE_PARTITION_EQUALLY)
    one_each.value.equally = 1
    properties = ur.ur_device_partition_properties_t(pProperties=[one_each])
    parts, err = ur.urDevicePartition(device, properties)
    if err:
        pytest.skip(f"the device can't be divided: {err}")
    assert len(set(map(int, parts))) == len(parts)
    for part in parts:
        ur.checked.urDeviceRelease(part)
