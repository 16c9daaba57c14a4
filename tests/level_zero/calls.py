"""Calls of the stand-in; test_level_zero.py runs this file."""

from __future__ import annotations

import pytest

from PyGPU import GPUError, ze

run = ze.checked
run.zeInit(0)
(driver,) = run.zeDriverGet()
(device,) = run.zeDeviceGet(driver)


def structs_say_what_they_are() -> None:
    """A struct's stype is the one of its kind, unless the caller says another."""
    assert run.zeDeviceGetProperties(device, {}).type == ze.ZE_DEVICE_TYPE_GPU
    made = ze.ze_device_properties_t()
    assert made.stype == ze.ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES
    assert run.zeDeviceGetProperties(device, made).type == ze.ZE_DEVICE_TYPE_GPU
    other = {"stype": ze.ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2}
    assert ze.zeDeviceGetProperties(device, other)[-1] == ze.ZE_RESULT_ERROR_INVALID_ARGUMENT


def arrays_of_structs() -> None:
    count = run.zeDeviceGetMemoryProperties(device, 0, None)
    assert count == 2
    memory = bytearray(bytes(ze.ze_device_memory_properties_t()) * count)
    assert run.zeDeviceGetMemoryProperties(device, count, memory) == count
    size = ze.ze_device_memory_properties_t.sizeof
    sizes = [
        int.from_bytes(memory[at * size + 32 : at * size + 40], "little") for at in range(count)
    ]
    assert sizes == [1000, 1001]


def owners() -> None:
    """A context that Python made is destroyed once."""
    context = ze.ze_context_handle_t(hDriver=driver, desc={})
    assert run.zeDriverGetApiVersion(driver) == 1
    del context
    assert run.zeDriverGetApiVersion(driver) == 0
    context = ze.ze_context_handle_t(hDriver=driver, desc={})
    assert not ze.zeContextDestroy(context)
    del context
    assert run.zeDriverGetApiVersion(driver) == 0


def logs() -> None:
    """The log of a build is also there after a failure, for those who ask for one."""
    context = ze.ze_context_handle_t(hDriver=driver, desc={})
    good = {"inputSize": 4, "pInputModule": b"good"}
    module, log, err = ze.zeModuleCreate(context, device, good, None)
    assert module
    assert (log, err) == (None, ze.ZE_RESULT_SUCCESS)
    wanted = ze.ze_module_build_log_handle_t(0)
    bad = {"inputSize": 3, "pInputModule": b"bad"}
    module, log, err = ze.zeModuleCreate(context, device, bad, wanted)
    assert (module, err) == (None, ze.ZE_RESULT_ERROR_MODULE_BUILD_FAILURE)
    assert run.zeModuleBuildLogGetString(log) == "not good"
    assert not ze.zeModuleBuildLogDestroy(log)
    with pytest.raises(ValueError, match="pInputModule' is too short: 5 needed"):
        ze.zeModuleCreate(context, device, {"inputSize": 5, "pInputModule": b"good"}, None)
    with pytest.raises(GPUError, match="MODULE_BUILD_FAILURE"):
        run.zeModuleCreate(context, device, bad, None)


def readiness() -> None:
    assert run.zeEventQueryStatus(ze.ze_event_handle_t(0)) is False
    sustained, burst, peak = run.zesPowerGetLimits(ze.zes_pwr_handle_t(0))
    assert (sustained.power, burst.power, peak.powerAC) == (100, 200, 300)


if __name__ == "__main__":
    for test in (structs_say_what_they_are, arrays_of_structs, owners, logs, readiness):
        test()
