"""HostAllocator, DeviceAllocator and PagelockedAllocator: each owns one piece of memory."""

from __future__ import annotations

import builtins
import os

import numpy as np
import pytest

import PyGPU
from PyGPU import host
from tests.own_interpreter import own_interpreter


@own_interpreter("on_devices")
def test_allocate_point_and_let_go():
    for family, safe in (("Host", True), ("Device", False), ("Pagelocked", True)):
        for dtype in ("bool", "int8", "uint16", "float32", "complex128"):
            kind = getattr(PyGPU, f"{family}Allocator_{dtype}")
            one = kind()
            assert one.last_status() == 0 and not one.allocated()
            assert not one.ptr() and one.size() == one.nbytes() == 0
            assert repr(one) == f"<{family}Allocator_{dtype}, not allocated>"
            assert one.allocate(6) == 0 == one.last_status() and one.allocated()
            assert (one.size(), one.nbytes()) == (6, 6 * np.dtype(dtype).itemsize)
            pointer = one.ptr()
            assert type(pointer) is getattr(PyGPU, f"pointer_wrapper_{dtype}")
            assert int(pointer) and pointer.is_safe() == safe
            if safe:
                assert pointer.get() == int(pointer)
                array = np.asarray(pointer)
                assert array.dtype == dtype and array.size == 6
                array[...] = 1
            assert one.allocate(3) == 0 and int(one.ptr()) != int(pointer), "it is held still"
            assert one.deallocate() == 0 and not one.allocated() and not one.ptr()
            assert one.deallocate() == 0 and one.allocate(0) == 0 and one.allocated()
            if safe:
                del one
                assert array.all(), "the pointer keeps the memory alive"
                del array
            del pointer
    one = None
    PyGPU.trim_memory()
    assert not host.leaks(), host.leaks()


@own_interpreter("on_host")
def test_wrong_arguments_and_too_much():
    for family, function in (
        ("Host", None),
        ("Device", "cudaMallocFromPoolAsync"),
        ("Pagelocked", "cudaHostAlloc"),
    ):
        kind = getattr(PyGPU, f"{family}Allocator_float64")
        for wrong, error in (
            (-1, ValueError),
            (1 << 62, ValueError),
            (1 << 70, OverflowError),
            ("3", TypeError),
            (None, TypeError),
            (2.0, TypeError),
        ):
            with pytest.raises(error) as raised:
                kind().allocate(wrong)
            assert error is OverflowError or f"{family}Allocator_float64" in str(raised.value)
        for arguments in ((3,), ("x",)):
            with pytest.raises(TypeError, match="allocate"):
                kind(*arguments)
        one = kind()
        assert one.allocate(4) == 0
        assert one.allocate(1 << 52) == PyGPU.cudaErrorMemoryAllocation == one.last_status()
        assert not one.allocated() and not one.ptr() and one.size() == 0
        if function:
            with host.fail(function, error=999):
                assert one.allocate(4) == 999
        assert not PyGPU.cudaGetLastError()
        assert one.allocate(4) == 0 == one.last_status()


@own_interpreter("on_devices")
def test_page_locked_memory_of_a_device_array():
    memory = PyGPU.PagelockedAllocator_float64()
    memory.allocate(10)
    first = PyGPU.DeviceArray_float64(memory.ptr(), [5, 2])
    second = PyGPU.DeviceArray_float64(memory.ptr(), 10)
    kind = PyGPU.cudaPointerGetAttributes(first.host_data())[0].type
    assert kind == PyGPU.cudaMemoryTypeHost
    np.asarray(first.host_data())[...] = range(10)
    assert np.asarray(second.host_data()).tolist() == list(range(10))
    memory.deallocate()
    assert first.allocate() == first.to_device() == first.to_host() == 0
    assert np.asarray(second.host_data()).tolist() == list(range(10))


@own_interpreter("on_devices")
def test_an_array_may_free_the_memory():
    for one in (PyGPU.DeviceAllocator_float64(), PyGPU.PagelockedAllocator_float64()):
        one.allocate(10)
        PyGPU.GPUArray(10, gpudata=one.ptr()).free()
        assert not one.allocated() and "not allocated" in repr(one)
        with pytest.raises(ValueError, match="freed"):
            int(one.ptr())
        assert one.allocate(10) == 0 and one.allocated() and int(one.ptr())


@own_interpreter("on_devices")
def test_a_device_allocator_serves_arrays():
    allocator = PyGPU.DeviceAllocator_uint8()
    memory = PyGPU.DeviceMemory(64, allocator=allocator)
    assert int(memory) and type(memory.keeper) is PyGPU.DeviceMemory
    assert memory.keeper.size == 64
    for wrong, error in ((-1, ValueError), ("x", TypeError)):
        with pytest.raises(error):
            allocator(wrong)


@own_interpreter("on_devices")
def test_resets_forks_and_exit():
    device, pinned = PyGPU.DeviceAllocator_int64(), PyGPU.PagelockedAllocator_int64()
    for one in (device, pinned):
        assert one.allocate(8) == 0
    child = os.fork()
    if not child:
        fine = not device.allocated() and not pinned.allocated() and not int(device.ptr())
        fine = fine and device.allocate(8) == pinned.allocate(8) == 3
        os._exit(not fine)
    assert os.waitpid(child, 0)[1] == 0
    assert not PyGPU.cudaDeviceReset()
    assert not device.allocated()
    assert device.allocate(8) == 0 and pinned.allocate(8) == 0
    builtins.kept = device.ptr(), pinned.ptr()


@own_interpreter("on_host")
def test_memory_for_other_processes_can_stay_out_of_the_pool():
    """Memory from a pool can't go through cudaIpcGetMemHandle, so an allocator can avoid it."""

    class Plain:
        def __init__(self, size):
            self.address = PyGPU.checked.cudaMalloc(size)

        def __int__(self):
            return self.address

        def __del__(self):
            assert not PyGPU.cudaFree(self.address)

    with host.fail("cudaMallocFromPoolAsync", times=None) as pool:
        a = PyGPU.full((10, 10), 7, allocator=Plain)
        assert (a.get() == 7).all()
        del a
    assert not pool.struck
    PyGPU.trim_memory()
    assert not host.leaks(), host.leaks()
