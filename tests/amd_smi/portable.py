"""A program of NVML's names, on AMD SMI; test_amd_smi.py runs this file with a release's number.

The expected values are NVML's: bytes, milliwatts, millijoules, MHz, percents.
"""

from __future__ import annotations

import inspect
import sys

import pytest

import PyGPU
from PyGPU import GPUError, checked

GIB = 1 << 30
UNSUPPORTED = (None, PyGPU.NVML_ERROR_NOT_SUPPORTED)


def devices_are_found() -> list[PyGPU.nvmlDevice_t]:
    """Those of all sockets, by number, by UUID, and by their place on the bus."""
    PyGPU.amdsmi.amdsmi_get_lib_version()  # from here on, AMD SMI has the names of its release
    assert PyGPU.nvmlDeviceGetCount() == (None, PyGPU.NVML_ERROR_UNINITIALIZED)
    assert PyGPU.nvmlInit() == PyGPU.NVML_SUCCESS
    devices = [checked.nvmlDeviceGetHandleByIndex(at) for at in range(checked.nvmlDeviceGetCount())]
    assert [type(one) for one in devices] == [PyGPU.nvmlDevice_t] * 3
    assert [checked.nvmlDeviceGetIndex(one) for one in devices] == [0, 1, 2]
    for one in devices:
        uuid, pci = checked.nvmlDeviceGetUUID(one), checked.nvmlDeviceGetPciInfo(one)
        assert checked.nvmlDeviceGetHandleByUUID(uuid) == one
        assert checked.nvmlDeviceGetHandleByPciBusId(pci.busId.lower()) == one
        assert checked.nvmlDeviceGetHandleByPciBusId(pci.busIdLegacy) == one
    none = (None, PyGPU.NVML_ERROR_INVALID_ARGUMENT)
    assert PyGPU.nvmlDeviceGetHandleByIndex(3) == PyGPU.nvmlDeviceGetHandleByIndex(-1) == none
    assert PyGPU.nvmlDeviceGetIndex(PyGPU.nvmlDevice_t(1 << 20)) == none
    for by in (PyGPU.nvmlDeviceGetHandleByUUID, PyGPU.nvmlDeviceGetHandleByPciBusId):
        assert by("no such") == (None, PyGPU.NVML_ERROR_NOT_FOUND)
    return devices


def texts_come_whole(device: PyGPU.nvmlDevice_t, release: str) -> None:
    assert PyGPU.nvmlDeviceGetName(device) == ("A GPU", PyGPU.NVML_SUCCESS)
    assert checked.nvmlDeviceGetSerial(device) == "S1"
    assert checked.nvmlDeviceGetBoardPartNumber(device) == "102-D1"
    assert checked.nvmlDeviceGetVbiosVersion(device) == "022.040"
    assert checked.nvmlSystemGetDriverVersion() == "6.8.5"
    versions = {"24.5": "24.5.2.0", "27.1": "27.1.0"}
    assert checked.nvmlSystemGetNVMLVersion() == versions[release]
    pci = checked.nvmlDeviceGetPciInfo(device)
    assert (pci.busId, pci.busIdLegacy) == ("00000001:C0:02.0", "0001:C0:02.0")
    assert (pci.domain, pci.bus, pci.device, pci.pciDeviceId) == (1, 0xC0, 2, 0x74A11002)
    assert pci.pciSubSystemId == (0x74A51458 if release == "27.1" else 0x1458)


def numbers_have_units_of_nvml(device: PyGPU.nvmlDevice_t, release: str) -> None:
    rates = checked.nvmlDeviceGetUtilizationRates(device)
    assert type(rates) is PyGPU.nvmlUtilization_t
    assert (rates.gpu, rates.memory) == (77, 21)
    memory = checked.nvmlDeviceGetMemoryInfo(device)
    assert (memory.total, memory.used, memory.free) == (64 * GIB, 3 * GIB, 61 * GIB)
    bar = checked.nvmlDeviceGetBAR1MemoryInfo(device)
    assert (bar.bar1Total, bar.bar1Used, bar.bar1Free) == (256 << 20, 1 << 20, 255 << 20)
    width = (4096, PyGPU.NVML_SUCCESS) if release == "27.1" else UNSUPPORTED
    assert PyGPU.nvmlDeviceGetMemoryBusWidth(device) == width
    if release == "24.5":  # PyGPU reads no lists of that release's structs
        assert PyGPU.nvmlDeviceGetComputeRunningProcesses(device) == UNSUPPORTED
    else:
        listed = checked.nvmlDeviceGetComputeRunningProcesses(device)
        assert [(one.pid, one.usedGpuMemory) for one in listed] == [(100, 1 << 20), (101, 2 << 20)]
        assert checked.nvmlSystemGetProcessName(101) == "a program"
        assert PyGPU.nvmlSystemGetProcessName(7) == (None, PyGPU.NVML_ERROR_NOT_FOUND)
    assert checked.nvmlDeviceGetTemperature(device, PyGPU.NVML_TEMPERATURE_GPU) == 41
    for name, due in ("SLOWDOWN", 100), ("SHUTDOWN", 105):
        threshold = getattr(PyGPU, f"NVML_TEMPERATURE_THRESHOLD_{name}")
        assert checked.nvmlDeviceGetTemperatureThreshold(device, threshold) == due
    assert checked.nvmlDeviceGetFanSpeed(device) == 20
    assert checked.nvmlDeviceGetFanSpeed_v2(device, 1) == 40
    assert checked.nvmlDeviceGetPowerUsage(device) == 92_000
    assert checked.nvmlDeviceGetTotalEnergyConsumption(device) == 30_500
    clocks = {"GRAPHICS": 1000, "SM": 1000, "MEM": 1400, "VIDEO": 1600}
    for name, megahertz in clocks.items():
        clock = getattr(PyGPU, f"NVML_CLOCK_{name}")
        assert checked.nvmlDeviceGetClockInfo(device, clock) == megahertz
        assert checked.nvmlDeviceGetMaxClockInfo(device, clock) == megahertz + 1000
    assert checked.nvmlDeviceGetCurrPcieLinkGeneration(device) == 4
    assert checked.nvmlDeviceGetMaxPcieLinkGeneration(device) == 5
    assert checked.nvmlDeviceGetCurrPcieLinkWidth(device) == 8
    assert checked.nvmlDeviceGetMaxPcieLinkWidth(device) == 16
    assert checked.nvmlDeviceGetPcieReplayCounter(device) == 3


def power_has_limits(device: PyGPU.nvmlDevice_t, other: PyGPU.nvmlDevice_t) -> None:
    limits = PyGPU.nvmlDeviceGetPowerManagementLimitConstraints(device)
    assert limits == (0, 330_000, PyGPU.NVML_SUCCESS)
    assert checked.nvmlDeviceGetPowerManagementDefaultLimit(device) == 300_000
    assert PyGPU.nvmlDeviceSetPowerManagementLimit(device, 200_000) == PyGPU.NVML_SUCCESS
    assert checked.nvmlDeviceGetPowerManagementLimit(device) == 200_000
    assert checked.nvmlDeviceGetEnforcedPowerLimit(device) == 200_000
    err = PyGPU.nvmlDeviceSetPowerManagementLimit(other, 200_000)
    assert err == PyGPU.NVML_ERROR_NO_PERMISSION


def what_a_device_lacks_isnt_supported(
    second: PyGPU.nvmlDevice_t, third: PyGPU.nvmlDevice_t
) -> None:
    """No number that AMD SMI writes for an unknown one gets through."""
    assert checked.nvmlDeviceGetTemperature(second, PyGPU.NVML_TEMPERATURE_GPU) == 51
    assert checked.nvmlDeviceGetPowerUsage(second) == 140_000
    for unknown in (
        PyGPU.nvmlDeviceGetName(third),
        PyGPU.nvmlDeviceGetUtilizationRates(third),
        PyGPU.nvmlDeviceGetTemperature(third, PyGPU.NVML_TEMPERATURE_GPU),
        PyGPU.nvmlDeviceGetFanSpeed(third),
        PyGPU.nvmlDeviceGetPowerUsage(third),
        PyGPU.nvmlDeviceGetPowerManagementLimit(third),
        PyGPU.nvmlDeviceGetCurrPcieLinkGeneration(third),
        PyGPU.nvmlDeviceGetTemperature(second, 9),
        PyGPU.nvmlDeviceGetClockInfo(second, 9),
        PyGPU.nvmlDeviceGetPersistenceMode(second),
    ):
        assert unknown == UNSUPPORTED
    limits = PyGPU.nvmlDeviceGetPowerManagementLimitConstraints(third)
    assert limits == (None, None, PyGPU.NVML_ERROR_NOT_SUPPORTED)
    with pytest.raises(AttributeError, match=r"NVML_PSTATE_0.*AMD SMI has no counterpart"):
        PyGPU.NVML_PSTATE_0  # noqa: B018


def errors_are_of_nvml(third: PyGPU.nvmlDevice_t) -> None:
    with pytest.raises(GPUError, match="nvmlDeviceGetName: NVML_ERROR_NOT_SUPPORTED") as raised:
        checked.nvmlDeviceGetName(third)
    assert type(raised.value.error) is PyGPU.nvmlReturn_t
    assert PyGPU.nvmlErrorString(raised.value.error) == "AMD's words"
    with pytest.raises(GPUError, match="AMD SMI has no counterpart"):
        checked.nvmlDeviceGetPersistenceMode(third)


def arguments_are_of_nvml(device: PyGPU.nvmlDevice_t) -> None:
    wrong = (
        (lambda: PyGPU.nvmlDeviceGetName(), r"nvmlDeviceGetName\(device.*'device' is missing"),
        (lambda: PyGPU.nvmlDeviceGetName("one"), r"nvmlDeviceGetName\(\): parameter 'device'"),
        (lambda: PyGPU.nvmlDeviceGetName(device, length=4), "parameter 'length' has no count"),
        (lambda: PyGPU.nvmlDeviceGetHandleByIndex("1"), r"Index\(\): parameter 'index'"),
        (lambda: PyGPU.nvmlDeviceGetHandleByUUID(1), r"UUID\(\): parameter 'uuid'"),
    )
    for call, message in wrong:
        with pytest.raises(TypeError, match=message):
            call()
    assert checked.nvmlDeviceGetName(device=device) == "A GPU"
    names = ["device", "sensorType"]
    assert list(inspect.signature(PyGPU.nvmlDeviceGetTemperature).parameters) == names


if __name__ == "__main__":
    assert PyGPU.backend == "hip"
    one, two, three = devices_are_found()
    texts_come_whole(one, sys.argv[1])
    numbers_have_units_of_nvml(one, sys.argv[1])
    power_has_limits(one, two)
    what_a_device_lacks_isnt_supported(two, three)
    errors_are_of_nvml(three)
    arguments_are_of_nvml(one)
    assert PyGPU.nvmlShutdown() == PyGPU.NVML_SUCCESS
    assert PyGPU.nvmlDeviceGetName(one) == (None, PyGPU.NVML_ERROR_UNINITIALIZED)
