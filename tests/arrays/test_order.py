"""Streams, devices, lifetimes, exit: what GPUArray guarantees beside other code's work."""

from __future__ import annotations

import builtins
import ctypes
import gc
import os
import threading

import numpy as np
import pytest

import PyGPU
from PyGPU import host
from tests.own_interpreter import AT_EXIT, own_interpreter


@own_interpreter("on_devices")
def test_a_free_waits_for_the_streams_of_copies():
    stream = PyGPU.cudaStream_t(flags=PyGPU.cudaStreamNonBlocking)
    pinned = PyGPU.pagelocked_empty(100000)
    a = PyGPU.zeros(100000)
    a[::3].get()  # a driver may wait for all streams when it loads a kernel
    with host.pause(stream):
        a.set_async(pinned, stream)
        out = a.get_async(stream)
        assert not PyGPU.ready(a) and not PyGPU.ready(out) and not PyGPU.ready(pinned)
        view = pinned[5:]
        assert not PyGPU.ready(view)
        torn = a[::3].get_async(stream)  # strided copies don't wait either
        pinned[...] = 7  # the copy has not begun yet
        del a, pinned, view  # PyGPU keeps them: strict mode would report a use of freed memory
        PyGPU.zeros(100000)
    assert (PyGPU.wait(out) == 7).all() and PyGPU.ready(out)
    assert (PyGPU.wait(torn) == 7).all()
    PyGPU.to_gpu(np.zeros(3))
    del out, torn
    PyGPU.trim_memory()
    assert not [line for line in host.leaks().splitlines() if "memory" in line], host.leaks()


@own_interpreter("on_devices")
def test_a_temporary_as_the_source_of_an_asynchronous_copy():
    stream = PyGPU.cudaStream_t(flags=PyGPU.cudaStreamNonBlocking)
    with host.pause(stream):
        a = PyGPU.to_gpu_async(np.arange(50000.0)[::-1], stream=stream)
        b = PyGPU.to_gpu_async(PyGPU.pagelocked_zeros(50000) + 1, stream=stream)
        c = PyGPU.to_gpu_async(PyGPU.pagelocked_zeros(50000), stream=stream)
    assert (a.get() == np.arange(50000.0)[::-1]).all()
    assert (b.get() == 1).all() and not c.get().any()


@own_interpreter("on_devices")
def test_del_under_a_busy_stream_that_used_the_address():
    stream = PyGPU.cudaStream_t(flags=PyGPU.cudaStreamNonBlocking)
    a = PyGPU.zeros(1000, "u1")
    address = int(a.device_data())
    with host.pause(stream):
        assert not PyGPU.cudaMemsetAsync(address, 1, 1000, stream)
        del a
        others = [PyGPU.full(1000, 2, "u1") for _ in range(20)]
        assert address not in [other.ptr for other in others]
    assert not PyGPU.cudaStreamSynchronize(stream)
    assert all((other.get() == 2).all() for other in others)


@pytest.mark.gpus(2)
@own_interpreter("on_devices")
def test_arrays_on_each_device():
    devices = range(PyGPU.checked.cudaGetDeviceCount())
    assert not PyGPU.cudaSetDevice(devices[-1])
    arrays = []
    for number in devices:
        with PyGPU.device(number) as chosen:
            assert PyGPU.cudaGetDevice()[0] == number and chosen.number == number
            arrays.append(PyGPU.to_gpu(np.arange(24.0).reshape(4, 6) * number))
        assert PyGPU.cudaGetDevice()[0] == devices[-1]
    for number, array in enumerate(arrays):
        assert array.device == number
        wanted = np.arange(24.0).reshape(4, 6) * number
        assert (array.get() == wanted).all()
        assert (array[::2, ::-3].get() == wanted[::2, ::-3]).all()
        assert array.copy().device == number
        array[1] = 9
        array[:, 2].fill(8)
        wanted[1] = 9
        wanted[:, 2] = 8
        assert (array.get() == wanted).all()
    zero, one, two = arrays[0], arrays[1], arrays[2 % len(arrays)]
    zero[...] = one
    assert (zero.get() == one.get()).all()
    two[::2, ::-1] = one[1::2]
    wanted = two.get()
    assert (wanted[::2] == one.get()[1::2, ::-1]).all()
    two[...] = one[0]
    assert (two.get() == one.get()[0]).all()
    with PyGPU.device(0):
        joined = PyGPU.concatenate(arrays)
    assert joined.device == 0 and (joined.get()[4:8] == one.get()).all()
    assert PyGPU.cudaGetDevice()[0] == devices[-1]
    with pytest.raises(PyGPU.GPUError) as raised, PyGPU.device(5):
        pass
    assert raised.value.error == PyGPU.cudaErrorInvalidDevice
    assert PyGPU.cudaGetDevice()[0] == devices[-1]


@own_interpreter("on_devices")
def test_exit_with_arrays_everywhere():
    class Node:
        def __init__(self):
            self.me, self.array = self, PyGPU.zeros(1000)
            self.pinned = PyGPU.pagelocked_zeros(9)

    nodes = [Node() for _ in range(10)]
    del nodes[:5]
    builtins.kept = PyGPU.ones(4)

    def work():
        mine = PyGPU.to_gpu(np.arange(1000.0))
        for _ in range(200):
            mine = mine[::-1].copy()
            assert mine.get().size == 1000

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(20):
        gc.collect()
    for thread in threads:
        thread.join()
    stop = threading.Event()

    def endless():
        while not stop.is_set():
            PyGPU.to_gpu(np.arange(100.0)).get()

    threading.Thread(target=endless, daemon=True).start()
    late = PyGPU.to_gpu_async(PyGPU.pagelocked_zeros(1000), stream=PyGPU.cudaStream_t())
    AT_EXIT.extend([nodes, late])


@own_interpreter("on_devices")
def test_after_a_reset_and_in_a_child():
    a = PyGPU.to_gpu(np.arange(10.0))
    view = a[::2]
    child = os.fork()
    if not child:
        try:
            view.get()
        except PyGPU.GPUError:
            a = view = None
            os._exit(0)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    assert (view.get() == np.arange(0, 10, 2)).all()
    assert not PyGPU.cudaDeviceReset()
    b = PyGPU.to_gpu(np.arange(5.0))
    for use in (a.get, lambda: a.set(np.zeros(10)), lambda: a.fill(1), a.copy):
        with pytest.raises(PyGPU.GPUError) as raised:
            use()
        assert raised.value.error == PyGPU.cudaErrorContextIsDestroyed
    a = view = use = None
    assert (b.get() == np.arange(5)).all()


@own_interpreter("on_devices")
def test_a_small_upload_does_not_wait_and_takes_its_bytes_at_once():
    PyGPU.to_gpu(np.zeros(3))  # initialises the upload path
    ordinary, pinned, managed = (
        np.arange(9),
        PyGPU.pagelocked_empty(9, int),
        PyGPU.managed_empty(9, int),
    )
    pinned[...] = managed[...] = ordinary
    registered = np.arange(1000)
    _registration = PyGPU.register(registered)
    sources = [ordinary, pinned, managed, registered[:9], list(range(9))]
    later = PyGPU.empty(9, int)
    with host.pause(0):
        arrays = [PyGPU.to_gpu(source) for source in sources]
        later.set(ordinary)
        later[2:5] = np.full(3, 7)
        for source in sources:
            source[0] = 99
    for array in arrays:
        assert array.get().tolist() == list(range(9)), array
    assert later.get().tolist() == [0, 1, 7, 7, 7, 5, 6, 7, 8]


DOORS = {
    "ptr": lambda a: a.ptr,
    "gpudata": lambda a: int(a.gpudata),
    "view": lambda a: a[1:].ptr - 8,
    "device_data": lambda a: int(a.device_data()),
    "ctypes": lambda a: a._as_parameter_.value,
    "device_array": lambda a: int(a.device_array.device_data()),
    "memory": lambda a: int(PyGPU.DeviceMemory.__int__(a.gpudata)),
    "raw call": lambda a: PyGPU.cudaPointerGetAttributes(a)[0].devicePointer,
}


@pytest.mark.parametrize("door", DOORS)
@own_interpreter("on_devices")
def test_an_address_is_told_at_once_and_the_default_stream_comes_after_the_upload(door):
    """As after cudaMemcpy, which doesn't wait for the last bytes of ordinary memory either."""
    PyGPU.to_gpu(np.zeros(3))
    stream = PyGPU.cudaStream_t()  # blocking: it follows the default stream
    out = PyGPU.pagelocked_zeros(100)
    with host.pause(0):
        a = PyGPU.to_gpu(np.arange(100.0))
        address = DOORS[door](a)
        later = np.full(100, 5.0)
        a.set(later)
        later[:] = 0
        kind = PyGPU.cudaMemcpyDeviceToHost
        assert not PyGPU.cudaMemcpyAsync(out, address, out.nbytes, kind, stream)
    assert not PyGPU.cudaStreamSynchronize(stream)
    assert (out == 5).all()


@own_interpreter("on_devices")
def test_who_gets_an_export_comes_after_the_upload():
    """A consumer of the array interface may ignore the stream that it names."""
    PyGPU.to_gpu(np.zeros(3))
    known = threading.Event()
    with host.pause(0):
        a = PyGPU.to_gpu(np.arange(100.0))
        reader = threading.Thread(target=lambda: (a.__cuda_array_interface__, known.set()))
        reader.start()
        assert not known.wait(0.05), "the address is known, the bytes are not there"
    reader.join()
    # From now on a copy is done when its call returns.
    with host.pause(0):
        known.clear()
        setter = threading.Thread(target=lambda: (a.set(np.ones(100)), known.set()))
        setter.start()
        assert not known.wait(0.05)
    setter.join()


@own_interpreter("on_devices")
def test_a_copy_from_page_locked_memory_to_a_known_address_is_done():
    """As cudaMemcpy promises for such memory."""
    PyGPU.to_gpu(np.zeros(3))
    a, values = PyGPU.zeros(100), PyGPU.pagelocked_zeros(100)
    assert a.ptr
    done = threading.Event()
    with host.pause(0):
        setter = threading.Thread(target=lambda: (a.set(values), done.set()))
        setter.start()
        assert not done.wait(0.05)
    setter.join()


@pytest.mark.gpus(2)
@own_interpreter("on_devices")
def test_other_streams_of_ours_come_after_a_small_upload():
    PyGPU.to_gpu(np.zeros(3))
    stream = PyGPU.cudaStream_t(flags=PyGPU.cudaStreamNonBlocking)
    values = np.arange(100.0)
    a = PyGPU.empty(100)
    PyGPU.wait(a.get_async(stream))  # the stream has used the array before
    on_stream = PyGPU.empty(100, stream=stream)  # memory ordered by another stream
    with PyGPU.device(1):
        far = PyGPU.empty(100)
    with host.pause(0):
        a.set(values)
        b, c, d = (PyGPU.to_gpu(values + number) for number in range(1, 4))
        out = [array.get_async(stream) for array in (a, b)]
        c.set_async(PyGPU.pagelocked_zeros(100), stream)
        copied = d.copy(stream=stream)
        on_stream.set(values)
        last = on_stream.get_async(stream)
        far[...] = b
    for number, array in enumerate(out):
        assert (PyGPU.wait(array) == values + number).all()
    assert (PyGPU.wait(last) == values).all()
    assert (far.get() == values + 1).all()
    assert not PyGPU.cudaStreamSynchronize(stream)
    assert not c.get().any() and (copied.get() == values + 3).all()


@own_interpreter("on_host")
def test_other_streams_come_after_what_was_begun_here_since():
    """This holds at every use, not only at the first, and for memory of any kind."""
    own, used = PyGPU.Stream(non_blocking=True), PyGPU.Stream(non_blocking=True)
    one, two, busy = (PyGPU.empty(5000, "u1") for _ in range(3))
    arrays = {
        0: [
            PyGPU.empty(5000, "u1"),
            PyGPU.GPUArray(5000, "u1", gpudata=int(one.gpudata)),
            PyGPU.GPUArray(5000, "u1", allocator=lambda size: int(two.gpudata)),
        ],
        own: [PyGPU.empty(5000, "u1", stream=own)],
    }
    for home, of_home in arrays.items():
        for a in of_home:
            for turn in range(3):
                with host.pause(home):
                    a.fill(turn, stream=home)
                    out = a.get_async(used)
                    assert not used.query(), "it does not come after the fill"
                assert (PyGPU.wait(out) == turn).all()
                # Nothing new concerns this array, so nothing is waited for.
                with host.pause(home):
                    busy.fill(1, stream=home)
                    out = a.get_async(used)
                    PyGPU.wait(out)
                PyGPU.wait(busy)


@own_interpreter("on_host")
def test_the_memorys_own_stream_comes_after_others():
    """A call without a stream comes after all other streams, whichever stream is current."""
    one, two, third = (PyGPU.Stream(non_blocking=True) for _ in range(3))
    sources = [PyGPU.pagelocked_zeros(5000) + value for value in (1, 2)]
    a = PyGPU.zeros(5000)
    for _ in range(3):
        with host.pause(one):
            a[:2500].set_async(sources[0][:2500], one)
            with host.pause(two):
                a[2500:].set_async(sources[1][2500:], two)
                assert not one.query() and not two.query()
            two.synchronize()  # parts on two streams don't wait for each other
            with third:
                b = a.copy()
                a.fill(7)
            assert not third.query()
            c = a.copy()
        assert (b.get() == np.repeat([1, 2], 2500)).all()
        assert (c.get() == 7).all()
        # If waiting for a stream failed, the next call waits for it.
        with host.pause(one):
            a.set_async(sources[0], one)
            for name in "cudaEventRecord", "cudaStreamWaitEvent":
                with host.fail(name):
                    with pytest.raises(PyGPU.GPUError) as raised:
                        a.fill(8)
                    assert raised.value.error == 999
            b = a.copy()
        assert (b.get() == 1).all()


@own_interpreter("on_host")
def test_what_is_queued_on_the_default_stream_comes_after_other_streams():
    """get_async() and set_async() that name no stream, too. A block names one."""
    one, third = (PyGPU.Stream(non_blocking=True) for _ in range(2))
    a = PyGPU.zeros(5000)
    for turn in range(0, 6, 2):
        values = PyGPU.pagelocked_zeros(5000) + turn + 1
        PyGPU.wait(a)
        with host.pause(one):
            a.set_async(values, one)
            with third:
                before = a.get_async()
            third.synchronize()
            after = a.get_async()
        assert (before == turn).all() and (PyGPU.wait(after) == turn + 1).all()
        with host.pause(one):
            out = a.get_async(one)
            a.set_async(values + 1)
        assert (PyGPU.wait(out) == turn + 1).all() and (a.get() == turn + 2).all()


@own_interpreter("on_devices")
def test_who_gets_an_export_comes_after_a_small_fill():
    PyGPU.to_gpu(np.zeros(3))
    a = PyGPU.empty(100)
    for _ in range(2):
        known = threading.Event()
        with host.pause(0):
            a.fill(5.5)  # returns at once, even if the address is known
            reader = threading.Thread(
                target=lambda known=known: (a.__cuda_array_interface__, known.set())
            )
            reader.start()
            assert not known.wait(0.05), "the address is known, the elements are not there"
        reader.join()
    assert (a.get() == 5.5).all()


@own_interpreter("on_devices")
def test_memory_that_serves_again_is_known_after_the_upload_to_who_had_it_before():
    PyGPU.to_gpu(np.zeros(3))
    with host.pause(0):
        a = PyGPU.to_gpu(np.arange(100.0))
        del a
        b, known = PyGPU.empty(100), threading.Event()
        reader = threading.Thread(target=lambda: (b.__cuda_array_interface__, known.set()))
        reader.start()
        assert not known.wait(0.05)
    reader.join()


@own_interpreter("on_devices")
def test_many_small_uploads_of_all_sizes_and_threads():
    def work(seed):
        random = np.random.default_rng(seed)
        kept = []
        for step in range(150):
            values = random.integers(0, 255, random.integers(1, 70_000), "u1")
            kept.append((values.copy(), PyGPU.to_gpu(values)))
            values[...] = 0
            if step % 40 == 39:
                for wanted, array in kept:
                    assert (array.get() == wanted).all()
                kept.clear()
                PyGPU.trim_memory()

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(3)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]


@own_interpreter("on_devices")
def test_what_a_reset_ended_is_not_waited_for():
    _a = PyGPU.to_gpu(np.arange(100.0))
    assert not PyGPU.cudaDeviceReset()
    b = PyGPU.empty(100)
    b.fill(1, stream=PyGPU.Stream(True))
    assert b.ptr
    PyGPU.wait(b)
    assert b.get().all()


@own_interpreter("on_devices")
def test_a_reset_ends_small_uploads():
    a = PyGPU.to_gpu(np.arange(100.0))
    assert not PyGPU.cudaDeviceReset()
    b = PyGPU.to_gpu(np.arange(100.0))
    assert b.ptr and (b.get() == np.arange(100)).all()
    del a, b
    assert not PyGPU.cudaDeviceReset()
    assert not host.leaks(), host.leaks()


@own_interpreter("on_devices")
def test_a_fork_beside_copies_that_are_under_way():
    stream = PyGPU.Stream(non_blocking=True)
    a, pinned = PyGPU.zeros(1000), PyGPU.pagelocked_zeros(1000) + 1
    with host.pause(stream):
        a.set_async(pinned, stream)
        a.set_async(np.arange(1000.0)[::-1], stream)
        out = a.get_async(stream)
        child = os.fork()
        if not child:
            done = 0
            for use in (lambda: PyGPU.to_gpu(np.zeros(3)), a.get, lambda: a.get_async(stream)):
                try:
                    use()
                except PyGPU.GPUError:
                    done += 1
            assert PyGPU.ready(pinned) and PyGPU.ready(out)  # no more copies will arrive
            a = pinned = out = stream = use = None
            gc.collect()
            os._exit(0 if done == 3 else 1)
        assert os.waitpid(child, 0)[1] == 0
    assert (PyGPU.wait(out) == np.arange(1000.0)[::-1]).all()


@own_interpreter(PYGPU_BACKEND="host")
def test_a_reset_by_other_code_of_the_process_ends_nothing_of_ours_badly(host_library):
    """PyGPU can't see such a reset. Later calls fail with a status, until PyGPU resets itself."""
    a, exposed, pinned = PyGPU.to_gpu(np.arange(9.0)), PyGPU.ones(5), PyGPU.pagelocked_zeros(5)
    assert exposed.ptr
    stream, event = PyGPU.Stream(), PyGPU.Event().record()
    a.set_async(np.zeros(9), stream)
    assert ctypes.CDLL(str(host_library)).cudaDeviceReset() == 0
    with pytest.raises(PyGPU.GPUError):
        a.get()
    del a, exposed, pinned, stream, event
    gc.collect()
    with pytest.raises(PyGPU.GPUError):
        PyGPU.to_gpu(np.arange(9.0))
    assert not PyGPU.cudaDeviceReset()
    assert (PyGPU.to_gpu(np.arange(9.0)).get() == np.arange(9.0)).all()
