"""Ctrl-C ends the wait for a kernel that never ends, and nothing else."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time

import numpy as np
import pytest

import PyGPU
from PyGPU import host
from tests.own_interpreter import AT_EXIT, own_interpreter

# Writes 1 to p[0] and loops until it finds something in p[1].
TEXT = b""".version 8.0\n.target sm_80\n.address_size 64
.visible .entry k(.param .u64 p) {
    .reg .u64 %q; .reg .u32 %r; .reg .pred %p;
    ld.param.u64 %q, [p];
    st.volatile.global.u32 [%q], 1;
again: ld.volatile.global.u32 %r, [%q+4];
    setp.eq.u32 %p, %r, 0;
    @%p bra again;
    ret; }"""


class Looping:
    """The kernel on a stream; a signal comes once it runs."""

    def __init__(self, interrupts: bool = True) -> None:
        assert pytest.raises  # imported now: the interrupt must not meet an import
        # A shell that starts programs in the background lets them ignore the signal.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        self.array, self.stream = PyGPU.to_gpu(np.zeros(2, np.uint32)), PyGPU.Stream()
        self.words = (ctypes.c_uint32 * 2).from_address(int(self.array.gpudata))
        self.module = PyGPU.Module(TEXT)
        self.module["k"](self.array, grid=1, block=32, stream=self.stream)
        self.event = PyGPU.Event()
        self.event.record(self.stream)
        if interrupts:
            threading.Thread(target=self.interrupt, daemon=True).start()

    def interrupt(self) -> None:
        """Send the signal once the kernel runs, and the main thread is within a call of C."""
        main, place, since = threading.main_thread().ident, None, time.monotonic()
        while not self.words[0] or time.monotonic() - since < 0.1:  # many turns of the GIL
            frame = sys._current_frames()[main]
            now = id(frame), frame.f_lasti
            if now != place:
                place, since = now, time.monotonic()
        os.kill(os.getpid(), signal.SIGINT)


WAITS = {
    "cudaDeviceSynchronize": lambda one: PyGPU.cudaDeviceSynchronize(),
    "checked": lambda one: PyGPU.checked.cudaDeviceSynchronize(),
    "stream": lambda one: one.stream.synchronize(),
    "event": lambda one: one.event.synchronize(),
    "get": lambda one: one.array.get(),
}


@pytest.mark.parametrize("wait", WAITS)
@own_interpreter("on_host")
def test_an_interrupt_ends_the_wait_and_the_kernel(wait):
    """The call raises KeyboardInterrupt; the device then has a timeout's fault until its reset."""
    looping = Looping()
    with host.reports() as reports, pytest.raises(KeyboardInterrupt):
        WAITS[wait](looping)
    assert "k was ended, because an interrupt has ended the wait for it" in reports[0]
    assert PyGPU.cudaDeviceSynchronize() == 702
    assert PyGPU.cudaDeviceReset() == 0
    assert PyGPU.to_gpu(np.arange(3)).get().tolist() == [0, 1, 2]


@own_interpreter("on_host")
def test_a_handler_that_returns_ends_nothing():
    """The kernel runs on, and the wait lasts until it has ended."""
    looping, seen = Looping(), []

    def end_kernel(number, frame):
        seen.append(number)
        looping.words[1] = 1

    signal.signal(signal.SIGINT, end_kernel)
    assert PyGPU.cudaDeviceSynchronize() == 0
    assert seen == [signal.SIGINT]


@own_interpreter("on_host")
def test_a_handler_may_raise_what_it_wants():
    looping = Looping()

    def raise_value(number, frame):
        raise ValueError("by the handler")

    signal.signal(signal.SIGINT, raise_value)
    with pytest.raises(ValueError, match="by the handler"):
        looping.stream.synchronize()


@own_interpreter("on_host")
def test_another_threads_wait_goes_on():
    """The interrupt is the main thread's: what others wait for isn't ended by it."""
    looping, codes = Looping(interrupts=False), []
    waiting = threading.Thread(target=lambda: codes.append(int(PyGPU.cudaDeviceSynchronize())))
    waiting.start()
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    assert waiting.is_alive()
    looping.words[1] = 1
    waiting.join()
    assert codes == [0]


def interrupted_program():
    looping = Looping()
    print("waits")
    try:
        looping.stream.synchronize()
    finally:
        print("leaves")


def test_an_interrupted_program_ends(on_host):
    """Nobody catches the interrupt: the program ends as Python ends it."""
    done = on_host(interrupted_program, check=False)
    assert done.stdout == "waits\nleaves\n"
    assert done.returncode in (130, -signal.SIGINT, 1)
    assert "KeyboardInterrupt" in done.stderr


def thread_that_waits():
    looping = Looping(interrupts=False)
    threading.Thread(target=looping.stream.synchronize, daemon=True).start()
    while not looping.words[0]:
        pass
    AT_EXIT.append(looping)
    print("leaves")


def test_a_program_ends_while_a_daemon_waits(on_host):
    assert on_host(thread_that_waits).stdout == "leaves\n"
