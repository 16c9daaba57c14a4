"""The order of work on several devices; each test in an interpreter of its own."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import PyGPU
from PyGPU import host
from tests.own_interpreter import own_interpreter


@own_interpreter("on_host", PYGPU_HOST_DEVICES="3")
def test_a_copy_between_devices_waits_for_both_and_both_for_it():
    gpu, size, memory, streams = PyGPU.checked, 1 << 20, [], []
    for device in range(3):
        gpu.cudaSetDevice(device)
        memory.append(gpu.cudaMalloc(size))
        streams.append(gpu.cudaStreamCreateWithFlags(1))
    pauses = [host.pause(stream) for stream in streams]
    gpu.cudaSetDevice(0)
    gpu.cudaMemsetAsync(memory[0], 1, size, streams[0])
    gpu.cudaMemsetAsync(memory[1], 1, size, streams[1])
    # It names no stream, so it is ordered with all work of all three devices.
    gpu.cudaMemcpyPeer(memory[2], 2, memory[1], 1, size)
    assert not gpu.cudaStreamQuery(0)
    gpu.cudaMemsetAsync(memory[2], 2, size // 2, streams[2])
    pauses[2].resume()
    assert not gpu.cudaStreamQuery(streams[2])
    pauses[1].resume()
    assert not gpu.cudaStreamQuery(0)
    pauses[0].resume()
    gpu.cudaStreamSynchronize(streams[2])
    back = np.zeros(size, np.uint8)
    gpu.cudaMemcpy(back, memory[2], size, 2)
    assert (back[: size // 2] == 2).all() and (back[size // 2 :] == 1).all()


@own_interpreter("on_host", PYGPU_HOST_DEVICES="2")
def test_an_event_orders_streams_of_two_devices():
    gpu, size = PyGPU.checked, 1 << 20
    first, event = gpu.cudaStreamCreateWithFlags(1), gpu.cudaEventCreate()
    a = gpu.cudaMallocAsync(size, first)
    gpu.cudaSetDevice(1)
    second = gpu.cudaStreamCreateWithFlags(1)
    b = gpu.cudaMallocAsync(size, second)
    with host.pause(first):
        gpu.cudaMemsetAsync(a, 7, size, first)
        gpu.cudaSetDevice(0)
        gpu.cudaEventRecord(event, first)
        gpu.cudaSetDevice(1)
        gpu.cudaStreamWaitEvent(second, event)
        gpu.cudaMemcpyPeerAsync(b, 1, a, 0, size, second)
        gpu.cudaFreeAsync(a, second)
        assert not gpu.cudaStreamQuery(second)
    back = np.zeros(size, np.uint8)
    gpu.cudaMemcpyAsync(back, b, size, 2, second)
    assert (back == 7).all()
    assert gpu.cudaPointerGetAttributes(a).type == 0


@pytest.mark.parametrize("last", ["synchronize", "free"])
@own_interpreter("on_host", PYGPU_HOST_DEVICES="3")
def test_a_device_is_done_only_after_a_copy_of_another_into_its_memory(last):
    """Synchronising and freeing wait for the copy, though it is on another device's stream."""
    gpu, size = PyGPU.checked, 1 << 20
    gpu.cudaSetDevice(2)
    target = gpu.cudaMalloc(size)
    gpu.cudaSetDevice(1)
    source, stream = gpu.cudaMalloc(size), gpu.cudaStreamCreateWithFlags(0)
    pause = host.pause(stream)
    gpu.cudaMemsetAsync(source, 1, size, stream)
    gpu.cudaSetDevice(0)
    gpu.cudaMemcpyPeer(target, 2, source, 1, size)
    done = threading.Event()

    def work():
        gpu.cudaSetDevice(2)
        if last == "synchronize":
            gpu.cudaDeviceSynchronize()
        else:
            gpu.cudaFree(target)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    assert not done.wait(0.3)
    pause.resume()
    assert done.wait(20)
    thread.join()


@own_interpreter("on_host", PYGPU_HOST_DEVICES="2")
def test_a_default_stream_is_done_after_copies_of_others_into_its_device():
    gpu, size = PyGPU.checked, 4096
    memory = []
    for device in range(2):
        gpu.cudaSetDevice(device)
        memory.append(gpu.cudaMalloc(size))
    gpu.cudaSetDevice(0)
    with host.pause(0):
        gpu.cudaMemcpyPeer(memory[1], 1, memory[0], 0, size)
        gpu.cudaSetDevice(1)
        assert not gpu.cudaStreamQuery(0), "the copy is in line with its work"
        done = []

        def wait():
            gpu.cudaSetDevice(1)
            gpu.cudaStreamSynchronize(0)
            done.append(gpu.cudaStreamQuery(0))

        waiting = threading.Thread(target=wait)
        waiting.start()
        gpu.cudaSetDevice(0)
    waiting.join()
    assert done == [True]


@own_interpreter("on_host")
def test_a_request_that_no_device_can_serve_leaves_the_pool_as_it_was():
    gpu = PyGPU.checked
    pool = gpu.cudaDeviceGetDefaultMemPool(0)

    def held():
        names = ("ReservedMemCurrent", "ReservedMemHigh", "UsedMemCurrent", "UsedMemHigh")
        values = [getattr(PyGPU, "cudaMemPoolAttr" + name) for name in names]
        return [gpu.cudaMemPoolGetAttribute(pool, value) for value in values]

    pointer = gpu.cudaMallocAsync(1 << 20, 0)
    before = held()
    assert PyGPU.cudaMallocAsync(1 << 50, 0)[-1] == PyGPU.cudaErrorMemoryAllocation
    assert held() == before
    PyGPU.cudaGetLastError()
    gpu.cudaFree(pointer)
