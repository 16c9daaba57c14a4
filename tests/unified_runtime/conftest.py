"""The Unified Runtime on a real device, the CPU: its OpenCL adapter with pocl; skipped without."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import PyGPU
from PyGPU import _libraries
from tests.opencl import conftest as opencl

# Tells OpenCL's loader of PyPI's pocl, by which the adapter finds a device.
platforms = opencl.platforms


@pytest.fixture(scope="session")
def ur(platforms) -> Iterator[object]:
    """PyGPU.ur with the loader loaded, and its adapters opened."""
    if not any(one.chosen for one in _libraries.survey("ur")):
        pytest.skip("no libur_loader (pip install intel-cmplr-lib-ur==2025.3.3)")
    assert not PyGPU.ur.urLoaderInit(0, None)
    yield PyGPU.ur
    assert not PyGPU.ur.urLoaderTearDown()


@pytest.fixture(scope="session")
def device(ur):
    """The first device of all adapters' platforms."""
    adapters = ur.checked.urAdapterGet()
    platforms = [one for adapter in adapters for one in ur.checked.urPlatformGet(adapter)]
    for platform in platforms:
        if found := ur.urDeviceGet(platform, ur.UR_DEVICE_TYPE_ALL)[0]:
            return found[0]
    pytest.skip("no adapter with a device (libOpenCL.so.1 and pocl-binary-distribution)")


@pytest.fixture
def context(ur, device):
    return ur.ur_context_handle_t(DeviceCount=1, phDevices=[device])


@pytest.fixture
def queue(ur, context, device):
    return ur.ur_queue_handle_t(hContext=context, hDevice=device)
