"""NVML on a stand-in: versions of structs, counts and sizes that C asks for, handles that end."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from PyGPU import GPUError, _libraries, nvml
from tests.conftest import unavailable
from tests.own_interpreter import Interpreter, own_interpreter

pytestmark = own_interpreter("stand_in")


@pytest.fixture(scope="session")
def stand_in(python: Interpreter, tmp_path_factory: pytest.TempPathFactory) -> Interpreter:
    """An interpreter with the stand-in of nvml.c as its NVML."""
    compiler = os.environ.get("CC") or shutil.which("gcc") or unavailable("no C compiler")
    library = tmp_path_factory.mktemp("nvml") / "libnvidia-ml.so.1"
    source = Path(__file__).with_name("nvml.c")
    options = ["-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", f"-Wl,-soname,{library.name}"]
    subprocess.run([str(compiler), *options, str(source), "-o", str(library)], check=True)
    return python.having(PYGPU_NVML_LIBRARY=str(library))


def device(index: int = 0) -> nvml.nvmlDevice_t:
    return nvml.checked.nvmlDeviceGetHandleByIndex(index)


def test_the_release_is_that_of_cuda():
    assert not nvml.nvmlInit()
    found = _libraries.installed("nvml")
    assert (found["soname"], found["release"]) == ("libnvidia-ml.so.1", "13.5")


def test_a_struct_has_its_version():
    memory, err = nvml.nvmlDeviceGetMemoryInfo_v2(device(), {})
    assert not err
    assert (memory.total, memory.reserved, memory.free, memory.used) == (80, 1, 69, 10)
    assert nvml.nvmlMemory_v2_t().version == nvml.nvmlMemory_v2
    wrong = nvml.nvmlMemory_v2_t(version=1)
    memory, err = nvml.nvmlDeviceGetMemoryInfo_v2(device(), wrong)
    assert (memory, err) == (None, nvml.NVML_ERROR_ARGUMENT_VERSION_MISMATCH)


def test_a_list_comes_whole():
    processes = nvml.checked.nvmlDeviceGetComputeRunningProcesses(device())
    assert [(one.pid, one.usedGpuMemory) for one in processes] == [
        (100, 0),
        (101, 1 << 20),
        (102, 2 << 20),
    ]
    assert nvml.nvmlDeviceGetGraphicsRunningProcesses(device()) == ([], nvml.NVML_SUCCESS)
    short, err = nvml.nvmlDeviceGetComputeRunningProcesses(device(), infoCount=1)
    assert (short, err) == (None, nvml.NVML_ERROR_INSUFFICIENT_SIZE)
    pages = nvml.checked.nvmlDeviceGetRetiredPages_v2(device(), 1)
    assert pages == ([0x1000, 0x2000], [7, 8])


def test_an_array_in_a_struct():
    first, err = nvml.nvmlDeviceGetRunningProcessDetailList(device(), {"mode": 4})
    assert err == nvml.NVML_ERROR_INSUFFICIENT_SIZE
    assert first.numProcArrayEntries == 2  # the size is known after the failure
    room = [nvml.nvmlProcessDetail_v1_t() for _ in range(first.numProcArrayEntries)]
    asked = nvml.nvmlProcessDetailList_t(mode=4, procArray=room)
    filled = nvml.checked.nvmlDeviceGetRunningProcessDetailList(device(), asked)
    assert [one.pid for one in filled.procArray] == [40, 41]


def test_fields_go_in_and_out():
    values, err = nvml.nvmlDeviceGetFieldValues(device(), 2, [{"fieldId": 5}, {"fieldId": 301}])
    assert not err
    assert [one.value.uiVal for one in values] == [6, 302]
    assert [int(one.nvmlReturn) for one in values] == [0, 2]


def test_sizes_are_what_c_gets():
    states = nvml.checked.nvmlDeviceGetSupportedPerformanceStates(device(), 12)
    assert states == [nvml.NVML_PSTATE_0, nvml.NVML_PSTATE_8, nvml.NVML_PSTATE_UNKNOWN]
    assert nvml.checked.nvmlDeviceGetCpuAffinity(device(), cpuSetSize=2) == [0xFF, 0]
    assert sum(nvml.checked.nvmlDeviceGetCpuAffinity(device())) == 0xFF


def test_texts():
    assert nvml.nvmlDeviceGetName(device(1)) == ("Device 1", nvml.NVML_SUCCESS)
    name, err = nvml.nvmlDeviceGetName(device(), length=4)
    assert (name, err) == (None, nvml.NVML_ERROR_INSUFFICIENT_SIZE)
    assert nvml.checked.nvmlVgpuTypeGetName(11) == "TYPE-8"
    with pytest.raises(GPUError, match="nvmlVgpuTypeGetName: NVML_ERROR_INSUFFICIENT_SIZE"):
        nvml.checked.nvmlVgpuTypeGetName(11, size=3)


def test_a_set_of_events_ends_once():
    one = nvml.nvmlEventSet_t()
    event = nvml.checked.nvmlEventSetWait(one, 10)
    assert (event.device, event.eventType, event.eventData) == (device(1), 8, 79)
    with pytest.raises(GPUError, match="NVML_ERROR_TIMEOUT: it took too long"):
        nvml.checked.nvmlEventSetWait(one, 1)
    assert nvml.checked.nvmlUnitGetCount() == 1
    assert not nvml.nvmlEventSetFree(one)
    del one
    gc.collect()
    assert nvml.checked.nvmlUnitGetCount() == 0


def test_a_function_that_the_driver_lacks():
    usage, err = nvml.nvmlDeviceGetPowerUsage(device())
    assert (usage, err) == (None, nvml.NVML_ERROR_FUNCTION_NOT_FOUND)
