"""PyGPU.MemoryPool: memory for arrays, its limits and what it counts."""

from __future__ import annotations

import gc
import os
import threading

import numpy as np
import pytest

import PyGPU
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_devices")
gpu = PyGPU.checked
SIZE = 1 << 20


def test_arrays_lie_in_it():
    pool = PyGPU.MemoryPool()
    array = PyGPU.empty(SIZE // 4, np.float32, allocator=pool)
    array.fill(2)
    assert pool.used_mem_current >= SIZE
    assert pool.reserved_mem_current >= pool.used_mem_current
    assert array.get().sum() == SIZE // 2
    del array
    gpu.cudaDeviceSynchronize()
    assert pool.used_mem_current == 0
    assert pool.used_mem_high >= SIZE


def test_memory_on_a_stream():
    pool, stream = PyGPU.MemoryPool(), PyGPU.Stream(non_blocking=True)
    memory = pool.allocate(SIZE, stream=stream)
    assert memory.size == SIZE
    array = PyGPU.GPUArray(SIZE, np.uint8, gpudata=memory)
    array.fill(7, stream)
    assert PyGPU.wait(array.get_async(stream)).tolist() == [7] * SIZE
    memory.free()
    stream.synchronize()
    assert pool.used_mem_current == 0


def test_small_memory_goes_back_to_it():
    """Not into what PyGPU keeps for its own arrays."""
    pool = PyGPU.MemoryPool()
    for _ in range(3):
        array = PyGPU.empty(64, np.uint8, allocator=pool)
        array.fill(1)
        assert pool.used_mem_current > 0
        del array
        gpu.cudaDeviceSynchronize()
        assert pool.used_mem_current == 0


def test_freeing_waits_for_nothing():
    """A stream that waits for the host would otherwise never be done."""
    pool, stream, go_on = PyGPU.MemoryPool(), PyGPU.Stream(non_blocking=True), threading.Event()
    memory = pool.allocate(SIZE, stream=stream)
    array = PyGPU.GPUArray(SIZE, np.uint8, gpudata=memory)
    gpu.cudaLaunchHostFunc(stream, lambda _: go_on.wait(60), None)
    array.fill(7, stream)
    array.free()
    memory.free()
    assert not stream.query()
    go_on.set()
    stream.synchronize()
    assert pool.used_mem_current == 0


def test_a_capture_refuses():
    pool, stream = PyGPU.MemoryPool(), PyGPU.Stream()
    with pytest.raises(PyGPU.GPUError), stream.capture():
        pool.allocate(SIZE)
    assert pool.used_mem_current == 0


def test_all_arrays_lie_in_it():
    pool = PyGPU.MemoryPool()
    PyGPU.set_allocator(pool)
    array = PyGPU.zeros(SIZE, np.uint8)
    PyGPU.set_allocator(None)
    assert pool.used_mem_current >= SIZE
    assert (array + array).get().sum() == 0
    assert pool.used_mem_current < 2 * SIZE


@own_interpreter("on_host", PYGPU_HOST_DEVICES="2")
def test_it_lies_on_its_own_device():
    pool = PyGPU.MemoryPool(PyGPU.Device(1))
    array = PyGPU.empty(4, np.float32, allocator=pool)
    assert (array.device, pool.device_id) == (1, 1)
    assert PyGPU.Device().device_id == 0
    pool.allow(0)
    location = {"type": 1, "id": 0}
    assert gpu.cudaMemPoolGetAccess(pool, location) == PyGPU.cudaMemAccessFlagsProtReadWrite
    pool.forbid(0)
    assert gpu.cudaMemPoolGetAccess(pool, location) == PyGPU.cudaMemAccessFlagsProtNone


def test_trim_and_threshold():
    pool = PyGPU.MemoryPool(release_threshold=2**40)
    assert pool.release_threshold == 2**40
    pool.allocate(SIZE).free()
    gpu.cudaDeviceSynchronize()
    assert pool.reserved_mem_current >= SIZE
    pool.trim()
    assert pool.reserved_mem_current == 0
    pool.release_threshold = 5
    assert pool.release_threshold == 5


def test_high_water_marks_are_reset():
    pool = PyGPU.MemoryPool()
    pool.allocate(SIZE).free()
    gpu.cudaDeviceSynchronize()
    pool.trim()
    assert pool.used_mem_high >= SIZE <= pool.reserved_mem_high
    pool.used_mem_high = pool.reserved_mem_high = 0
    assert (pool.used_mem_high, pool.reserved_mem_high) == (0, 0)
    with pytest.raises(AttributeError):
        pool.used_mem_current = 0
    with pytest.raises(PyGPU.GPUError):
        pool.used_mem_high = 1


def test_a_limit():
    pool = PyGPU.MemoryPool(max_size=64 * SIZE)
    kept = pool.allocate(SIZE)
    with pytest.raises(MemoryError):
        pool.allocate(128 * SIZE)
    assert kept.size == SIZE


def test_pools_of_a_device():
    device, own = PyGPU.Device(), PyGPU.MemoryPool()
    default = device.default_memory_pool
    assert device.memory_pool == default != own
    device.memory_pool = own
    address = gpu.cudaMallocAsync(SIZE, 0)
    assert own.used_mem_current >= SIZE
    gpu.cudaFreeAsync(address, 0)
    device.memory_pool = default
    assert device.memory_pool == default


def test_it_ends_after_its_memory():
    pool = PyGPU.MemoryPool()
    array = PyGPU.empty(4, np.float32, allocator=pool)
    pool.close()
    pool.close()
    assert "closed" in repr(pool)
    with pytest.raises(ValueError, match="closed"):
        pool.trim()
    with pytest.raises(ValueError, match="closed"):
        PyGPU.empty(4, np.float32, allocator=pool)
    del pool
    gc.collect()
    array.fill(1)
    assert array.get().tolist() == [1] * 4


def test_c_takes_it():
    pool = PyGPU.MemoryPool()
    wanted = PyGPU.cudaMemPoolAttrUsedMemCurrent
    assert gpu.cudaMemPoolGetAttribute(pool, wanted) == 0
    with pytest.raises(TypeError):
        PyGPU.cudaGraphGetNodes(pool)
    with pytest.raises(TypeError):
        PyGPU.cudaMemset(pool, 0, 4)


def test_wrong_arguments():
    with pytest.raises(PyGPU.GPUError):
        PyGPU.MemoryPool(1000)
    with pytest.raises(TypeError):
        PyGPU.MemoryPool(max_size="1")
    pool = PyGPU.MemoryPool()
    with pytest.raises(TypeError):
        pool.allocate("1")


def test_memory_of_another_process():
    try:
        pool = PyGPU.MemoryPool(ipc=True)
    except PyGPU.GPUError as error:
        if error.error != PyGPU.cudaErrorNotSupported:
            raise
        pytest.skip("this runtime shares no pools")
    with pytest.raises(PyGPU.GPUError):
        PyGPU.MemoryPool().export()  # it wasn't made for that
    descriptor = pool.export()
    assert os.fstat(descriptor)
    imported = PyGPU.MemoryPool.import_pool(descriptor)
    os.close(descriptor)
    assert imported != pool
    memory = pool.allocate(SIZE)
    assert len(pool.export_memory(memory)) == 64
