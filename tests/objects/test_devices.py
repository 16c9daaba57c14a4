"""PyGPU.Device: what it says about a device, and choosing one."""

from __future__ import annotations

import pickle
import re

import pytest

import PyGPU
from PyGPU._names.elsewhere import Elsewhere
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_devices")
gpu = PyGPU.checked


def test_what_it_says_is_what_c_says():
    properties = gpu.cudaGetDeviceProperties(0)
    device = PyGPU.Device()
    assert device.device_id == 0
    assert (device.name, device.pci_bus_id) == (properties.name, gpu.cudaDeviceGetPCIBusId(0))
    assert device.uuid.replace("-", "") == bytes(properties.uuid).hex()
    assert device.compute_capability == (properties.major, properties.minor)
    assert device.arch == f"{properties.major}{properties.minor}"
    assert device.memory.total == gpu.cudaMemGetInfo()[1]
    assert properties.name in repr(device)


def test_properties_have_both_spellings():
    properties = PyGPU.Device(0).properties
    assert properties.multiProcessorCount == properties.multiprocessor_count
    assert properties.maxThreadsPerBlock == properties.max_threads_per_block
    assert properties.warp_size == gpu.cudaDeviceGetAttribute(PyGPU.cudaDevAttrWarpSize, 0)
    assert {"totalGlobalMem", "name"} <= set(dir(properties))
    for name in ("no_such_property", "noSuchProperty", "_hidden"):
        assert not hasattr(properties, name)
    with pytest.raises(AttributeError, match=r"^PyGPU\.Device: there is no property 'no_such'"):
        _ = properties.no_such


def test_names_of_other_packages_classes_say_what_is_here():
    code = PyGPU.Program("__global__ void f() {}").compile("ptx")
    for one in (PyGPU.Device(), PyGPU.MemoryPool(), code):
        ways = {n: v for n, v in vars(type(one)).items() if isinstance(v, Elsewhere)}
        assert ways and not set(ways) & set(dir(one))
        for name, way in ways.items():
            assert not hasattr(one, name)
            with pytest.raises(AttributeError, match=f"^{type(one).__name__} has no {name}: "):
                getattr(one, name)
            for member in re.findall(r"\b(?:device|pool)\.(\w+)", way._way):
                assert hasattr(one, member), (name, member)


def test_all_of_them():
    devices = PyGPU.Device.all()
    assert [one.device_id for one in devices] == list(range(gpu.cudaGetDeviceCount()))
    assert PyGPU.Device.get_all_devices() == devices
    assert len(set(devices)) == len(devices)
    assert pickle.loads(pickle.dumps(devices)) == devices
    assert gpu.cudaGetDeviceProperties(devices[0]).name == devices[0].name


def test_one_that_is_not_there():
    for number in (len(PyGPU.Device.all()), 10**6):
        with pytest.raises(PyGPU.GPUError) as raised:
            PyGPU.Device(number)
        assert raised.value.error == PyGPU.cudaErrorInvalidDevice
    for wrong in ("0", 0.0, PyGPU):
        with pytest.raises(TypeError):
            PyGPU.Device(wrong)
    with pytest.raises(OverflowError):
        PyGPU.Device(2**40)


@own_interpreter("on_host", PYGPU_HOST_DEVICES="2")
def test_a_block_makes_it_current():
    first, second = PyGPU.Device.all()
    with second as entered:
        assert entered is second
        assert second.is_current
        assert PyGPU.Device() == second != first
        assert PyGPU.Stream().device == 1
    assert first.is_current
    assert second.create_stream(True, -1).device == 1
    assert second.allocate(64).device == 1
    second.synchronize()
    assert first.is_current
    assert first.can_access_peer(second)
    assert not first.can_access_peer(first)
    with pytest.raises(PyGPU.GPUError):
        first.can_access_peer(2)
    second.set_current()
    assert second.is_current


@own_interpreter("on_host")
def test_reset_ends_what_is_there():
    stream = PyGPU.Device().create_stream()
    PyGPU.Device().reset()
    with pytest.raises(PyGPU.GPUError):
        stream.synchronize()
