"""Device and host memory: who owns it, when it is freed, and that nothing else is disturbed."""

from __future__ import annotations

import builtins
import gc
import os
import threading
from contextlib import suppress
from typing import ClassVar

import numpy as np
import pytest

import PyGPU
from PyGPU import host
from tests.own_interpreter import AT_EXIT, own_interpreter

MIB = 1 << 20


@own_interpreter("on_devices")
def test_the_last_holder_frees_into_the_pool():
    a, b = PyGPU.DeviceMemory(4096), PyGPU.DeviceMemory(0)
    assert int(b) == 0 and a.size == 4096 and a.device == 0
    assert PyGPU.memory_info().used == 4096
    del a, b
    assert not PyGPU.cudaDeviceSynchronize()  # a free is done in stream order
    info = PyGPU.memory_info()
    assert info.used == 0 and info.pooled > 0 and info.deferred == 0
    PyGPU.trim_memory()
    assert PyGPU.memory_info().pooled == 0
    assert not host.leaks(), host.leaks()


@own_interpreter("on_devices")
def test_used_is_what_live_memory_holds_beside_cached_blocks_of_odd_sizes():
    sizes = (1, 16, 100, 500, 513, 8000, 8008, 100_003)
    alive = [PyGPU.DeviceMemory(size) for size in sizes]
    cached = [PyGPU.DeviceMemory(size) for size in sizes]
    assert PyGPU.memory_info().used == 2 * sum(sizes)
    del cached
    assert PyGPU.memory_info().used == sum(sizes)
    PyGPU.trim_memory()
    assert PyGPU.memory_info().used == sum(memory.size for memory in alive)


@own_interpreter("on_host")
def test_a_small_piece_is_kept_for_the_next_of_its_size():
    def address(memory):  # doesn't mark the address as known
        return repr(memory).split()[1].rstrip(",")

    a = PyGPU.DeviceMemory(4096)
    first = address(a)
    with (
        host.pause(0),
        host.fail("cudaFreeAsync") as freed,
        host.fail("cudaMallocFromPoolAsync", 2) as allocated,
    ):
        del a
        info = PyGPU.memory_info()
        assert info.used == 0 and info.pooled >= 4096
        b = PyGPU.DeviceMemory(4000)  # of another size
        c = PyGPU.DeviceMemory(4096)
        assert address(c) == first
    assert not freed.struck and not allocated.struck
    assert PyGPU.memory_info().used == 8096
    # Memory used on a stream that the default stream doesn't wait for is neither kept nor served.
    int(c)
    del c
    stream = PyGPU.Stream(non_blocking=True)
    b.record_stream(stream)
    first = address(b)
    del b
    d = PyGPU.DeviceMemory(4000, stream=stream)
    e = PyGPU.DeviceMemory(128)
    del d, e
    with PyGPU.device(1):
        far = PyGPU.DeviceMemory(4000)
    with host.fail("cudaMallocFromPoolAsync", error=801, times=3) as allocated:
        for size, on in (4096, None), (4000, None), (128, stream):
            with pytest.raises(PyGPU.GPUError) as raised:
                PyGPU.DeviceMemory(size, stream=on)
            assert raised.value.error == 801
    assert allocated.struck == 3
    # At most 64 pieces and 32 MiB are kept, each of at most 4 MiB.
    for size, count, kept in (64, 100, 64), (1 << 20, 40, 32), (4 << 20, 9, 8), (5 << 20, 3, 0):
        PyGPU.trim_memory()
        many = [PyGPU.DeviceMemory(size) for _ in range(count)]
        with host.fail("cudaFreeAsync", error=999, times=None) as freed:
            del many
        assert (freed.struck or 0) == count - kept, (size, freed.struck)
    PyGPU.trim_memory()
    # Nothing is kept where the pool may hold nothing, nor after a reset.
    e = PyGPU.DeviceMemory(128)
    del e
    PyGPU.set_pool_threshold(0)
    e = PyGPU.DeviceMemory(128)
    with host.fail("cudaFreeAsync", 1, 999) as freed:
        del e
    assert freed.struck == 1
    PyGPU.set_pool_threshold(1 << 20)
    e = PyGPU.DeviceMemory(128)
    del e
    assert not PyGPU.cudaDeviceReset()
    with host.fail("cudaMallocFromPoolAsync") as allocated, suppress(PyGPU.GPUError):
        PyGPU.DeviceMemory(128)
    assert allocated.struck == 1
    del far
    for device in range(3):
        PyGPU.trim_memory(device=device)
    left = [line for line in host.leaks().splitlines() if "stream" not in line]
    assert not left, left


@own_interpreter("on_host")
def test_plain_memory_where_pools_are_missing():
    with host.fail("cudaMemPoolCreate", error=801, times=None):
        a = PyGPU.DeviceMemory(4096)
    assert int(PyGPU.cudaPeekAtLastError()) == 0
    assert PyGPU.memory_info().pooled == 0 and "4096" in host.leaks()
    del a
    assert "4096" not in host.leaks()
    PyGPU.trim_memory()
    assert not host.leaks()


@own_interpreter("on_host", PYGPU_HOST_MEMORY="64MiB")
def test_out_of_memory_trims_and_tries_again():
    kept = [PyGPU.DeviceMemory(30 << 20) for _ in range(2)]
    for memory in kept:
        int(memory)
    with host.fail("cudaMallocFromPoolAsync", error=2) as fault:
        PyGPU.DeviceMemory(4096)
    assert fault.struck == 1
    del kept, memory
    assert PyGPU.memory_info().deferred == 60 << 20
    PyGPU.DeviceMemory(50 << 20)  # only fits once the deferred pieces are freed
    _kept = PyGPU.DeviceMemory(40 << 20)
    with pytest.raises(PyGPU.GPUError) as raised:
        PyGPU.DeviceMemory(40 << 20)
    assert isinstance(raised.value, MemoryError) and raised.value.error == 2
    for part in (str(40 << 20), "free of", "pool", "device 0"):
        assert part in str(raised.value)
    assert int(PyGPU.cudaGetLastError()) == 0
    PyGPU.DeviceMemory(4096)


@own_interpreter("on_host", PYGPU_HOST_MEMORY="64MiB")
def test_a_page_lock_ends_while_no_memory_is_left():
    """The wait for the device takes a byte of it."""
    memory = np.zeros(1000)
    locked = PyGPU.register(memory)
    full = [PyGPU.checked.cudaMalloc(PyGPU.memory_info().free)]
    with pytest.raises(PyGPU.GPUError):
        full.append(PyGPU.checked.cudaMalloc(1))
    locked.unregister()
    assert not locked.active
    del full


@own_interpreter("on_host")
def test_a_read_only_file_names_the_flag(tmp_path):
    """The runtime refuses the pages without saying why."""
    np.ones(4096).tofile(tmp_path / "values")
    for mode, wrong in (("r", 0), ("c", None)):
        values = np.memmap(tmp_path / "values", float, mode)
        if wrong is not None:
            said = r"register\(\).*read-only \(flags=PyGPU\.cudaHostRegisterReadOnly takes such\)"
            with pytest.raises(PyGPU.GPUError, match=said):
                PyGPU.register(values, wrong)
            with PyGPU.register(values, PyGPU.cudaHostRegisterReadOnly) as same:
                assert same is values
        else:
            assert PyGPU.register(values).active


@own_interpreter("on_host")
def test_a_free_comes_after_the_streams_that_were_recorded():
    stream = PyGPU.cudaStream_t(flags=PyGPU.cudaStreamNonBlocking)
    memory = PyGPU.DeviceMemory(4096)
    address = int(memory)
    with host.pause(stream):
        assert not PyGPU.cudaMemsetAsync(address, 1, 4096, stream)
        memory.record_stream(stream)
        del memory
        assert PyGPU.memory_info().used == 4096, "it was freed under the stream's work"
    assert not PyGPU.cudaStreamSynchronize(stream)
    assert not PyGPU.cudaStreamSynchronize(0)
    assert PyGPU.memory_info().used == 0


@own_interpreter("on_devices")
def test_an_address_that_was_read_is_freed_once_the_device_is_idle():
    stream = PyGPU.cudaStream_t(flags=PyGPU.cudaStreamNonBlocking)
    memory = PyGPU.DeviceMemory(4096)
    address = int(memory)
    with host.pause(stream):
        assert not PyGPU.cudaMemsetAsync(address, 1, 4096, stream)
        del memory  # doesn't wait for the paused stream
        info = PyGPU.memory_info()
        assert info.used == info.deferred == 4096
        assert int(PyGPU.DeviceMemory(4096)) != address
    PyGPU.trim_memory()
    assert PyGPU.memory_info().used == 0


@own_interpreter("on_host")
def test_the_last_error_of_others_stays():
    stream = PyGPU.Stream(True)
    a, pinned = PyGPU.zeros(10), PyGPU.pagelocked_zeros(10)
    with PyGPU.device(1):
        other = PyGPU.Stream()

    def leave(code):
        with host.fail("cudaGetDeviceFlags", error=code):
            PyGPU.cudaGetDeviceFlags()

    for code in (1, 2, 101):
        leave(code)
        with host.fail("cudaMallocFromPoolAsync", error=2):
            memory = PyGPU.DeviceMemory(1 << 20)
        with host.fail("cudaFreeAsync", error=999):
            del memory
        with host.fail("cudaSetDevice", error=999):
            with pytest.raises(PyGPU.GPUError) as raised:
                other.__enter__()
            assert raised.value.error == 999
        assert int(PyGPU.cudaGetLastError()) == code, code
    for code in (1, 46, 98, 217, 400, 801):  # "not ready" must not replace another library's error
        leave(code)
        event = PyGPU.Event()
        with host.pause(stream):
            a.set_async(pinned, stream)
            event.record(stream)
            assert not event.query() and not PyGPU.ready(pinned)
            assert not stream.query() and not PyGPU.ready(a)
            PyGPU.to_gpu(np.zeros(3))
        stream.synchronize()
        assert event.query()
        assert int(PyGPU.cudaGetLastError()) == code, code
    PyGPU.wait(pinned)
    del a, pinned, event, stream, other
    PyGPU.to_gpu(np.zeros(1))
    PyGPU.trim_memory()
    left = [line for line in host.leaks().splitlines() if "event" not in line]
    assert not left, left


@pytest.mark.gpus(2)
@own_interpreter("on_devices")
def test_the_current_device_stays():
    memory, devices = [], range(PyGPU.checked.cudaGetDeviceCount())
    for device in devices:
        assert not PyGPU.cudaSetDevice(device)
        memory.append(PyGPU.DeviceMemory(64))
        assert memory[-1].device == device
    assert PyGPU.memory_info(0).used == 64
    del memory
    for device in devices:
        assert not PyGPU.cudaSetDevice(device) and not PyGPU.cudaDeviceSynchronize()
    assert not any(PyGPU.memory_info(device).used for device in devices)
    assert PyGPU.cudaGetDevice()[0] == devices[-1]
    with pytest.raises(PyGPU.GPUError) as raised:
        PyGPU.memory_info(len(devices))
    assert raised.value.error == PyGPU.cudaErrorInvalidDevice
    assert PyGPU.cudaGetDevice()[0] == devices[-1] and not PyGPU.cudaGetLastError()


@own_interpreter("on_devices")
def test_memory_that_a_reset_or_a_fork_ended_is_forgotten():
    memory, pinned, known = (
        PyGPU.DeviceMemory(4096),
        PyGPU.pagelocked_empty(4),
        PyGPU.DeviceMemory(64),
    )
    assert int(known)
    del known
    assert PyGPU.memory_info().deferred == 64
    assert not PyGPU.cudaDeviceReset()
    assert PyGPU.memory_info().deferred == 0
    again = PyGPU.DeviceMemory(4096)
    del memory, pinned  # freeing would hit other memory, or be reported as misuse
    assert PyGPU.memory_info().used == 4096
    child = os.fork()
    if not child:
        del again
        try:
            PyGPU.DeviceMemory(64)
        except PyGPU.GPUError as error:
            os._exit(0 if error.error == 3 else 1)
        os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    del again
    PyGPU.trim_memory()
    assert not host.leaks()


@own_interpreter("on_devices")
def test_finalisers_on_callback_threads_wait_for_an_ordinary_call():
    memory = [PyGPU.DeviceMemory(4096), PyGPU.pagelocked_empty(64)]
    assert not PyGPU.cudaLaunchHostFunc(0, lambda data: memory.clear(), None)
    assert not PyGPU.cudaDeviceSynchronize()
    assert not memory
    PyGPU.DeviceMemory(64)
    PyGPU.trim_memory()
    assert not host.leaks()


@own_interpreter("on_devices")
def test_memory_alive_at_exit_and_in_cycles():
    cycle = [PyGPU.DeviceMemory(64)]
    cycle.append(cycle)
    del cycle
    gc.collect()
    PyGPU.trim_memory()
    assert PyGPU.memory_info().used == 0

    class Late:
        memory, pinned = PyGPU.DeviceMemory(64), PyGPU.pagelocked_empty(3)

    AT_EXIT.extend([PyGPU.DeviceMemory(64), Late, Late()])
    builtins.kept = PyGPU.DeviceMemory(64)


@own_interpreter("on_host")
def test_a_finaliser_keeps_the_exception():
    def raising():
        _memory = PyGPU.DeviceMemory(64)
        raise KeyError("mine")

    PyGPU.set_pool_threshold(0)  # nothing is kept
    with host.fail("cudaFreeAsync", error=999) as fault:
        with pytest.raises(KeyError, match="mine"):
            raising()
        gc.collect()
    assert fault.struck


@own_interpreter("on_host")
def test_allocators_of_others():
    class Piece:  # like PyCUDA's
        def __init__(self, size):
            self.address = PyGPU.checked.cudaMalloc(size)

        def __int__(self):
            return self.address

        def __del__(self):
            PyGPU.checked.cudaFree(self.address)

    class CupyPool:
        class Pointer(Piece):
            @property
            def ptr(self):
                return self.address

        def malloc(self, size):
            return self.Pointer(size)

    class RmmResource:
        freed: ClassVar[list[int]] = []

        def allocate(self, size):
            return PyGPU.checked.cudaMalloc(size)

        def deallocate(self, address, size):
            self.freed.append(size)
            PyGPU.checked.cudaFree(address)

    for allocator in (Piece, CupyPool(), CupyPool().malloc, RmmResource()):
        memory = PyGPU.DeviceMemory(512, allocator=allocator)
        assert int(memory) and "512" in host.leaks()
        del memory
        gc.collect()
        assert not host.leaks(), allocator
        PyGPU.set_allocator(allocator)
        assert PyGPU.get_allocator() is allocator
        memory = PyGPU.DeviceMemory(512)
        assert PyGPU.memory_info().used == 0
        del memory
    assert RmmResource.freed == [512, 512]
    PyGPU.set_allocator(None)
    for wrong in (3, "malloc", object()):
        for use in (PyGPU.set_allocator, lambda one: PyGPU.DeviceMemory(8, allocator=one)):
            with pytest.raises(TypeError, match="'allocator'"):
                use(wrong)

    def broken(size):
        raise KeyError(size)

    with pytest.raises(KeyError):
        PyGPU.DeviceMemory(8, allocator=broken)


@own_interpreter("on_host")
def test_the_allocator_of_all_arrays_may_ask_for_memory_itself():
    """It gets that from PyGPU's pool. PyCUDA's pool does so, on PyGPU's memory."""
    from PyGPU import driver, tools

    def failing(size):
        raise KeyError(PyGPU.zeros(size).nbytes)

    asked = []
    for allocator in (tools.DeviceMemoryPool().allocate, driver.mem_alloc, PyGPU.DeviceMemory):

        def counted(size, allocator=allocator):
            asked.append(size)
            return allocator(size)

        PyGPU.set_allocator(counted)
        assert PyGPU.to_gpu(np.arange(4)).get().sum() == 6
        with pytest.raises(KeyError):
            PyGPU.zeros(4, allocator=failing)
        assert PyGPU.DeviceMemory(8)
        # failing() takes the memory of its array from here, and is no allocator of all arrays.
        assert asked == [32, 32 * 8, 8]
        asked.clear()
    PyGPU.set_allocator(failing)
    with pytest.raises(KeyError):
        PyGPU.zeros(4)
    PyGPU.set_allocator(counted)
    assert PyGPU.zeros(4) is not None and asked == [32], "it is asked again after an exception"


@own_interpreter("on_host")
def test_page_locked_managed_and_registered_memory():
    pinned = PyGPU.pagelocked_zeros((3, 4), np.complex64, order="F")
    assert pinned.flags.f_contiguous and not pinned.any()
    like = PyGPU.pagelocked_zeros_like(pinned)
    assert like.flags.f_contiguous and like.dtype == np.complex64
    assert PyGPU.pagelocked_empty(0).size == 0
    managed = PyGPU.managed_zeros(5, "i2")
    device = PyGPU.DeviceMemory(10)
    assert not PyGPU.cudaMemcpy(managed, np.arange(5, dtype="i2"), 10, PyGPU.cudaMemcpyDefault)
    assert managed.tolist() == [0, 1, 2, 3, 4]
    assert not PyGPU.cudaDeviceSynchronize()

    def kind(array):
        return int(PyGPU.cudaPointerGetAttributes(array.ctypes.data)[0].type)

    kinds = [kind(pinned), kind(managed)]
    assert kinds == [1, 3], kinds
    tail = pinned[1:, 2:]
    del pinned
    tail[...] = 7
    own = np.arange(1000.0)
    with PyGPU.register(own) as same:
        assert same is own
        assert int(PyGPU.cudaPointerGetAttributes(own)[0].type) == 1
    assert int(PyGPU.cudaPointerGetAttributes(own)[0].type) == 0
    registration = PyGPU.register(own)
    assert registration.active and registration.array is own
    del registration
    with pytest.raises((ValueError, BufferError)):
        PyGPU.register(own[::2])
    PyGPU.trim_memory()  # so that no kept piece serves
    none_left = pytest.raises(MemoryError, match="64 bytes of page-locked memory")
    with host.fail("cudaHostAlloc", error=2, times=None), none_left:
        PyGPU.pagelocked_empty(8)
    with pytest.raises(TypeError):
        PyGPU.pagelocked_empty(3, object)
    del tail, managed, like, device, same
    PyGPU.trim_memory()
    assert not host.leaks(), host.leaks()


@own_interpreter("on_host")
def test_page_locked_memory_that_raw_copies_read_does_not_serve_again_under_them():
    stream = PyGPU.cudaStream_t(flags=1)
    device = PyGPU.DeviceMemory(8000)
    to_device = PyGPU.cudaMemcpyHostToDevice
    spellings = (
        lambda p: p,
        lambda p: p.ctypes.data,
        lambda p: p[500:].ctypes.data,
        lambda p: memoryview(p)[10:],
    )
    for spelled in spellings:
        pinned = PyGPU.pagelocked_empty(1000)
        pinned[...] = 1
        address = pinned.ctypes.data
        with host.pause(stream):
            assert not PyGPU.cudaMemcpyAsync(device, spelled(pinned), 4000, to_device, stream)
            holder = [pinned]
            del pinned
            letting_go = threading.Thread(target=holder.clear)  # waits for the device
            letting_go.start()
            while holder:
                pass
            other = PyGPU.pagelocked_empty(1000)
            assert other.ctypes.data != address
            other[...] = 2
        letting_go.join()
        back = np.zeros(500)
        assert not PyGPU.cudaMemcpy(back, device, 4000, PyGPU.cudaMemcpyDeviceToHost)
        assert (back == 1).all()
    del other
    # Memory that only PyGPU's own copies used may serve again.
    a, pinned = PyGPU.zeros(1000), PyGPU.pagelocked_zeros(1000)
    address = pinned.ctypes.data
    a.set_async(pinned)
    PyGPU.wait(a)
    PyGPU.to_gpu(np.zeros(1))
    del pinned
    assert address in [PyGPU.pagelocked_empty(1000).ctypes.data for _ in range(9)]


@pytest.mark.gpus(2)
@own_interpreter("on_devices")
def test_the_pool_keeps_what_its_threshold_says():
    def pooled_after(*sizes):
        pieces = [PyGPU.DeviceMemory(size * MIB) for size in sizes]
        assert PyGPU.memory_info().used == sum(sizes) * MIB
        del pieces
        assert not PyGPU.cudaDeviceSynchronize()
        info = PyGPU.memory_info()
        assert info.used == info.deferred == 0
        return info.pooled // MIB

    PyGPU.set_pool_threshold(0)
    assert pooled_after(30, 30, 30) == 0
    PyGPU.set_pool_threshold(64 * MIB)
    assert 30 <= pooled_after(30, 30, 30) <= 64
    assert pooled_after(30) >= 30, "what was kept serves again and is kept again"
    PyGPU.set_pool_threshold(64 * MIB, device=1)
    PyGPU.set_pool_threshold(0)
    assert pooled_after(30) == 0
    with PyGPU.device(1):
        assert pooled_after(30) >= 30
        PyGPU.trim_memory(keep=20 * MIB)
        assert 20 * MIB <= PyGPU.memory_info().pooled <= 32 * MIB
        PyGPU.trim_memory()
        assert PyGPU.memory_info().pooled == 0
        assert not PyGPU.cudaDeviceReset()
        assert pooled_after(30) >= 30, "it holds for the pool after a reset, too"
    for wrong, error in ((-1, ValueError), (1 << 70, OverflowError), ("x", TypeError)):
        with pytest.raises(error):
            PyGPU.set_pool_threshold(wrong)


@own_interpreter("on_host")
def test_a_small_piece_of_a_stream_serves_its_next_arrays_alone():
    def place(memory):  # doesn't mark the address as known
        return repr(memory).split()[1].rstrip(",")

    def freed_piece(on):
        memory = PyGPU.DeviceMemory(4096, stream=on)
        return place(memory)

    a, b = PyGPU.Stream(non_blocking=True), PyGPU.Stream()
    first = freed_piece(a)
    with host.fail("cudaMallocFromPoolAsync") as allocated:
        assert place(PyGPU.DeviceMemory(4096, stream=a)) == first
        with a:
            assert place(PyGPU.DeviceMemory(4096)) == first
    assert not allocated.struck
    assert PyGPU.memory_info().used == 0
    for other in b, None, int(a):  # nobody says when a stream ends that is known by its address
        assert place(PyGPU.DeviceMemory(4096, stream=other)) != first
    # What is allocated during a capture may belong to the graph.
    with a.capture():
        assert place(PyGPU.DeviceMemory(4096)) != first
    # It goes back in the order of the stream before that ends, and is not the next stream's.
    with host.fail("cudaFreeAsync", error=999, times=1) as freed:
        del a
        gc.collect()
    assert freed.struck == 1, "the piece was given back"
    assert PyGPU.memory_info().deferred == 4096, "and could not be"
    PyGPU.trim_memory()
    again = PyGPU.Stream(non_blocking=True)
    with (
        host.fail("cudaMallocFromPoolAsync", error=801) as allocated,
        pytest.raises(PyGPU.GPUError),
    ):
        PyGPU.DeviceMemory(4096, stream=again)
    assert allocated.struck == 1
    # C may destroy the stream; its pieces are freed after the next wait for the device.
    freed_piece(again)
    PyGPU.checked.cudaStreamDestroy(again)
    assert PyGPU.memory_info().deferred == 4096
    freed_piece(b)
    PyGPU.trim_memory()
    info = PyGPU.memory_info()
    assert info.used == info.deferred == 0
    with host.fail("cudaMallocFromPoolAsync", error=801), pytest.raises(PyGPU.GPUError):
        PyGPU.DeviceMemory(4096, stream=b)
    # One stream has at most 32 MiB, and all together four times as much.
    streams = [PyGPU.Stream() for _ in range(6)]
    for stream in streams:
        pieces = [PyGPU.DeviceMemory(4 << 20, stream=stream) for _ in range(9)]
        kept = 8 if stream not in streams[4:] else 0
        with host.fail("cudaFreeAsync", error=999, times=None) as freed:
            del pieces
        assert (freed.struck or 0) == 9 - kept, streams.index(stream)


@pytest.mark.gpus(2)
@own_interpreter("on_devices")
def test_memory_waits_to_be_freed_up_to_a_limit():
    def park(size):
        memory = PyGPU.DeviceMemory(size)
        int(memory)  # the address is known: the memory is freed once the device is idle

    def deferred():
        return PyGPU.memory_info().deferred

    for count in range(1, 9):
        park(30 * MIB)
        assert deferred() == count * 30 * MIB
    PyGPU.DeviceMemory(64)
    assert deferred() == 240 * MIB, "within the limit"
    park(30 * MIB)
    assert deferred() == 270 * MIB
    PyGPU.DeviceMemory(64)
    assert deferred() == 0, "past 256 MiB the next allocation waits for the device"
    with PyGPU.device(1):  # each device has a limit of its own
        park(30 * MIB)
    assert deferred() == 0 and PyGPU.memory_info(1).deferred == 30 * MIB
    PyGPU.trim_memory(device=1)
    for count in range(4097):
        park(64)
        assert deferred() == (count + 1) * 64
    PyGPU.DeviceMemory(64)
    assert deferred() == 0, "many small pieces are a burden, too"
    PyGPU.trim_memory()
    assert not [line for line in host.leaks().splitlines() if "memory" in line]
