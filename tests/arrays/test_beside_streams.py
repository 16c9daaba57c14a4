"""DeviceArray, Stream and Event beside other code's work: on a GPU, and on the host runtime."""

from __future__ import annotations

import gc

import numpy as np
import pytest

pytestmark = pytest.mark.device

SIZE = 8 << 20


def test_memory_let_go_of_under_a_busy_stream_is_not_reused_yet(device):
    stream = device.Stream(non_blocking=True)
    busy = device.DeviceMemory(SIZE)
    for _ in range(3):
        da = device.DeviceArray_uint8(SIZE)
        assert not da.allocate()
        for byte in range(40):
            assert not device.cudaMemsetAsync(busy, byte, SIZE, stream)
        assert not device.cudaMemsetAsync(da, 255, SIZE, stream)
        del da
        other = device.DeviceArray_uint8(SIZE)
        assert other.allocate() == other.to_device() == 0
        stream.synchronize()
        np.asarray(other.host_data())[...] = 1
        assert not other.to_host()
        assert not np.asarray(other.host_data()).any()


def test_copies_come_after_a_blocking_stream(device):
    """No synchronise is needed, as with cudaMemcpy."""
    stream = device.Stream()
    da = device.DeviceArray_uint8(SIZE)
    assert not da.allocate()
    for byte in range(100):
        assert not device.cudaMemsetAsync(da, byte, SIZE, stream)
    assert not da.to_host()
    assert (np.asarray(da.host_data()) == 99).all()


def test_events_order_and_measure(device):
    first, second = device.Stream(True), device.Stream(True)
    memory = device.DeviceArray_uint8(SIZE)
    assert not memory.allocate()
    start = first.record()
    for byte in range(50):
        assert not device.cudaMemsetAsync(memory, byte, SIZE, first)
    end = first.record()
    second.wait(end)
    assert not device.cudaMemsetAsync(memory, 123, SIZE, second)
    second.synchronize()
    assert end.query()
    assert 0 < start.elapsed_time(end) < 60_000
    assert not memory.to_host()
    assert (np.asarray(memory.host_data()) == 123).all()


def test_memory_is_freed_once_streams_that_nobody_named_are_done(device):
    """trim_memory() waits without cudaDeviceSynchronize, which would break a capture."""
    stream = device.cudaStream_t(flags=device.cudaStreamNonBlocking)
    memory = device.DeviceArray_uint8(SIZE)
    assert not memory.allocate()
    address = int(memory.device_data())
    for byte in range(200):
        assert not device.cudaMemsetAsync(address, byte, SIZE, stream)
    del memory
    device.trim_memory()
    assert not device.cudaStreamQuery(stream)


def test_a_capture_in_global_mode_stays_intact(device):
    stream = device.Stream(non_blocking=True)
    exposed = device.DeviceArray_uint8(4096)
    exposed.allocate(), int(exposed.device_data())
    plain = device.DeviceArray_uint8(4096)
    plain.allocate()
    cycle = [device.Stream(), device.Event().record()]
    cycle.append(cycle)
    known = [device.managed_empty(1000), device.pagelocked_empty(1000)]
    for memory in known:
        assert not device.cudaPointerGetAttributes(memory)[1]
    assert not device.cudaStreamBeginCapture(stream, device.cudaStreamCaptureModeGlobal)
    assert not device.cudaMemsetAsync(exposed, 1, 4096, stream)
    del exposed, plain, cycle, known, memory
    gc.collect()
    device.trim_memory()
    fresh = device.DeviceArray_uint8(4096)
    assert fresh.allocate() == fresh.to_device() == fresh.to_host() == 0
    other = device.Stream(True)
    other.record().synchronize()
    graph, error = device.cudaStreamEndCapture(stream)
    assert not error
    assert int(graph)
    assert not device.cudaGraphDestroy(graph)


def test_captured_copies_run_with_every_launch(device):
    stream = device.Stream(non_blocking=True)
    a = device.zeros(1000)
    source = device.pagelocked_zeros(1000)
    source += 1
    assert not device.cudaStreamBeginCapture(stream, device.cudaStreamCaptureModeGlobal)
    a.set_async(source, stream)
    out = a.get_async(stream)
    with pytest.raises(device.GPUError) as refused:
        a.get(stream=stream)
    assert refused.value.error == device.cudaErrorStreamCaptureUnsupported
    with stream:
        fresh = device.empty(1000)
    del a, source
    gc.collect()
    device.to_gpu(np.zeros(1)), device.trim_memory()
    graph, error = device.cudaStreamEndCapture(stream)
    assert not error
    executable, error = device.cudaGraphInstantiate(graph, 0)
    assert not error
    for _ in range(2):
        out[...] = 0
        assert not device.cudaGraphLaunch(executable, stream)
        stream.synchronize()
        assert (out == 1).all()
    fresh.fill(3)
    assert (fresh.get() == 3).all()
    assert not device.cudaGraphExecDestroy(executable)
    assert not device.cudaGraphDestroy(graph)
    assert not device.cudaGetLastError()


def test_the_last_error_of_others_stays(device):
    assert device.cudaSetDevice(-1) == device.cudaErrorInvalidDevice
    da = device.DeviceArray_uint8(16)
    assert da.to_device() == device.cudaErrorInvalidValue
    assert da.allocate() == da.to_device() == da.to_host() == 0
    with device.Stream() as stream:
        stream.query(), stream.record().synchronize()
    del da, stream
    assert device.cudaGetLastError() == device.cudaErrorInvalidDevice


def test_the_last_error_of_others_stays_where_own_calls_fail(device):
    if device.backend == "host":
        pytest.skip("the host runtime would report the null event that puts this error back")
    begin, end = device.cudaEvent_t(), device.cudaEvent_t()
    code = device.cudaEventElapsedTime(begin, end)[-1]  # the events were never recorded
    assert code == device.cudaErrorInvalidResourceHandle == device.cudaPeekAtLastError()
    assert device.DeviceArray_uint8(16).to_device() == device.cudaErrorInvalidValue
    with pytest.raises(MemoryError):
        device.empty(1 << 60, "u1")
    assert device.cudaGetLastError() == code
