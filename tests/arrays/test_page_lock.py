"""Large page-locked memory: registered huge pages or, without those, cudaHostAlloc's."""

from __future__ import annotations

import os
import threading

import numpy as np
import pytest

import PyGPU
from PyGPU import host
from tests.own_interpreter import own_interpreter

MIB = 1 << 20
LARGE = 40 * MIB + 12345  # a multiple of nothing


def is_locked(address: int) -> bool:
    attributes, error = PyGPU.cudaPointerGetAttributes(address)
    return not error and attributes.type == PyGPU.cudaMemoryTypeHost


def resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@own_interpreter("on_devices")
def test_large_memory_is_page_locked_until_it_is_freed():
    """The device knows its first and last byte by the host's address. Copies are right."""
    a = PyGPU.to_gpu(np.arange(LARGE).astype("u1"))
    PyGPU.set_pinned_limit(0)
    a.get()  # the next array takes this one's memory, which is full of numbers
    zeros, got = PyGPU.pagelocked_zeros(LARGE, "u1"), a.get(pagelocked=True)
    for out in (zeros, got):
        address = out.ctypes.data
        assert is_locked(address) and is_locked(address + LARGE - 1)
        on_device, error = PyGPU.cudaHostGetDevicePointer(address, 0)
        assert not error and int(on_device) == address
        expected = np.arange(LARGE).astype("u1") if out is got else 0
        assert (out == expected).all()
        out[...] = 3
        a.set(out)
        out[...] = 0
        PyGPU.wait(a.get_async(PyGPU.Stream(), out))
        assert (out == 3).all()
        a.set(np.arange(LARGE).astype("u1"))
    del out, zeros, got
    assert not is_locked(address)


@pytest.mark.parametrize("lacks", ["cudaHostRegister", "cudaHostGetDevicePointer"])
@own_interpreter("on_host")
def test_memory_that_cannot_be_registered_is_the_runtimes(lacks):
    """If registering is unsupported, PyGPU asks once.

    After another failure it asks again each time.
    """
    PyGPU.set_pinned_limit(0)
    for error, asked_again in ((2, True), (PyGPU.cudaErrorNotSupported, False)):
        with host.fail(lacks, error=error, times=None) as fault:
            assert is_locked(PyGPU.pagelocked_empty(LARGE, "u1").ctypes.data)
        assert fault.struck
        with host.fail("cudaHostAlloc", error=999, times=None) as fault:
            if asked_again:
                PyGPU.pagelocked_empty(LARGE, "u1")
            else:
                with pytest.raises(PyGPU.GPUError, match=f"{LARGE} bytes of page-locked memory"):
                    PyGPU.pagelocked_empty(LARGE, "u1")
        assert bool(fault.struck) != asked_again
    assert not PyGPU.cudaGetLastError()


@own_interpreter("on_host")
def test_large_memory_outlives_a_reset_and_goes_with_its_last_user():
    PyGPU.set_pinned_limit(0)
    before = resident()
    for use in range(12):
        kept = PyGPU.pagelocked_empty(LARGE, "u1")
        kept[...] = use
        PyGPU.checked.cudaDeviceReset()
        assert kept.min() == kept.max() == use  # these make no temporary array
        del kept
    PyGPU.trim_memory()
    assert resident() < before + LARGE
    assert not host.leaks()


@own_interpreter("on_host")
def test_trimming_gives_it_back_to_the_system():
    """Unlocked memory could serve results of get(), but after trimming nothing keeps it."""
    PyGPU.set_pinned_limit(2 * LARGE)
    before = resident()
    PyGPU.pagelocked_empty(LARGE, "u1")
    assert resident() > before + LARGE // 2
    PyGPU.trim_memory()
    assert resident() < before + LARGE


def let_go(memory: list[np.ndarray], gone: threading.Event) -> None:
    memory.clear()
    gone.set()


@own_interpreter("on_host")
def test_freeing_waits_for_a_raw_copy():
    """As with smaller memory: else the copy would write to memory that has a new owner."""
    PyGPU.set_pinned_limit(0)
    for size in (20 * MIB, LARGE):
        out = PyGPU.pagelocked_zeros(size, "u1")
        a, stream = PyGPU.empty(size, "u1").fill(7), PyGPU.Stream(non_blocking=True)
        paused = host.pause(stream)
        PyGPU.checked.cudaMemcpyAsync(out, a.ptr, size, PyGPU.cudaMemcpyDeviceToHost, stream)
        freed = threading.Event()
        waiting = threading.Thread(target=let_go, args=([out], freed))
        del out
        with host.reports() as misuse:
            waiting.start()
            assert not freed.wait(0.05)
            paused.resume()
            waiting.join()
        assert not any("cudaHostUnregister" in report for report in misuse)


@own_interpreter("on_host")
def test_memory_that_a_reset_ended_takes_nothing_with_it_at_its_address():
    """Once the runtime has unmapped it, its address may belong to new huge pages."""
    PyGPU.set_pinned_limit(0)
    with host.fail("cudaHostRegister", error=2, times=None):
        ended = [PyGPU.pagelocked_empty(42 * MIB, "u1") for _ in range(16)]
    addresses = {one.ctypes.data for one in ended}
    PyGPU.checked.cudaDeviceReset()
    new = []
    while len(new) < 16 and not addresses & {one.ctypes.data for one in new}:
        new.append(PyGPU.pagelocked_empty(40 * MIB, "u1"))
    if not addresses & {one.ctypes.data for one in new}:
        pytest.skip("the system gives other addresses")
    ended.clear()
    PyGPU.trim_memory()
    for one in new:
        assert is_locked(one.ctypes.data)
        one[:] = 1


@own_interpreter("on_host")
def test_more_than_the_machine_has_is_an_error():
    """Filling the pages would make the system kill the process."""
    with open("/proc/meminfo") as file:
        available = next(int(line.split()[1]) for line in file if line.startswith("MemAvailable"))
    PyGPU.pagelocked_empty(LARGE, "u1")  # loads the libraries
    before = resident()
    with host.fail("cudaHostAlloc", error=2, times=None):
        for size in ((available << 10) * 3 // 4, 1 << 60):
            with pytest.raises(MemoryError):
                PyGPU.pagelocked_empty(size, "u1")
    assert resident() < before + LARGE
