"""OpenCL on a real device: the CPU, with PyPI's or Debian's pocl; skipped without one."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

import PyGPU
from PyGPU import _libraries


@pytest.fixture(scope="session")
def platforms(tmp_path_factory):
    """Tells the loader of the platform that PyPI's pocl-binary-distribution has."""
    places = (Path(place, "pyopencl", ".libs").glob("libpocl-*.so") for place in sys.path)
    if pocl := next((path for paths in places for path in paths), None):
        vendors = tmp_path_factory.mktemp("vendors")
        (vendors / "pocl.icd").write_text(f"{pocl}\n")
        os.environ["OCL_ICD_VENDORS"] = f"{vendors}/"  # NVIDIA's loader needs the slash


@pytest.fixture(scope="session")
def cl(platforms):
    """PyGPU.opencl with the loader loaded."""
    if not any(one.chosen for one in _libraries.survey("opencl")):
        pytest.skip("no libOpenCL (Debian's ocl-icd-libopencl1)")
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
