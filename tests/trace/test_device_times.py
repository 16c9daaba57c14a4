"""Times of kernels and copies from CUPTI: a stand-in for it, beside the host runtime.

test_device_records.py has what is read from the records, test_device_on_card.py a card.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import os
import sys
import time

import numpy as np
import pytest

import PyGPU
from PyGPU import checked as gpu
from tests.own_interpreter import own_interpreter

on_standin = own_interpreter("on_standin")
COPY, SET, KERNEL = 1, 2, 10


def standin() -> ctypes.CDLL:
    library = ctypes.CDLL(os.environ["PYGPU_CUPTI_LIBRARY"])
    library.standin_ran.argtypes = [ctypes.c_int, ctypes.c_uint, *[ctypes.c_ulonglong] * 3]
    return library


def stderr() -> contextlib.redirect_stderr:
    """What is printed to stderr in a block."""
    return contextlib.redirect_stderr(io.StringIO())


def enter(correlation: int) -> None:
    """What CUDA does in a call that launches a kernel."""
    standin().standin_enter(
        2, PyGPU.cupti.CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000, correlation
    )


def ran(kind: int, correlation: int, after: float, took: float, size: int = 0) -> None:
    """Work of the device, begun so many seconds from now, as CUPTI's clock says it."""
    start = int((time.time() + after) * 1e9)
    standin().standin_ran(kind, correlation, start, start + int(took * 1e9), size)


@on_standin
def test_work_has_its_time_its_caller_and_its_line():
    """The number that CUPTI gives to a call leads from the work to the call that queued it."""
    with PyGPU.trace() as trace:
        gpu.cudaGetDevice()
        # The stand-in calls this function before it returns, so the call is under way then.
        assert not PyGPU.cupti.cuptiActivityRegisterTimestampCallback(lambda: enter(55) or 1)
        before = time.monotonic_ns()
        ran(KERNEL, 55, after=0, took=1e-6)
        after = time.monotonic_ns()
        ran(COPY, 7, after=0, took=1e-6, size=4096)
    kernel, copy = trace.work
    call = next(one for one in trace.calls if "Timestamp" in one.name)
    assert (kernel.name, kernel.kind) == ("saxpy(float, float*)", "kernel")
    assert (kernel.thread, kernel.launched, kernel.caller) == (call.thread, call.start, call.place)
    assert __file__ in kernel.caller and kernel.duration == pytest.approx(1000, abs=5)
    # Both clocks are read one after the other, by an interpreter that others may delay.
    assert before - 2_000_000 <= kernel.start <= after + 2_000_000
    assert (copy.kind, copy.name, copy.bytes) == ("copy", "copy, device to host", 4096)
    assert (copy.stream, copy.context, copy.launched, copy.caller) == (9, 1, None, "")
    assert trace.kernels == [kernel]


@on_standin
def test_a_trace_that_is_open_shows_what_has_run():
    """The work is there before the trace has ended, and each trace has that of its own time."""
    with PyGPU.trace() as outer:
        gpu.cudaGetDevice()
        ran(SET, 1, after=0, took=1e-6, size=8)
        assert [one.name for one in outer.work] == ["set"]
        with PyGPU.trace() as inner:
            ran(KERNEL, 2, after=0, took=1e-6)
    assert [one.kind for one in inner.work] == ["kernel"]
    assert [one.kind for one in outer.work] == ["set", "kernel"]


@on_standin
def test_cupti_is_the_programs_again_after_a_trace():
    """It begins with the first use of CUDA, ends with the trace, and may begin again."""
    assert not standin().standin_subscribers()
    with PyGPU.trace() as trace:
        assert not standin().standin_subscribers()
        gpu.cudaGetDevice()
        assert standin().standin_subscribers()
    for _ in range(2):
        assert not standin().standin_subscribers()
        ran(KERNEL, 1, after=0, took=1e-6)  # nobody asks for it
        with stderr() as said, trace:
            assert standin().standin_subscribers()
            ran(SET, 2, after=0, took=1e-6)
        assert not said.getvalue()
        assert [one.kind for one in trace.work] == ["set"]
    assert not any("cupti" in one.name for one in trace.calls)
    with PyGPU.trace(device=False):
        assert not standin().standin_subscribers()


@on_standin
def test_a_tool_that_uses_cupti_is_left_alone():
    """Its subscriber and its buffers stay, a line says so, and the trace has the calls."""
    cupti, seen = PyGPU.cupti, []
    with cupti.CUpti_SubscriberHandle(callback=print), stderr() as said, PyGPU.trace() as trace:
        gpu.cudaGetDevice()
    assert [call.name for call in trace.calls] == ["cudaGetDevice"]
    line = "PyGPU: PyGPU.trace(): no times of the device: another tool uses CUPTI in this process\n"
    assert said.getvalue() == line

    def profiled() -> int:
        cupti.checked.cuptiActivityRegisterCallbacks(lambda: 4096, lambda *given: seen.append(1))
        cupti.checked.cuptiActivityEnable(cupti.CUPTI_ACTIVITY_KIND_MEMSET)
        with stderr() as said, PyGPU.trace() as trace:
            ran(SET, 1, after=0, took=1e-6)
        assert "registered buffers of its own with CUPTI" in said.getvalue()
        cupti.checked.cuptiActivityFlushAll(0)
        cupti.checked.cuptiActivityDisable(cupti.CUPTI_ACTIVITY_KIND_MEMSET)
        return len(trace.work)

    assert not profiled() and len(seen) == 1


@on_standin
def test_buffers_that_are_registered_between_traces_are_left_alone():
    """The trace's own registration of before isn't taken for the program's, nor the reverse."""
    cupti, seen = PyGPU.cupti, []
    for _ in range(2):
        with PyGPU.trace() as trace:
            gpu.cudaGetDevice()
            ran(SET, 1, after=0, took=1e-6)
        assert len(trace.work) == 1
    cupti.checked.cuptiActivityRegisterCallbacks(lambda: 4096, lambda *given: seen.append(1))
    with stderr() as said, PyGPU.trace() as trace:
        gpu.cudaGetDevice()
    cupti.checked.cuptiActivityEnable(cupti.CUPTI_ACTIVITY_KIND_MEMSET)
    ran(SET, 1, after=0, took=1e-6)
    cupti.checked.cuptiActivityFlushAll(0)
    assert len(seen) == 1 and not trace.work
    assert "registered buffers of its own" in said.getvalue()


def forks() -> None:
    PyGPU.cudaGetDevice()
    if not (child := os.fork()):
        PyGPU.cudaGetDeviceCount()
        sys.exit()
    os.waitpid(child, 0)
    ran(KERNEL, 1, after=0, took=1e-6)


def test_a_variable_has_them_and_a_fork_leaves_cupti_alone(on_standin, tmp_path):
    """A child's file has its calls; CUPTI is the parent's."""
    done = on_standin(forks, PYGPU_TRACE=str(tmp_path / "calls.jsonl"))
    assert not done.stderr
    (other,) = [one for one in tmp_path.iterdir() if one.name != "calls.jsonl"]
    assert '"event": "kernel"' in (tmp_path / "calls.jsonl").read_text()
    assert "cudaGetDeviceCount" in other.read_text() and "kernel" not in other.read_text()


def test_a_variable_turns_them_off(on_standin, tmp_path):
    file = tmp_path / "calls.jsonl"
    on_standin(forks, PYGPU_TRACE=str(file), PYGPU_TRACE_DEVICE="0")
    assert "cudaGetDevice" in file.read_text() and '"event": "kernel"' not in file.read_text()


@own_interpreter(
    "on_standin",
    PYGPU_CUPTI_LIBRARY=None,
)
def test_without_cupti_a_trace_is_as_it_was():
    """Calls are recorded, nothing is printed, and the summary says what to install."""
    from PyGPU._apis.api import Api
    from PyGPU._trace.calls import Call
    from PyGPU._trace.summary import render, summary

    Api.is_installed = False
    with stderr() as said, PyGPU.trace() as trace:
        array = PyGPU.to_gpu(np.zeros(10, np.float32))
        array.get()
    assert trace.calls and not trace.work and not said.getvalue()
    launch = Call("cu", "cuLaunchKernel", {}, 0, 1, duration=10, status=0)
    shown = render(summary([*trace.calls, launch]))
    assert "no times of the device: CUPTI has them (PyGPU[nvidia], nvidia-cuda-cupti)" in shown
    assert "no times" not in render(summary(trace.calls))
