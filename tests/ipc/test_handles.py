"""Memory and events that another process opens with the C functions, on the host runtime."""

from __future__ import annotations

import os
from multiprocessing.connection import Connection

import numpy as np

import PyGPU
from tests.ipc.processes import another, answer
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_host")

COUNT = 1000
LAZY_PEER_ACCESS, NO_TIMING, INTERPROCESS = 1, 2, 4
NOT_READY, INVALID_VALUE = 600, 1


def double(connection: Connection, handle: bytes) -> None:
    """Opens memory twice, doubles its elements, and sends the results."""
    gpu = PyGPU.checked
    pointer = gpu.cudaIpcOpenMemHandle(handle, LAZY_PEER_ACCESS)
    same = gpu.cudaIpcOpenMemHandle(handle, LAZY_PEER_ACCESS) == pointer
    elements = np.empty(COUNT, np.float32)
    gpu.cudaMemcpy(elements, pointer, elements.nbytes, 2)
    gpu.cudaMemcpy(pointer, elements * 2, elements.nbytes, 1)
    freed = int(PyGPU.cudaFree(pointer))
    closed = [int(PyGPU.cudaIpcCloseMemHandle(pointer)) for _ in range(3)]
    connection.send((same, freed, closed))


def test_what_one_writes_the_other_reads():
    gpu = PyGPU.checked
    for count in (COUNT, 1 << 20):  # small memory, which shares no pages, and mapped memory
        pointer = gpu.cudaMalloc(4 * count)
        elements = np.arange(count, dtype=np.float32)
        gpu.cudaMemcpy(pointer, elements, elements.nbytes, 1)
        handle = gpu.cudaIpcGetMemHandle(pointer)
        with another(double, bytes(handle.reserved)) as process:
            assert answer(process) == (True, INVALID_VALUE, [0, 0, INVALID_VALUE])
        result = np.empty(count, np.float32)
        gpu.cudaMemcpy(result, pointer, result.nbytes, 2)
        assert (result[:COUNT] == elements[:COUNT] * 2).all()
        assert (result[COUNT:] == elements[COUNT:]).all()
        gpu.cudaFree(pointer)
    assert not PyGPU.host.leaks()


def open_late(connection: Connection, handle: bytes) -> None:
    connection.recv()
    connection.send(int(PyGPU.cudaIpcOpenMemHandle(handle, LAZY_PEER_ACCESS)[-1]))


def test_freed_memory_is_not_opened():
    gpu = PyGPU.checked
    pointer = gpu.cudaMalloc(64)
    handle = gpu.cudaIpcGetMemHandle(pointer)
    with another(open_late, bytes(handle.reserved)) as process:
        gpu.cudaFree(pointer)
        kept = [
            gpu.cudaMalloc(64) for _ in range(8)
        ]  # one of these may have its address and its descriptor
        for one in kept:
            gpu.cudaIpcGetMemHandle(one)
        process.send("freed")
        assert answer(process) == INVALID_VALUE


def wait_for_event(connection: Connection, memory: bytes, event: bytes) -> None:
    """Sends whether the event was reached, then the elements after it."""
    gpu = PyGPU.checked
    pointer = gpu.cudaIpcOpenMemHandle(memory, LAZY_PEER_ACCESS)
    opened, stream = gpu.cudaIpcOpenEventHandle(event), gpu.cudaStreamCreate()
    connection.send(int(PyGPU.cudaEventQuery(opened)))
    elements = np.zeros(COUNT, np.float32)
    gpu.cudaStreamWaitEvent(stream, opened, 0)
    connection.send(int(PyGPU.cudaStreamQuery(stream)))
    gpu.cudaMemcpyAsync(elements, pointer, elements.nbytes, 2, stream)
    gpu.cudaEventSynchronize(opened)
    gpu.cudaStreamSynchronize(stream)
    connection.send((int(PyGPU.cudaEventQuery(opened)), elements.tolist()))
    gpu.cudaEventRecord(opened, stream)  # the other process sees this recording, too
    connection.send(None)


def test_events_order_work_across_processes():
    gpu = PyGPU.checked
    elements = np.arange(COUNT, dtype=np.float32)
    pointer, stream = gpu.cudaMalloc(elements.nbytes), gpu.cudaStreamCreate()
    event = gpu.cudaEventCreateWithFlags(NO_TIMING | INTERPROCESS)
    handles = [gpu.cudaIpcGetMemHandle(pointer), gpu.cudaIpcGetEventHandle(event)]
    with another(wait_for_event, *(bytes(handle.reserved) for handle in handles)) as process:
        assert answer(process) == 0, "never recorded"
        assert answer(process) == 0
        assert answer(process)[0] == 0
        assert answer(process) is None
        gpu.cudaEventSynchronize(event)
    with PyGPU.host.pause(stream) as paused:
        gpu.cudaMemcpyAsync(pointer, elements, elements.nbytes, 1, stream)
        gpu.cudaEventRecord(event, stream)
        with another(wait_for_event, *(bytes(handle.reserved) for handle in handles)) as process:
            assert [answer(process), answer(process)] == [NOT_READY, NOT_READY]
            paused.resume()
            assert answer(process) == (0, elements.tolist())
            assert answer(process) is None


def tell_whether_reached(connection: Connection, event: bytes) -> None:
    opened = PyGPU.checked.cudaIpcOpenEventHandle(event)
    waiting = PyGPU.checked.cudaStreamCreate()
    PyGPU.checked.cudaStreamWaitEvent(waiting, opened, 0)
    connection.send("waits")
    connection.recv()
    connection.send(int(PyGPU.cudaStreamQuery(waiting)))
    PyGPU.checked.cudaStreamSynchronize(waiting)


def test_who_waits_for_a_recording_does_not_go_on_with_a_later_one():
    gpu = PyGPU.checked
    event = gpu.cudaEventCreateWithFlags(NO_TIMING | INTERPROCESS)
    handle = gpu.cudaIpcGetEventHandle(event)
    stream, idle = gpu.cudaStreamCreateWithFlags(1), gpu.cudaStreamCreateWithFlags(1)
    with PyGPU.host.pause(stream) as paused:
        gpu.cudaMemsetAsync(gpu.cudaMalloc(64), 0, 64, stream)
        gpu.cudaEventRecord(event, stream)
        with another(tell_whether_reached, bytes(handle.reserved)) as process:
            assert answer(process) == "waits"
            gpu.cudaEventRecord(event, idle)
            process.send("recorded again")
            assert answer(process) == NOT_READY
            paused.resume()


def record_and_leave(connection: Connection, event: bytes) -> None:
    """Records an event that is never reached, and exits."""
    gpu, stream = PyGPU.checked, PyGPU.checked.cudaStreamCreate()
    PyGPU.host.pause(stream)
    opened = gpu.cudaIpcOpenEventHandle(event)
    gpu.cudaMemsetAsync(gpu.cudaMalloc(64), 0, 64, stream)
    gpu.cudaEventRecord(opened, stream)
    connection.send(int(PyGPU.cudaEventQuery(opened)))
    connection.recv()
    os._exit(0)


def test_nobody_waits_for_a_process_that_is_gone():
    gpu = PyGPU.checked
    event = gpu.cudaEventCreateWithFlags(NO_TIMING | INTERPROCESS)
    handle = gpu.cudaIpcGetEventHandle(event)
    with another(record_and_leave, bytes(handle.reserved)) as process:
        assert answer(process) == NOT_READY
        assert PyGPU.cudaEventQuery(event) == NOT_READY
        process.send("leave")
    gpu.cudaEventSynchronize(event)
