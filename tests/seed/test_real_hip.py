"""Calls into the real libamdhip64 5.2.3 of Debian's package, on a machine without an AMD GPU."""

from __future__ import annotations

import os

import pytest

import PyGPU
from PyGPU import hip
from tests.own_interpreter import own_interpreter

pytestmark = pytest.mark.hip_library


@pytest.fixture
def on_real_hip(python, hip_library):
    """The real library."""
    folder = os.path.dirname(hip_library)
    return python.having(PYGPU_HIP_LIBRARY=hip_library, LD_LIBRARY_PATH=folder)


@pytest.fixture
def without_a_gpu(on_real_hip):
    if os.path.exists("/dev/kfd"):
        pytest.skip("this machine has an AMD GPU")
    return on_real_hip


@own_interpreter("without_a_gpu")
def test_device_count_without_a_device():
    assert repr(hip.hipGetDeviceCount()) == "(None, <hipError: code=100>)"


@own_interpreter("without_a_gpu", PYGPU_BACKEND="hip")
def test_portable_names_on_hip():
    assert PyGPU.backend == "hip"
    assert repr(PyGPU.cudaGetDeviceCount()) == "(None, <cudaError: code=100>)"


@own_interpreter("on_real_hip")
def test_version():
    assert repr(hip.hipRuntimeGetVersion()) == "(50221153, <hipError: code=0>)"


@own_interpreter("on_real_hip")
def test_what_the_library_lacks_is_a_status():
    """5.2.3's header declares hipLaunchHostFunc, but its library doesn't export it."""
    assert repr(hip.hipLaunchHostFunc(0, 0, None)) == "<hipError: code=302>"
    assert hip.hipGetErrorName(302) == "hipErrorSharedObjectSymbolNotFound"
