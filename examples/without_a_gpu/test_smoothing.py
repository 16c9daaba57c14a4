"""Tests of smoothing.py that need no GPU: the host runtime runs the kernel on the CPU.

    cd examples/without_a_gpu && PYGPU_BACKEND=host python -m pytest

They test the kernel's result, a device that runs out of memory, and memory that was never freed. On
a GPU only the first test runs.
"""

from __future__ import annotations

import numpy as np
import pytest
import smoothing

import PyGPU

on_the_host = pytest.mark.skipif(PyGPU.backend != "host", reason="PyGPU.host makes this happen")


@pytest.mark.parametrize("count", [1, 2, 3, 1000])
def test_a_ramp_stays_as_it_is(count):
    ramp = np.arange(count)
    assert np.allclose(smoothing.smooth(ramp), ramp)


@on_the_host
def test_the_cpu_helps_when_memory_runs_out():
    import PyGPU.host as host

    peak = np.array([0, 0, 3, 0, 0])
    with host.fail("allocate"), pytest.raises(MemoryError):
        smoothing.smooth(peak)
    with host.fail("allocate"):
        assert smoothing.smooth_anywhere(peak).tolist() == [0, 1, 1, 1, 0]


@on_the_host
def test_nothing_is_left_on_the_device():
    import PyGPU.host as host

    smoothing.smooth(np.arange(10))
    PyGPU.trim_memory()
    assert not host.leaks()
