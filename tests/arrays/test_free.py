"""free(), close() and with: memory goes back at once, and arrays say that they were freed."""

from __future__ import annotations

import ctypes
import gc
import re
import threading
from dataclasses import replace

import numpy as np
import pytest

import PyGPU
from PyGPU import host
from tests.own_interpreter import IN_CHILD, own_interpreter

gpu = PyGPU.checked

if IN_CHILD and PyGPU.backend == "cuda":
    stream = PyGPU.Stream(non_blocking=True)


def nothing_is_left():
    PyGPU.trim_memory()
    assert not host.leaks(), host.leaks()


@pytest.fixture
def freeing(program):
    return replace(program, last=nothing_is_left)


@pytest.fixture
def capturing(behind):
    return behind("drivers_pools.cpp")


def says(kind, words, call, *arguments):
    with pytest.raises(kind, match=re.escape(words)):
        call(*arguments)


def used():
    gpu.cudaDeviceSynchronize()  # frees are queued, too
    return PyGPU.memory_info().used


@own_interpreter("freeing")
def test_an_array_gives_its_memory_back():
    before = used()
    array = PyGPU.zeros(1 << 20, "u1")
    view = array[10:]
    assert used() > before
    assert not array.freed
    array.free()
    assert used() == before
    assert array.freed
    assert view.freed
    array.free()  # a second free does nothing
    assert (array.shape, array.nbytes, array.dtype) == ((1 << 20,), 1 << 20, np.uint8)


@own_interpreter("freeing")
def test_memory_gives_itself_back():
    for free in ("free", "close"):
        before = used()
        memory = PyGPU.DeviceMemory(1 << 20)
        assert used() > before
        getattr(memory, free)()
        assert used() == before
        assert memory.freed
        assert "freed" in repr(memory)
        getattr(memory, free)()
        for call in (int, lambda m: m.__index__(), lambda m: m._as_parameter_):
            says(ValueError, "DeviceMemory", call, memory)
        says(ValueError, "freed", memory.record_stream, 0)
    array = PyGPU.zeros(1 << 20)
    array.gpudata.free()
    array.gpudata.free()
    assert array.freed
    assert used() == before
    says(ValueError, "inside of an allocation", PyGPU.zeros(9)[3:].gpudata.free)


@own_interpreter("freeing")
def test_blocks_end_with_the_memory():
    before = used()
    with PyGPU.zeros(1 << 20) as array, PyGPU.DeviceMemory(1 << 20) as memory:
        assert (array.get() == 0).all()
        assert memory.size == 1 << 20
    assert array.freed
    assert memory.freed
    assert used() == before
    with PyGPU.zeros(9) as array:
        array.free()
    says(ValueError, "freed", array.__enter__)
    says(ValueError, "freed", memory.__enter__)
    with PyGPU.HostMemory(100) as memory:
        assert bytes(memory)
    says(ValueError, "freed", memory.__enter__)


@own_interpreter("freeing")
def test_every_later_use_says_so():
    array, other = PyGPU.zeros((4, 5)), PyGPU.zeros((4, 5))
    view, pointer, typed = array[1:], array.device_data(), array.device_array
    stream, host_array = PyGPU.Stream(), np.zeros((4, 5))
    assert typed.allocated()
    array.free()
    uses = [
        array.get,
        view.get,
        array.get_async,
        lambda: array.set(host_array),
        lambda: array.set_async(host_array, stream),
        lambda: array.fill(3),
        lambda: array.fill(3, stream),
        array.copy,
        lambda: other.set(array),
        lambda: array.set(other),
        lambda: other.__setitem__(..., array),
        lambda: array.__setitem__(..., 1),
        lambda: array.__setitem__(..., other),
        lambda: array[1],
        lambda: array.T,
        lambda: array.reshape(-1),
        lambda: array.view("i8"),
        lambda: array.ptr,
        lambda: array._as_parameter_,
        lambda: array.__dlpack__(),
        lambda: array.item(1, 1),
        lambda: array.record_stream(stream),
        lambda: array.device_data(),
        lambda: array.device_array,
        lambda: PyGPU.GPUArray((4,), "f4", gpudata=array),
        lambda: PyGPU.GPUArray((4,), "f4", gpudata=pointer),
        lambda: PyGPU.wait(array),
        lambda: PyGPU.ready(array),
        lambda: int(pointer),
        lambda: pointer._as_parameter_,
        lambda: gpu.cudaMemcpy(host_array, array, 8, 2),
        lambda: gpu.cudaMemcpy(host_array, pointer, 8, 2),
        lambda: gpu.cudaMemset(array.gpudata, 0, 8),
        lambda: bool(array[0, 0]),
        lambda: PyGPU.concatenate([other, array]),
        lambda: str(array.get()),
        lambda: typed._as_parameter_,
        lambda: gpu.cudaMemcpy(host_array, typed, 8, 2),
        lambda: array.__dlpack__(stream=-1),
    ]
    for use in uses:
        says(ValueError, "freed by free()", use)
    assert "freed" in repr(array)
    assert "freed" in str(array)
    assert "freed" in f"{array}"
    assert not typed.allocated()
    assert not typed.device_data()
    assert typed.to_host() == 1
    assert typed.to_device() == 1
    assert typed.allocate() == 0
    assert typed.allocated()
    assert (other.get() == 0).all()


@own_interpreter("freeing")
def test_empty_arrays():
    array = PyGPU.empty(0)
    array.free()
    array.free()
    assert array.freed
    says(ValueError, "freed", lambda: array.ptr)


@own_interpreter("freeing")
def test_views_and_bases():
    array = PyGPU.zeros(10)
    for view in (array[1:], array.T, array.reshape(2, 5), array[...]):
        says(ValueError, "view", view.free)
    says(ValueError, "view", array[2:].__exit__, None, None, None)
    assert (array.get() == 0).all()
    view = PyGPU.zeros(10).reshape(2, 5)
    view.base.free()
    says(ValueError, "freed", view.get)
    same = PyGPU.GPUArray((10,), gpudata=array)
    same.free()  # two arrays on one memory
    assert array.freed


@own_interpreter("freeing")
def test_memory_of_others():
    raw = gpu.cudaMalloc(80)
    array = PyGPU.GPUArray((10,), gpudata=raw)
    says(ValueError, "another's", array.free)
    array.fill(0)
    PyGPU.wait(array)
    gpu.cudaFree(raw)
    given = []

    class Memory:
        def __init__(self, size):
            self.ptr = gpu.cudaMalloc(size)

        def __del__(self):
            given.append(self.ptr)
            gpu.cudaFree(self.ptr)

    array = PyGPU.zeros(10, allocator=Memory)
    PyGPU.wait(array)
    array.free()
    array.free()
    assert len(given) == 1

    class Resource:
        def allocate(self, size):
            return gpu.cudaMalloc(size)

        def deallocate(self, pointer, size):
            given.append(pointer)
            gpu.cudaFree(pointer)

    memory = PyGPU.DeviceMemory(80, allocator=Resource())
    memory.close()
    del memory
    gc.collect()
    assert len(given) == 2


@own_interpreter("freeing")
def test_host_memory_that_is_lent():
    memory = PyGPU.HostMemory(80)
    array = np.frombuffer(memory)
    says(BufferError, "in use", memory.free)
    array[...] = 5
    del array
    memory.free()
    memory.free()
    assert memory.freed
    assert "freed" in repr(memory)
    for view in (memoryview, lambda m: gpu.cudaMemcpy(m, bytes(8), 8, 0)):
        says(BufferError, "freed", view, memory)
    says(ValueError, "freed", int, memory)
    managed = PyGPU.HostMemory(80, managed=True)
    managed.close()
    assert managed.freed


def host_memory():
    return PyGPU.HostMemory(80)


def managed_memory():
    return PyGPU.HostMemory(80, managed=True)


def allocators_memory():
    allocator = PyGPU.PagelockedAllocator_float64()
    assert allocator.allocate(10) == 0
    return allocator.ptr()


def as_array(array, memory):
    return np.asarray(array.device_data())


def as_view(array, memory):
    return memoryview(memory)


def as_device_array(array, memory):
    return PyGPU.DeviceArray_float64(array.device_data(), 10)


@pytest.mark.parametrize(
    ("made", "seen"),
    [
        (host_memory, as_array),
        (host_memory, as_view),
        (host_memory, as_device_array),
        (managed_memory, as_view),
        (allocators_memory, as_array),
        (allocators_memory, as_view),
        (allocators_memory, as_device_array),
    ],
)
@own_interpreter("freeing")
def test_views_through_any_object_keep_the_memory(made, seen):
    """An array on memory of PyGPU's has that memory's own buffer, which counts all views."""
    memory = made()
    array = PyGPU.GPUArray(10, gpudata=memory)
    view = seen(array, memory)
    frees = [array.free, array.gpudata.free, getattr(memory, "free", array.free)]
    for free in frees:
        says(BufferError, "1 numpy arrays or other views of it exist", free)
    array.fill(3)
    PyGPU.wait(array)
    assert not array.freed
    if seen is not as_device_array:
        assert np.frombuffer(view).tolist() == [3] * 10
    del view
    frees[-1]()
    assert array.freed
    says(ValueError, "freed", array.get)
    says(ValueError, "freed", int, memory)
    says(BufferError, "freed", memoryview, memory)


class Own:
    """Memory of a user's allocator."""

    def __init__(self, size):
        self.ptr = gpu.cudaMalloc(size)

    def __del__(self):
        gpu.cudaFree(self.ptr)


class Resource:
    def allocate(self, size):
        return gpu.cudaMalloc(size)

    def deallocate(self, pointer, size):
        gpu.cudaFree(pointer)


def fill_locked(side):
    array = PyGPU.GPUArray(1000, gpudata=PyGPU.HostMemory(8000))
    array.fill(0, side)
    return array.free


def fill_managed(side):
    array = PyGPU.GPUArray(1000, gpudata=PyGPU.HostMemory(8000, managed=True))
    array.fill(0, side)
    return array.free


def copy_managed(side):
    memory = PyGPU.HostMemory(8000, managed=True)
    gpu.cudaMemcpyAsync(PyGPU.empty(1000).ptr, memory, 8000, 4, side)
    return memory.free


def copy_registered(side):
    memory, array = np.zeros(1000), PyGPU.zeros(1000)
    locked = PyGPU.register(memory)
    array.set_async(memory, side)
    return locked.unregister


def fill_allocated(side):
    array = PyGPU.empty(1000, allocator=Own)
    array.fill(0, side)
    return array.free


def fill_resource(side):
    array = PyGPU.empty(1000, allocator=Resource(), stream=side)
    array.fill(0, side)
    return array.free


def fill_before_a_capture(side):
    """The stream can't be waited for, but still runs what was queued before."""
    free = fill_locked(side)
    gpu.cudaStreamBeginCapture(side, PyGPU.cudaStreamCaptureModeRelaxed)
    return lambda: (free(), gpu.cudaGraphDestroy(gpu.cudaStreamEndCapture(side)))


def copy_to_another_device(side):
    """The address is known, so that the memory is freed after a wait for its own device."""
    with PyGPU.device(1):
        array = PyGPU.ones(1 << 20)
    other = PyGPU.zeros(1 << 20)
    other.set(array)  # makes the link
    assert array.ptr
    other.set_async(array, side)
    array.free()
    return lambda: PyGPU.trim_memory(device=1)


@pytest.mark.parametrize(
    "queue",
    [
        fill_locked,
        fill_managed,
        copy_managed,
        copy_registered,
        fill_allocated,
        fill_resource,
        fill_before_a_capture,
        copy_to_another_device,
    ],
)
@own_interpreter("freeing")
def test_memory_outlives_the_work_that_is_queued_on_it(queue):
    """Of all kinds: the free waits. Strict mode would report work on memory that is freed."""
    side = PyGPU.Stream(non_blocking=True)
    paused, done = host.pause(side), threading.Event()
    free = queue(side)
    waiting = threading.Thread(target=lambda: (free(), done.set()))
    waiting.start()
    assert not done.wait(0.05)
    paused.resume()
    waiting.join()
    assert done.is_set()


@own_interpreter("freeing")
def test_work_that_is_under_way_ends_first():
    stream, third = PyGPU.Stream(non_blocking=True), PyGPU.Stream(non_blocking=True)
    array, out = PyGPU.ones(1 << 20), PyGPU.pagelocked_zeros(1 << 20)
    with host.pause(stream):
        array.get_async(stream, out)
        array.free()
        fresh = PyGPU.zeros(1 << 20, stream=third)  # doesn't get the memory that is still in use
        third.synchronize()
    stream.synchronize()
    assert (out == 1).all()
    assert (fresh.get() == 0).all()


@own_interpreter("freeing")
def test_an_address_that_was_read():
    """Code that PyGPU can't see may use a known address. So free() waits for the device."""
    array = PyGPU.zeros(1 << 20)
    assert array.ptr
    array.free()
    assert PyGPU.memory_info().deferred == array.nbytes
    PyGPU.trim_memory()
    assert PyGPU.memory_info().deferred == 0


@own_interpreter("freeing")
def test_two_threads_free_at_once():
    for _ in range(200):
        array = PyGPU.zeros(1 << 15)
        start = threading.Barrier(4)

        def free(array=array, start=start):
            start.wait()
            array.free()
            array.gpudata.close()

        threads = [threading.Thread(target=free) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert array.freed
    PyGPU.trim_memory()
    assert used() == 0


@own_interpreter("freeing")
def test_free_in_a_host_function():
    """A host function may make no call. The memory is freed by the next ordinary call."""
    array = PyGPU.zeros(1 << 20)
    gpu.cudaLaunchHostFunc(0, lambda _: array.free(), None)
    gpu.cudaStreamSynchronize(0)
    assert array.freed
    PyGPU.empty(1).free()
    assert used() == 0


@own_interpreter("freeing")
def test_after_a_reset():
    array = PyGPU.zeros(100)
    gpu.cudaDeviceReset()
    array.free()
    array.free()
    says(ValueError, "freed", array.get)
    assert (PyGPU.ones(3).get() == 1).all()


@own_interpreter("freeing")
def test_no_address_is_told_after_a_reset():
    """It may be new memory's. Pointers and device arrays are null then, but no call takes them."""
    array, locked = PyGPU.zeros(100), PyGPU.HostMemory(80)
    memory, pointer, typed = array.gpudata, array.device_data(), array.device_array
    gpu.cudaDeviceReset()
    uses = [
        lambda: array.ptr,
        lambda: array.__dlpack__(stream=-1),
        lambda: int(memory),
        lambda: int(locked),
        lambda: PyGPU.GPUArray(10, gpudata=locked),
        *(lambda one=one: one._as_parameter_ for one in (array, memory, locked, pointer, typed)),
        *(lambda one=one: gpu.cudaMemset(one, 0, 8) for one in (array, memory, pointer, typed)),
    ]
    for use in uses:
        says(PyGPU.GPUError, "ontext", use)
    says(BufferError, "reset", lambda: gpu.cudaMemset(locked, 0, 8))
    assert int(pointer) == int(typed.device_data()) == 0


@own_interpreter("freeing")
def test_raw_copies_of_memory_where_a_reset_ended_other_memory():
    """Such a copy concerns the new memory alone, which must not be reused under it."""
    ended = [PyGPU.HostMemory(100 + size) for size in range(8)]
    addresses = {int(one) for one in ended}
    gpu.cudaDeviceReset()
    for _ in range(8):  # ends the host runtime's quarantine of the addresses
        gpu.cudaFreeHost(gpu.cudaHostAlloc(2 << 20, 0))
    new = [PyGPU.HostMemory(1000) for _ in range(8)]
    memory = next(one for one in new if np.frombuffer(one, "u1").ctypes.data in addresses)
    side, array, done = PyGPU.Stream(non_blocking=True), PyGPU.empty(1000, "u1"), threading.Event()
    paused = host.pause(side)
    gpu.cudaMemcpyAsync(array.ptr, memory, 1000, 1, side)
    waiting = threading.Thread(target=lambda: (memory.free(), done.set()))
    waiting.start()
    assert not done.wait(0.05)
    paused.resume()
    waiting.join()
    del ended


@own_interpreter("freeing")
def test_what_ctypes_takes():
    array = PyGPU.zeros(4)
    assert array._as_parameter_.value == array.ptr
    array.free()
    says(ValueError, "freed", lambda: ctypes.c_void_p.from_param(array))


def begin():
    gpu.cudaStreamBeginCapture(stream, PyGPU.cudaStreamCaptureModeGlobal)


def end():
    return gpu.cudaStreamEndCapture(stream)  # raises if the capture was broken


@own_interpreter("capturing")
def test_what_a_graph_uses_stays_for_it():
    array = PyGPU.zeros(1000)
    out = PyGPU.pagelocked_zeros(1000)
    begin()
    array.get_async(stream, out)
    array.free()
    graph = end()
    array.free()
    with pytest.raises(ValueError, match="freed"):
        array.get()
    PyGPU.trim_memory()
    others = [PyGPU.ones(1000) for _ in range(4)]
    gpu.cudaDeviceSynchronize()
    out[...] = 7
    executable = gpu.cudaGraphInstantiate(graph, 0)
    gpu.cudaGraphLaunch(executable, stream)  # strict mode would report a use of freed memory
    stream.synchronize()
    gpu.cudaGraphExecDestroy(executable)
    assert not out.any()
    gpu.cudaGraphDestroy(graph)
    del others
    PyGPU.to_gpu(np.zeros(1))
    PyGPU.trim_memory()
    assert PyGPU.memory_info().used == 0


@own_interpreter("capturing")
def test_free_breaks_no_capture():
    """Frees memory of the captured stream, memory that it used, and memory with a known address."""
    arrays = [PyGPU.zeros(1 << 20, stream=stream) for _ in range(3)]
    arrays += [PyGPU.zeros(1 << 20), PyGPU.zeros(1000)]
    arrays[3].fill(1, stream)
    assert arrays[2].ptr
    stream.synchronize()
    memory, managed = PyGPU.HostMemory(100), PyGPU.HostMemory(100, managed=True)
    begin()
    for array in arrays:
        array.free()
    memory.free()
    managed.free()
    with PyGPU.empty(10) as array:
        pass
    assert array.freed
    assert int(end())
    PyGPU.trim_memory()
    assert PyGPU.memory_info().used == 0
