"""Copies by several threads: every byte arrives, in order.

(test_faults.py makes their calls fail.)
"""

from __future__ import annotations

import itertools
import threading

import numpy as np

import PyGPU
from PyGPU import host
from PyGPU._core import arrays
from tests.own_interpreter import own_interpreter

MIB = 1 << 20


@own_interpreter("on_devices")
def test_all_bytes_arrive_both_ways():
    random = np.random.default_rng(1)
    sizes = (MIB, MIB + 1, 2 * MIB - 1, 5 * MIB, 7 * MIB + 13)
    for size, threads in itertools.product(sizes, (3, 7)):  # with 7 the calling thread only sends
        arrays._set_copies(threads=threads, piece=256 << 10)
        values = np.empty(size + 3, "u1")[3:]  # at an unaligned address
        values[...] = random.integers(0, 255, size, "u1")
        a = PyGPU.to_gpu(values)
        assert (a.get() == values).all(), size
        a.fill(0)
        a.set(values)
        back = np.empty(size, "u1")
        assert a.get(back) is back and (back == values).all(), size
    d = PyGPU.DeviceArray_uint8(values)
    for status in d.allocate(), d.to_device():
        assert not status
    kept = values.copy()
    values[...] = 0
    assert not d.to_host() and (values == kept).all()
    del a, d
    PyGPU.trim_memory()
    assert not [line for line in host.leaks().splitlines() if "event" not in line], host.leaks()


@own_interpreter("on_devices")
def test_they_come_after_the_default_stream():
    arrays._set_copies(threads=2)
    a, values = PyGPU.zeros(1 << 18), np.arange(float(1 << 18))
    a.fill(2.0)  # a driver may wait for all streams when it loads a kernel
    done = threading.Event()
    with host.pause(0):
        a.fill(3.0)
        setter = threading.Thread(target=lambda: (a.set(values), done.set()))
        setter.start()
        assert not done.wait(0.05)
    setter.join()
    assert (a.get() == values).all()
    with host.pause(0):
        a.fill(4.0)
        out = np.zeros(1 << 18)
        getter = threading.Thread(target=a.get, args=(out,))
        getter.start()
    getter.join()
    assert (out == 4).all()


@own_interpreter("on_host")
def test_page_locked_memory_goes_straight():
    arrays._set_copies(threads=2)
    pinned = PyGPU.pagelocked_zeros(1 << 18)
    registered = np.zeros(1 << 18)
    a = PyGPU.zeros(1 << 18)
    with PyGPU.register(registered):
        for source in pinned, registered:
            with host.fail("cudaMemcpyAsync", error=999) as fault:
                a.set(source)
            assert not fault.struck
