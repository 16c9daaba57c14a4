"""Copies between devices: the first one enables peer access, and rectangles go in one call."""

from __future__ import annotations

import contextlib
import ctypes
import os
import threading

import numpy as np
import pytest

import PyGPU
from PyGPU import host
from tests.own_interpreter import IN_CHILD, own_interpreter

gpu = PyGPU.checked
ALREADY_ENABLED = 704
READ_WRITE = 3

if IN_CHILD and PyGPU.backend == "cuda":
    front = ctypes.CDLL(os.environ["PYGPU_CUDA_LIBRARY"])


@pytest.fixture
def linked(behind):
    return behind("linked_devices.cpp")


@pytest.fixture
def by_hip(program, host_library):
    return program.having(PYGPU_BACKEND="hip", PYGPU_HIP_LIBRARY=str(host_library))


def count(name):
    return front.count_of(name.encode())


def on(device, array):
    with PyGPU.device(device):
        return PyGPU.to_gpu(array)


def plain(device, shape, dtype="f4"):
    """An array on memory from cudaMalloc."""
    with PyGPU.device(device):
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        return PyGPU.GPUArray(shape, dtype, gpudata=gpu.cudaMalloc(size))


@own_interpreter("linked")
def test_pool_memory_is_opened_once():
    a, b = on(0, np.arange(1000.0)), on(1, np.zeros(1000))
    assert count("cudaMemPoolSetAccess") == 0
    count("cudaMemcpyAsync")
    for _ in range(3):
        b[...] = a
        a[...] = b
    assert count("cudaMemPoolSetAccess") == 2, "each of the two pools, once"
    assert count("cudaDeviceEnablePeerAccess") == 0, "nobody needs it"
    assert count("cudaMemcpyAsync") == 6
    assert (b.get() == np.arange(1000.0)).all()


@own_interpreter("linked")
def test_plain_memory_is_enabled_once():
    a, b = plain(0, 1000), plain(1, 1000)
    a.fill(3)
    for _ in range(3):
        b[...] = a
    assert count("cudaDeviceEnablePeerAccess") == 2
    assert count("cudaMemPoolSetAccess") == 0
    assert (b.get() == 3).all()
    mixed = on(1, np.zeros(1000, "f4"))
    mixed[...] = a  # access to the pool is enabled for the first time
    assert count("cudaMemPoolSetAccess") == 1
    assert count("cudaDeviceEnablePeerAccess") == 0
    assert (mixed.get() == 3).all()


@own_interpreter("linked")
def test_what_others_enabled_stays():
    gpu.cudaDeviceEnablePeerAccess(1, 0)
    count("cudaDeviceEnablePeerAccess")
    a, b = plain(0, 10), plain(1, 10)
    a.fill(1)
    for waiting in (0, 2, 1, 101, ALREADY_ENABLED):
        PyGPU.cudaGetLastError()
        if waiting:
            provoke(waiting)
        b[...] = a
        assert int(PyGPU.cudaGetLastError()) == waiting, waiting
    assert count("cudaDeviceEnablePeerAccess") >= 2
    assert count("cudaDeviceDisablePeerAccess") == 0
    assert PyGPU.cudaDeviceEnablePeerAccess(1, 0) == ALREADY_ENABLED
    assert gpu.cudaGetDevice() == 0


def provoke(code):
    """Leaves an error of another library, which nobody has read yet."""
    failing = {
        1: lambda: PyGPU.cudaDeviceEnablePeerAccess(1, 5),
        2: lambda: PyGPU.cudaMalloc(1 << 62),
        101: lambda: PyGPU.cudaSetDevice(99),
        ALREADY_ENABLED: lambda: PyGPU.cudaDeviceEnablePeerAccess(1, 0),
    }
    failing[code]()
    assert int(PyGPU.cudaPeekAtLastError()) == code


@own_interpreter("linked")
def test_devices_that_are_no_peers():
    with host.fail("cudaDeviceCanAccessPeer", error=801, times=None):
        a, b = on(0, np.arange(10.0)), on(1, np.zeros(10))
        b[...] = a
    assert count("cudaMemPoolSetAccess") == 0
    assert (b.get() == np.arange(10.0)).all()


@own_interpreter("linked")
def test_access_that_fails():
    for function in ("cudaMemPoolSetAccess", "cudaDeviceCanAccessPeer"):
        with host.fail(function, times=None):
            a, b = on(0, np.arange(10.0)), on(1, np.zeros(10))
            b[...] = a
            assert (b.get() == np.arange(10.0)).all()
    assert not PyGPU.cudaGetLastError()


@own_interpreter("linked")
def test_after_a_reset():
    a, b = on(0, np.arange(10.0)), on(1, np.zeros(10))
    b[...] = a
    count("cudaMemPoolSetAccess")
    with PyGPU.device(1):
        gpu.cudaDeviceReset()
    b = on(1, np.zeros(10))
    b[...] = a
    assert count("cudaMemPoolSetAccess") == 2
    assert (b.get() == np.arange(10.0)).all()


@own_interpreter("linked")
def test_no_capture_is_spoilt():
    a, b = on(0, np.arange(10.0)), on(1, np.zeros(10))
    PyGPU.wait(a), PyGPU.wait(b)
    front.set_capturing(1)
    with pytest.raises(PyGPU.GPUError, match="906"):  # the copy can't be ordered in a capture
        b[...] = a
    front.set_capturing(0)
    assert front.count_spoilt() == 0
    b[...] = a
    assert count("cudaMemPoolSetAccess") == 2, "the next one asks"
    assert (b.get() == np.arange(10.0)).all()


@own_interpreter("linked")
def test_rectangles_go_in_one_call():
    whole = np.arange(200 * 96, dtype="f4").reshape(200, 96)
    a, b = on(0, whole), on(1, np.zeros_like(whole))
    count("cudaMemcpyAsync")
    b[:, :64] = a[:, 32:]
    assert (count("cudaMemcpy2DAsync"), count("cudaMemcpyAsync")) == (1, 0)
    expected = np.zeros_like(whole)
    expected[:, :64] = whole[:, 32:]
    assert (b.get() == expected).all()
    cube = np.arange(6 * 40 * 64, dtype="f4").reshape(6, 40, 64)
    c, d = on(0, cube), on(1, np.zeros((6, 20, 32), "f4"))
    d[...] = c[:, 10:30, 16:48]
    assert count("cudaMemcpy3DAsync") == 1
    assert (d.get() == cube[:, 10:30, 16:48]).all()


@own_interpreter("linked")
def test_narrow_rows_are_packed():
    whole = np.arange(1000 * 8, dtype="f4").reshape(1000, 8)
    a, b = on(0, whole), on(1, np.zeros_like(whole))
    count("cudaMemcpyAsync")
    b[:, ::2] = a[:, 1::2]  # every second column
    assert (count("cudaMemcpy2DAsync"), count("cudaMemcpyAsync")) == (2, 1)
    expected = np.zeros_like(whole)
    expected[:, ::2] = whole[:, 1::2]
    assert (b.get() == expected).all()
    count("cudaMemcpyAsync")
    b[...] = a
    assert count("cudaMemcpyAsync") == 1
    assert (b.get() == whole).all()


@own_interpreter("linked")
def test_short_rows_are_written_over_the_link_at_once():
    """By the source's device, where it is certain that it has access."""
    whole = np.arange(1000 * 32, dtype="f4").reshape(1000, 32)
    for denied in (True, False):
        with host.fail("cudaMemPoolSetAccess", times=None) if denied else contextlib.nullcontext():
            a, b = on(0, whole), on(1, np.zeros_like(whole))
            count("cudaMemcpyAsync"), count("cudaMemcpy2DAsync")
            b[:, :16] = a[:, 16:]
        calls = count("cudaMemcpyAsync") + count("cudaMemcpy2DAsync")
        assert (calls > 0) == denied
        expected = np.zeros_like(whole)
        expected[:, :16] = whole[:, 16:]
        assert (b.get() == expected).all()
        if denied:
            gpu.cudaDeviceReset()  # so that the next copy asks again


@own_interpreter("linked")
@pytest.mark.parametrize("at_home", [True, False])
def test_short_rows_between_devices_are_refused_in_a_capture(at_home):
    """They would be copied at once, and not by the graph."""
    with PyGPU.device(1):
        stream = PyGPU.Stream(non_blocking=True)
    source, target = on(0, np.ones((64, 64), "f4")), on(1, np.zeros((64, 64), "f4"))
    if at_home:
        with stream:
            target = PyGPU.zeros((64, 64), "f4")
        stream.synchronize()
    with pytest.raises(PyGPU.GPUError) as raised, stream.capture():
        target[:, :16] = source[:, :16]
    assert raised.value.error == 900
    assert not target.get().any()


@own_interpreter("linked")
def test_every_pattern_is_numpys():
    random = np.random.default_rng(5)
    for _ in range(150):
        axes = int(random.integers(1, 4))
        shape = tuple(int(n) for n in random.integers(2, 40, axes))
        dtype = ("u1", "f4", "c16")[int(random.integers(3))]
        source = random.integers(0, 100, shape).astype(dtype)
        target = np.zeros(shape, dtype)
        to, from_ = on(1, target), on(0, source)
        key = tuple(
            slice(int(random.integers(0, n // 2)), n, int(random.choice([1, 1, 2, 3])))
            for n in shape
        )
        value, device_value = source[key], from_[key]
        if random.integers(3) == 0:
            value, device_value = value[::-1], device_value[::-1]
        if random.integers(3) == 0 and axes > 1:  # this axis is repeated
            value, device_value = value[:1], device_value[:1]
        if random.integers(4) == 0:
            order = random.permutation(axes)
            turned, on_device = target.transpose(order), to.transpose(*order.tolist())
            here = tuple(key[at] for at in order)
            turned[here] = value.transpose(order)
            on_device[here] = device_value.transpose(*order.tolist())
        else:
            target[key] = value
            to[key] = device_value
        assert (to.get() == target).all(), (shape, dtype, key)


@own_interpreter("linked")
def test_order_and_lifetime():
    """A copy comes after the work queued on the source, and keeps the source until it is done."""
    big = np.arange(1 << 16, dtype="f4").reshape(256, 256)
    other = PyGPU.Stream(non_blocking=True)
    for view in (np.s_[:, :], np.s_[:, 64:128], np.s_[:, ::2]):
        a, b = on(0, np.zeros_like(big)), on(1, np.zeros_like(big))
        here = PyGPU.Stream(non_blocking=True)
        pinned = PyGPU.pagelocked_empty(big.shape, "f4")
        pinned[...] = big
        PyGPU.wait(a), PyGPU.wait(b)
        release = threading.Event()
        gpu.cudaLaunchHostFunc(here, lambda _, e=release: e.wait(), None)
        a.set_async(pinned, here)
        with here:
            a_view = a[view]
            b[view] = a_view
        del a, a_view
        with PyGPU.device(0):
            # Must not get the memory that is still being read.
            again = PyGPU.empty(big.shape, "f4", stream=other)
            again.fill(9, other)
        release.set()
        expected = np.zeros_like(big)
        expected[view] = big[view]
        result = b.get()
        assert (result == expected).all(), view
        del again


@own_interpreter("linked")
def test_two_threads_copy():
    arrays = [(on(0, np.full(1000, float(n))), on(1, np.zeros(1000))) for n in range(8)]

    def work(a, b):
        for _ in range(20):
            b[...] = a
            a[...] = b

    threads = [threading.Thread(target=work, args=pair) for pair in arrays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((b.get() == n).all() for n, (_, b) in enumerate(arrays))


@own_interpreter("by_hip")
def test_hip_sends_rectangles_between_peers_alone():
    whole = np.arange(200 * 96, dtype="f4").reshape(200, 96)

    @contextlib.contextmanager
    def no_peers():
        no_boxes = host.fail("hipMemcpy3DAsync", times=None)
        with host.fail("hipDeviceCanAccessPeer", error=801, times=None), no_boxes:
            yield

    for way in (contextlib.nullcontext, no_peers):
        source = PyGPU.to_gpu(whole)
        with PyGPU.device(1):
            target = PyGPU.zeros(whole.shape, "f4")
        with way():
            target[:, :64] = source[:, 32:]
            target[:, 64:] = source[:, :32]
        assert (target.get() == np.roll(whole, -32, 1)).all()
        target[...] = source
        assert (target.get() == whole).all()
