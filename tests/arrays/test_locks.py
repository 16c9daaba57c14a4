"""PyGPU holds no lock over a call that may wait, for the call may wait for a thread that needs it.

The sanitizer builds check this at every call into a runtime or into Python (base/lock.hpp).
"""

from __future__ import annotations

import ctypes
import os
import threading

import numpy as np
import pytest

import PyGPU
from PyGPU import host
from tests.own_interpreter import IN_CHILD, own_interpreter

pytestmark = own_interpreter("held")

gpu = PyGPU.checked
BLOCK, BLOCKS = 256 << 10, 8  # the staging ring of small uploads
NOT_PERMITTED = 800

if IN_CHILD:
    front = ctypes.CDLL(os.environ["PYGPU_CUDA_LIBRARY"])
    PyGPU.to_gpu(np.zeros(3))


@pytest.fixture
def held(behind):
    return behind("held_calls.cpp")


def status_of(call, *arguments):
    try:
        call(*arguments)
    except PyGPU.GPUError as error:
        return int(error.error)
    return 0


def uploads(array, count):
    source = np.ones(BLOCK, "u1")
    for _ in range(count):
        array.set(source)


def test_an_upload_in_a_host_function_while_the_ring_is_full():
    """The device runs the function, and the thread that fills the ring waits for the device."""
    array, other = (PyGPU.empty(BLOCK, "u1") for _ in range(2))
    told = []

    def upload(_):
        assert front.wait_for_held()  # now the other thread waits for room in the ring
        told.append(status_of(other.set, np.ones(BLOCK, "u1")))
        told.append(status_of(other.get))

    front.hold(b"cudaEventSynchronize")
    gpu.cudaLaunchHostFunc(0, upload, None)
    filling = threading.Thread(target=uploads, args=(array, BLOCKS + 1))
    filling.start()
    gpu.cudaStreamSynchronize(0)
    assert front.let_go()
    filling.join()
    assert told == [NOT_PERMITTED] * 2, told
    assert array.get().all()


def test_uploads_while_another_is_held_up():
    """A held-up copy keeps no other thread from the ring.

    It is never taken for finished too early.
    """
    first, second = (PyGPU.zeros(BLOCK // 8) for _ in range(2))
    PyGPU.wait(first), PyGPU.wait(second)
    side = PyGPU.Stream(non_blocking=True)
    out = PyGPU.pagelocked_zeros(BLOCK // 8)
    front.hold(b"cudaMemcpyAsync")
    late = threading.Thread(target=first.set, args=(np.full(BLOCK // 8, 7.0),))
    late.start()
    assert front.wait_for_held()
    for value in range(3 * BLOCKS):  # goes around the ring, up to the block in use
        second.set(np.full(BLOCK // 8, float(value)))
    assert (second.get() == 3 * BLOCKS - 1).all()
    with host.pause(0):
        assert front.let_go()
        late.join()
        first.get_async(side, out)  # comes after the upload, which is not done yet
    side.synchronize()
    assert (out == 7).all(), out


def test_uploads_from_many_threads():
    arrays = [PyGPU.zeros(1000) for _ in range(8)]

    def work(array, number):
        side, out = PyGPU.Stream(non_blocking=True), PyGPU.pagelocked_zeros(1000)
        for turn in range(200):
            array.set(np.full(1000, number + turn))
            array.get_async(side, out)
            side.synchronize()
            assert (out == number + turn).all()
        done.append(number)

    done: list[int] = []
    threads = [threading.Thread(target=work, args=(a, n * 1000.0)) for n, a in enumerate(arrays)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == len(arrays)


def test_memory_is_trimmed_while_others_upload():
    array = PyGPU.zeros(1000)
    stop = threading.Event()

    def work():
        while not stop.is_set():
            array.set(np.ones(1000))

    thread = threading.Thread(target=work)
    thread.start()
    for _ in range(100):
        PyGPU.trim_memory()
    stop.set()
    thread.join()
    assert array.get().all()


def test_a_pool_is_made_by_two_threads():
    """One of the two pools is used, and the other one is destroyed."""
    made = []

    def work():
        with PyGPU.device(1):
            made.append(PyGPU.empty(1000))

    front.hold(b"cudaMemPoolCreate")
    late = threading.Thread(target=work)
    late.start()
    assert front.wait_for_held()
    work()
    assert front.let_go()
    late.join()
    assert PyGPU.memory_info(1).used == 2 * made[0].nbytes
    assert front.destroyed_pools() == 1


def test_two_threads_allocate_by_one_allocator():
    """The later one's memory stays. Its size is told at once, also while the other's is freed."""
    one = PyGPU.DeviceAllocator_float64()
    front.hold(b"cudaStreamSynchronize")
    late = threading.Thread(target=one.allocate, args=(10,))
    late.start()
    assert front.wait_for_held()
    assert one.allocate(1 << 20) == 0
    front.hold(b"cudaFreeAsync")
    assert front.let_go()
    assert front.wait_for_held()
    assert (one.size(), one.nbytes()) == (10, 80)
    assert front.let_go()
    late.join()


def host_memory():
    memory = PyGPU.HostMemory(8000)
    return PyGPU.GPUArray(1000, gpudata=memory), memory.free


def device_memory():
    array = PyGPU.zeros(1000)
    PyGPU.wait(array)
    return array, array.free


@pytest.mark.parametrize(
    ("made", "limit", "waits_in"),
    [
        (host_memory, 0, b"cudaStreamSynchronize"),
        (host_memory, 64 << 20, b"cudaStreamSynchronize"),
        (device_memory, 0, b"cudaStreamWaitEvent"),
    ],
)
def test_a_reset_while_a_free_waits(made, limit, waits_in):
    """It ends the memory: its address may be new memory's when the wait is over."""
    PyGPU.set_pinned_limit(limit)
    side = PyGPU.Stream(non_blocking=True)
    array, free = made()
    with host.pause(side):
        array.fill(0, side)
        front.hold(waits_in)
        freeing = threading.Thread(target=free)
        freeing.start()
        assert front.wait_for_held()
    gpu.cudaDeviceReset()
    with host.reports() as misuse:
        assert front.let_go()
        freeing.join()
        memory = PyGPU.HostMemory(8000)
        attributes = PyGPU.checked.cudaPointerGetAttributes(int(memory))
        assert attributes.type == PyGPU.cudaMemoryTypeHost
        PyGPU.trim_memory()
    assert not any("cudaFree" in report.split("(")[0] for report in misuse), misuse
