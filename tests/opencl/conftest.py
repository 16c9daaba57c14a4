"""OpenCL on a real device, such as the CPU with Debian's pocl-opencl-icd; skipped without one."""

from __future__ import annotations

import warnings

import pytest

import PyGPU
from PyGPU import _libraries


@pytest.fixture(scope="session")
def cl():
    """PyGPU.opencl with the loader loaded."""
    if not any(one.chosen for one in _libraries.survey("opencl")):
        pytest.skip("no libOpenCL (Debian's ocl-icd-libopencl1)")
    with warnings.catch_warnings():
        # The loader's file name has no OpenCL version: "libOpenCL.so.1.0.0".
        warnings.filterwarnings("ignore", "PyGPU: .* is OpenCL 1, older")
        PyGPU.opencl.clGetPlatformIDs()
    return PyGPU.opencl


@pytest.fixture(scope="session")
def device(cl):
    """The first device of all platforms."""
    platforms, _ = cl.clGetPlatformIDs()
    found = [cl.clGetDeviceIDs(one, cl.CL_DEVICE_TYPE_ALL)[0] for one in platforms or []]
    if not any(found):
        pytest.skip("no OpenCL platform with a device (Debian's pocl-opencl-icd)")
    return next(filter(None, found))[0]


@pytest.fixture
def context(cl, device):
    return cl.cl_context(num_devices=1, devices=[device])


@pytest.fixture
def queue(cl, context, device):
    return cl.cl_command_queue(context=context, device=device)
