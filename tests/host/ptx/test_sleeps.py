"""nanosleep takes about the time that it is asked for (PTX ISA: between 0 and twice as much)."""

from __future__ import annotations

import numpy as np
import pytest

import PyGPU
from PyGPU import host
from tests.own_interpreter import own_interpreter

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
# Each thread stores how long it slept, and when it was done.
TEXT = f"""{HEAD}.visible .entry k(.param .u64 p, .param .u32 first, .param .u32 step) {{
    .reg .u64 %q, %begin, %end; .reg .u32 %t, %time, %step;
    ld.param.u64 %q, [p]; ld.param.u32 %time, [first]; ld.param.u32 %step, [step];
    mov.u32 %t, %tid.x; mad.lo.u32 %time, %t, %step, %time; mad.wide.u32 %q, %t, 16, %q;
    mov.u64 %begin, %globaltimer;
    nanosleep.u32 %time;
    mov.u64 %end, %globaltimer;
    st.global.v2.u64 [%q], {{%begin, %end}};
    ret; }}"""


def slept(first: int, step: int = 0, threads: int = 1) -> np.ndarray:
    """When each thread began and ended, in nanoseconds."""
    array = PyGPU.to_gpu(np.zeros((threads, 2), np.uint64))
    PyGPU.Module(TEXT.encode())["k"](
        array, np.uint32(first), np.uint32(step), grid=1, block=threads
    )
    return array.get().astype(np.int64)


@pytest.mark.parametrize("time", [1000, 50_000, 1_000_000])
@own_interpreter("on_host")
def test_a_thread_sleeps(time):
    """Never for less; the machine may be busy, so the best of many counts for the other bound."""
    spans = [np.ptp(slept(time)[0]) for _ in range(50)]
    assert time <= min(spans) <= 2 * time + 2000


@own_interpreter("on_host")
def test_no_thread_sleeps_for_longer_than_a_millisecond():
    assert min(np.ptp(slept(2**32 - 1)[0]) for _ in range(50)) <= 2_000_000


@own_interpreter("on_host")
def test_threads_sleep_at_the_same_time():
    """One after another, 1024 threads would need 32 milliseconds for their warps alone."""
    best = min(np.ptp(slept(1_000_000, threads=1024)) for _ in range(20))
    assert 1_000_000 <= best < 16_000_000


@own_interpreter("on_host")
def test_lanes_with_other_times_sleep_as_long_as_the_shortest():
    """Then none sleeps for longer than twice its time, as on an H200."""
    best = min(np.ptp(slept(20_000, step=20_000, threads=32)) for _ in range(50))
    assert 20_000 <= best < 60_000


@own_interpreter("on_host")
def test_a_sleeper_that_waits_for_ever_is_a_deadlock():
    """A phase of an mbarrier that can't end is found, although the thread sleeps meanwhile."""
    text = f"""{HEAD}.visible .entry k() {{ .reg .pred %p; .shared .align 8 .b64 bar;
        mbarrier.init.shared.b64 [bar], 2;
        again: mbarrier.test_wait.parity.shared.b64 %p, [bar], 0;
        @%p bra done;
        nanosleep.u32 100;
        bra again;
        done: ret; }}"""
    with host.reports() as reports:
        PyGPU.Module(text.encode())["k"](grid=1, block=1)
        assert PyGPU.cudaDeviceSynchronize() == 702
    assert "wait for a phase of an mbarrier" in reports[0]
