"""Prints what NVML says of the use of each device, as JSON."""

import ctypes
import json

nvml = ctypes.CDLL("libnvidia-ml.so.1")


class Process(ctypes.Structure):
    _fields_ = (
        ("pid", ctypes.c_uint),
        ("memory", ctypes.c_ulonglong),
        ("instances", ctypes.c_uint * 2),
    )


class Sample(ctypes.Structure):
    _fields_ = (
        ("pid", ctypes.c_uint),
        ("time", ctypes.c_ulonglong),
        ("percent", ctypes.c_uint * 4),
    )


def number(function, device, *arguments):
    value = ctypes.c_uint()
    assert function(device, *arguments, ctypes.byref(value)) == 0
    return value.value


def describe(device):
    processes, samples = (Process * 128)(), (Sample * 128)()
    count, sampled = ctypes.c_uint(128), ctypes.c_uint(128)
    listing = nvml.nvmlDeviceGetComputeRunningProcesses_v3
    assert listing(device, ctypes.byref(count), processes) == 0
    code = nvml.nvmlDeviceGetProcessUtilization(
        device, samples, ctypes.byref(sampled), ctypes.c_ulonglong(0)
    )
    assert code in (0, 6), "none, or some"
    memory, rates = (ctypes.c_ulonglong * 3)(), (ctypes.c_uint * 2)()
    assert nvml.nvmlDeviceGetMemoryInfo(device, memory) == 0
    assert nvml.nvmlDeviceGetUtilizationRates(device, rates) == 0
    return {
        "processes": {one.pid: one.memory for one in processes[: count.value]},
        "of_processes": {} if code else {o.pid: o.percent[0] for o in samples[: sampled.value]},
        "used": memory[2],
        "utilisation": rates[0],
        "watts": number(nvml.nvmlDeviceGetPowerUsage, device) / 1000,
        "clock": number(nvml.nvmlDeviceGetClockInfo, device, 0),
    }


assert nvml.nvmlInit_v2() == 0
devices = [
    ctypes.c_void_p() for _ in range(number(lambda _, to: nvml.nvmlDeviceGetCount_v2(to), 0))
]
for index, one in enumerate(devices):
    assert nvml.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(one)) == 0
print(json.dumps([describe(one) for one in devices]))
