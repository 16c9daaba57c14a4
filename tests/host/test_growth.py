"""Ended objects leave nothing behind. Freed memory serves again, also for other sizes."""

from __future__ import annotations

import os
import resource
import threading

import pytest

import PyGPU
from PyGPU import hip
from tests.own_interpreter import IN_CHILD, own_interpreter

pytestmark = own_interpreter("on_host")

gpu = PyGPU.checked
MIB = 1 << 20

if IN_CHILD:
    memory, event = gpu.cudaMalloc(1 << 18), gpu.cudaEventCreate()
    stream, gone = gpu.cudaStreamCreate(), gpu.cudaStreamCreate()
    gpu.cudaStreamDestroy(gone)


def streams():
    s = gpu.cudaStreamCreateWithFlags(1)
    gpu.cudaMemcpyAsync(memory, memory + 512, 512, 3, s)
    gpu.cudaStreamSynchronize(s)
    gpu.cudaStreamDestroy(s)


def streams_with_attributes():
    s = gpu.cudaStreamCreate()
    gpu.cudaStreamSetAttribute(s, PyGPU.cudaLaunchAttributePriority, -1)
    gpu.cudaStreamDestroy(s)


def streams_with_work_that_they_leave_behind():
    s = gpu.cudaStreamCreateWithFlags(1)
    gpu.cudaMemsetAsync(memory, 1, 1 << 17, s)
    gpu.cudaEventRecord(event, s)
    gpu.cudaStreamDestroy(s)


def events():
    e = gpu.cudaEventCreate()
    gpu.cudaEventRecord(e, 0)
    gpu.cudaEventDestroy(e)


def pools():
    q = gpu.cudaMemPoolCreate({"allocType": 1, "location": (1, 0)})
    p = gpu.cudaMallocFromPoolAsync(512, q, stream)
    gpu.cudaFreeAsync(p, stream)
    gpu.cudaMemPoolDestroy(q)


def arrays():
    gpu.cudaFreeArray(gpu.cudaMallocArray((8, 0, 0, 0, 0), 64, 8, 0))


def pieces():
    gpu.cudaFree(gpu.cudaMalloc(4096))
    gpu.cudaFreeHost(gpu.cudaMallocHost(4096))


def managed_memory():
    p = gpu.cudaMallocManaged(8192, 1)
    gpu.cudaMemAdvise(p, 4096, 1, (1, 0))
    gpu.cudaFree(p)


def contexts_of_hips():
    hip.checked.hipCtxDestroy(hip.checked.hipCtxCreate(0, 0))


def failing_calls():
    PyGPU.cudaFree(16), PyGPU.cudaStreamQuery(gone), PyGPU.cudaSetDevice(99)


TURNS = [
    streams,
    streams_with_attributes,
    streams_with_work_that_they_leave_behind,
    events,
    pools,
    arrays,
    pieces,
    managed_memory,
    contexts_of_hips,
    failing_calls,
]


def pages(which: int) -> int:
    """The process's address space (0) or resident memory (1), in bytes."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[which]) * os.sysconf("SC_PAGESIZE")


def turns(turn, count):
    """With little queued work at a time: each stream that has some has a thread."""
    for at in range(count):
        turn()
        if at % 4 == 3:
            gpu.cudaDeviceSynchronize()


def start_all_threads():
    """The runtime keeps up to 32 threads of streams for later ones; each has a stack."""
    go = threading.Event()
    streams = [gpu.cudaStreamCreateWithFlags(1) for _ in range(40)]
    for one in streams:
        gpu.cudaMemsetAsync(memory, 1, 1 << 17, one)
        gpu.cudaLaunchHostFunc(one, lambda _: go.wait(), None)
    go.set()
    for one in streams:
        gpu.cudaStreamSynchronize(one)
        gpu.cudaStreamDestroy(one)


@pytest.mark.parametrize("turn", TURNS)
def test_what_is_over_leaves_nothing_behind(turn):
    start_all_threads()
    turns(turn, 3000)
    before = pages(1)
    turns(turn, 15000)
    threads = 4 * MIB if turn is streams_with_work_that_they_leave_behind else 0  # a few more
    assert pages(1) - before < MIB + threads


def resident() -> int:
    """Resident memory in bytes, which needs no page size: qemu gives programs another one."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmRSS"))


def test_large_memory_that_was_freed_goes_back_to_the_system():
    """Its pages do, also where a page has 64 KiB, as on some aarch64 systems."""
    before = resident()
    for _ in range(4):
        large = gpu.cudaMalloc(100 * MIB)
        gpu.cudaMemset(large, 1, 100 * MIB)
        gpu.cudaDeviceSynchronize()
        assert resident() - before > 90 * MIB
        gpu.cudaFree(large)
        assert resident() - before < 10 * MIB


def test_streams_that_are_idle_need_no_thread():
    done = []
    streams = [gpu.cudaStreamCreateWithFlags(1) for _ in range(2000)]
    for stream in streams:
        gpu.cudaLaunchHostFunc(stream, done.append, None)
        gpu.cudaStreamSynchronize(stream)
    assert len(done) == 2000
    with open("/proc/self/status") as file:
        threads = next(int(line.split()[1]) for line in file if line.startswith("Threads"))
    assert threads < 100


def test_many_streams_at_work_at_once():
    """Each busy stream has a thread. No stream waits for the end of another one's work."""
    count = 200
    streams = [gpu.cudaStreamCreateWithFlags(1) for _ in range(count)]
    meeting = threading.Barrier(count)
    for _ in range(3):
        for stream in streams:
            gpu.cudaLaunchHostFunc(stream, lambda _: meeting.wait(), None)
        gpu.cudaDeviceSynchronize()


def limit_addresses(more: int) -> None:
    gpu.cudaFree(gpu.cudaMalloc(64))  # initialises the library
    resource.setrlimit(resource.RLIMIT_AS, (pages(0) + more,) * 2)


def test_pieces_that_were_freed_serve_for_larger_ones():
    limit_addresses(200 * MIB)
    free = gpu.cudaMemGetInfo()[0]
    for size in (10, 20, 30):
        pieces = [gpu.cudaMalloc(size * MIB) for _ in range(150 // size)]
        for piece in pieces:
            gpu.cudaFree(piece)
        assert gpu.cudaMemGetInfo()[0] == free


def test_a_process_without_more_addresses_gets_codes():
    limit_addresses(200 * MIB)
    held = []
    for_python = bytearray(4 * MIB)
    while True:
        pointer, error = PyGPU.cudaMalloc(MIB + 1)
        if error:
            break
        held.append(pointer)
    del for_python  # Python needs addresses for the objects below
    assert error == PyGPU.cudaErrorMemoryAllocation and 100 < len(held) < 200
    created = [PyGPU.cudaStreamCreateWithFlags(1) for _ in range(100)]
    pairs = zip(held, created, strict=False)
    codes = {int(PyGPU.cudaMemsetAsync(p, 0, MIB, s)) for p, (s, e) in pairs if not e}
    assert codes <= {0, 2, 304}
    for pointer in held:
        gpu.cudaFree(pointer)
    assert gpu.cudaMalloc(100 * MIB)


def test_handles_stay_handles_where_addresses_are_few():
    limit_addresses(1 << 30)
    handles = [int(gpu.cudaStreamCreate()) for _ in range(10)]
    assert len(set(handles)) == 10 and min(handles) > 1 << 32
