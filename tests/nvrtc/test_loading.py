"""How libnvrtc is found, and what the API does without it."""

from __future__ import annotations

import os
import sys
import warnings

import pytest

import PyGPU
from PyGPU import _libraries
from PyGPU._apis import APIS
from tests.own_interpreter import own_interpreter


@own_interpreter(PYGPU_NVRTC_LIBRARY="/nowhere/libnvrtc.so.13")
def test_without_a_library_every_call_says_so():
    nvrtc = PyGPU.nvrtc
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        major, minor, err = nvrtc.nvrtcVersion()
    (one,) = said
    assert "PYGPU_NVRTC_LIBRARY names a library that cannot be used" in str(one.message)
    assert (major, minor) == (None, None)
    assert err == 303
    assert str(err) == "PYGPU_ERROR_LIBRARY_NOT_FOUND: library not found"
    assert err is nvrtc.nvrtcResult.PYGPU_ERROR_LIBRARY_NOT_FOUND
    assert nvrtc.nvrtcGetPTX(1 << 20) == (None, 303)
    assert nvrtc.nvrtcGetSupportedArchs() == (None, 303)
    assert nvrtc.nvrtcCompileProgram(None, 1, ["-w"]) == 303
    assert nvrtc.nvrtcDestroyProgram(None) == 303
    assert nvrtc.nvrtcGetErrorString(3) == "invalid input"
    assert nvrtc.NVRTC_ERROR_INVALID_INPUT.message == "invalid input"
    assert nvrtc.NVRTC_SUCCESS.message == "success"
    assert nvrtc.nvrtcResult(77).name == "nvrtcResult(77)"
    with pytest.raises(PyGPU.GPUError, match="no libnvrtc was found; pip install nvidia"):
        nvrtc.checked.nvrtcVersion()
    with pytest.raises(PyGPU.GPUError, match="PYGPU_ERROR_LIBRARY_NOT_FOUND"):
        nvrtc.nvrtcProgram(src="")


def backend_stays_open():
    assert "PyGPU._nvrtc" not in sys.modules  # imported on first use
    assert not PyGPU.nvrtc.nvrtcVersion()[-1]
    assert "PyGPU._nvrtc" in sys.modules
    PyGPU.use("host")  # no backend is in use yet
    device, err = PyGPU.cudaGetDevice()
    assert not err
    assert _libraries.installed("nvrtc")["host"] is False


@pytest.mark.parametrize("backend", ["auto", "host", "cuda"])
def test_it_is_nobodys_backend(python, nvrtc, backend):
    python(backend_stays_open, PYGPU_BACKEND=backend)


def test_the_library_is_that_of_the_package(nvrtc):
    assert not nvrtc.nvrtcVersion()[-1]
    chosen = next(one for one in _libraries.survey("nvrtc") if one.chosen)
    assert chosen.soname.startswith("libnvrtc.so.")
    assert _libraries.installed("nvrtc")["missing"] is not None


@pytest.mark.parametrize(
    ("name", "is_it"),
    [
        ("libnvrtc.so.13", True),
        ("libnvrtc.so", True),
        ("libnvrtc-672ee683.so.11.2", True),
        ("libnvrtc-builtins.so.13.0", False),
        ("libnvrtc-builtins-2dc4bf68.so.11.8", False),
        ("libnvrtc.alt.so.13", False),
        ("libnvrtc_static.a", False),
    ],
)
def test_names_of_the_library(name, is_it):
    assert APIS["nvrtc"].library.matches(name) is is_it


def test_its_builtins_are_those_beside_it(nvrtc, program):
    """A toolkit that the system's loader knows must not provide them."""
    program("__global__ void kernel() {}")
    with open("/proc/self/maps") as file:
        loaded = {line.split()[-1] for line in file if "libnvrtc-builtins" in line}
    folder = os.path.dirname(os.path.realpath(_libraries.installed("nvrtc")["path"]))
    assert {os.path.dirname(path) for path in loaded} == {folder}
