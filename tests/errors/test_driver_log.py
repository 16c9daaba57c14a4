"""GPUError carries the new lines of the driver's log: with a stand-in driver, and on a card."""

from __future__ import annotations

import copy
import ctypes
import os
import pathlib
import pickle
import sys
import traceback

import pytest

import PyGPU
from PyGPU import cuda
from tests.own_interpreter import IN_CHILD, own_interpreter

RELAXED, GLOBAL = 2, 0
HERE = pathlib.Path(__file__).parent

if IN_CHILD and "PYGPU_CUDA_LIBRARY" in os.environ:
    # The stand-in finds the driver's functions, too.
    c = ctypes.CDLL(os.environ["PYGPU_CUDA_LIBRARY"])


@pytest.fixture
def on_logging_driver(python, compile_library):
    """A runtime whose calls fail, and below it a driver that keeps a log."""
    driver = compile_library("libcuda.so.1", (HERE / "driver_log.cpp").read_text())
    linked = (
        "-Wl,--no-as-needed",
        driver,
        f"-Wl,--disable-new-dtags,-rpath,{os.path.dirname(driver)}",
    )
    source = (HERE / "failing_runtime.cpp").read_text()
    return python.having(PYGPU_CUDA_LIBRARY=compile_library("libcudart.so.13", source, *linked))


def error_of(call, *arguments) -> PyGPU.GPUError:
    with pytest.raises(PyGPU.GPUError) as raised:
        call(*arguments)
    return raised.value


@own_interpreter("on_logging_driver")
def test_an_error_has_what_came_since_the_one_before():
    cuda.cudaSetDevice(7)  # the plain form doesn't raise
    assert error_of(cuda.checked.cudaSetDevice, 8).driver_log == (
        "[CUDA][E] there is no device 7\n[CUDA][E] there is no device 8\n"
    )
    assert error_of(cuda.checked.cudaSetDevice, 9).driver_log == "[CUDA][E] there is no device 9\n"
    assert error_of(PyGPU.check, cuda.cudaError(1)).driver_log == ""
    assert "device 5" in error_of(PyGPU.check, cuda.cudaSetDevice(5)).driver_log


@own_interpreter("on_logging_driver")
def test_a_traceback_ends_with_the_log_and_the_message_stays():
    error = error_of(cuda.checked.cudaSetDevice, 9)
    assert "there is no device" not in str(error)
    shown = "".join(traceback.format_exception(error))
    if sys.version_info >= (3, 11):
        assert shown.endswith("the driver's log ends with:\n[CUDA][E] there is no device 9\n")
    for other in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert (other.driver_log, str(other)) == (error.driver_log, str(error))


@own_interpreter("on_logging_driver")
def test_only_an_error_asks_and_no_capture_is_disturbed():
    cuda.checked.cudaSetDevice(0)
    cuda.cudaSetDevice(7)
    assert c.times_dumped() == 0
    error_of(cuda.checked.cudaSetDevice, 7)
    assert c.times_dumped() == 1
    assert (c.seen_mode(), c.current_mode()) == (RELAXED, GLOBAL)


@own_interpreter("on_logging_driver")
def test_the_error_is_the_same_where_the_log_can_t_be_read():
    c.refuse_dumps(1)
    error = error_of(cuda.checked.cudaSetDevice, 7)
    assert (int(error.error), error.driver_log) == (101, "")
    c.refuse_dumps(0)
    c.set_ready(0)
    assert error_of(cuda.checked.cudaSetDevice, 7).driver_log == ""
    assert c.times_dumped() == 1
    c.set_ready(1)
    # Fails with 800, as in a callback.
    assert error_of(cuda.checked.cudaDeviceSynchronize).driver_log == ""
    assert c.times_dumped() == 1
    assert error_of(cuda.checked.cudaSetDevice, 7).driver_log.count("\n") == 3


@own_interpreter("on_host")
def test_the_host_runtime_has_none():
    assert error_of(PyGPU.checked.cudaSetDevice, 99).driver_log == ""
    assert "PyGPU._errors.driver_log" not in sys.modules


@pytest.mark.device
def test_a_card_says_what_was_wrong(device):
    """Where the driver keeps a log, it explains what the driver refused.

    Reading it disturbs nothing.
    """
    if PyGPU.backend != "cuda" or (cuda.cudaDriverGetVersion()[0] or 0) < 12090:
        pytest.skip("only drivers of CUDA 12.9 and later keep a log")
    wrong = [
        (PyGPU.cu.checked.cuDeviceGet, 10**6),
        (cuda.checked.cudaSetDevice, 10**6),
        (cuda.checked.cudaMemcpy, 0, 0, 8, cuda.cudaMemcpyHostToDevice),
    ]
    errors = [error_of(*call) for call in wrong]
    assert any(one.driver_log for one in errors)
    assert not cuda.cudaGetLastError()  # raising the error cleared it
    stream = cuda.cudaStream_t()
    cuda.checked.cudaStreamBeginCapture(stream, cuda.cudaStreamCaptureModeGlobal)
    error_of(cuda.checked.cudaSetDevice, 10**6)
    graph, err = cuda.cudaStreamEndCapture(stream)
    assert not err
    assert not cuda.cudaGraphDestroy(graph)
    assert not cuda.cudaGetLastError()
