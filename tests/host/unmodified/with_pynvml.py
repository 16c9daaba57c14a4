"""A program of NVIDIA's nvidia-ml-py: what it prints of three H200, and of its own use of one."""

import os

import pynvml

import PyGPU

pynvml.nvmlInit()
assert pynvml.nvmlDeviceGetCount() == 3
first, second, third = map(pynvml.nvmlDeviceGetHandleByIndex, range(3))
assert pynvml.nvmlDeviceGetName(first) == "NVIDIA H200"
assert pynvml.nvmlSystemGetCudaDriverVersion() == PyGPU.checked.cudaDriverGetVersion()
assert pynvml.nvmlDeviceGetCudaComputeCapability(first) == (9, 0)
assert pynvml.nvmlDeviceGetArchitecture(first) == pynvml.NVML_DEVICE_ARCH_HOPPER
assert pynvml.nvmlDeviceGetNumGpuCores(first) == 132 * 128
uuid = pynvml.nvmlDeviceGetUUID(second)
assert pynvml.nvmlDeviceGetIndex(pynvml.nvmlDeviceGetHandleByUUID(uuid)) == 1
serial = pynvml.nvmlDeviceGetSerial(third)
assert pynvml.nvmlDeviceGetIndex(pynvml.nvmlDeviceGetHandleBySerial(serial)) == 2
bus = PyGPU.checked.cudaDeviceGetPCIBusId(2)
assert pynvml.nvmlDeviceGetIndex(pynvml.nvmlDeviceGetHandleByPciBusId(bus)) == 2
pci = pynvml.nvmlDeviceGetPciInfo(third)
assert (pci.busId.lower(), pci.pciDeviceId) == (f"0000{bus}", 0x233510DE)

memory = pynvml.nvmlDeviceGetMemoryInfo(first, version=pynvml.nvmlMemory_v2)
assert memory.total == 143771 << 20 and memory.total == memory.free + memory.used + memory.reserved
held = PyGPU.checked.cudaMalloc(1 << 20)
after = pynvml.nvmlDeviceGetMemoryInfo(first, version=pynvml.nvmlMemory_v2)
assert after.used >= 1 << 20, "other programs may hold more"
processes = {one.pid: one for one in pynvml.nvmlDeviceGetComputeRunningProcesses(first)}
assert processes[os.getpid()].usedGpuMemory == 1 << 20
assert not pynvml.nvmlDeviceGetGraphicsRunningProcesses(first)
PyGPU.checked.cudaFree(held)
processes = {one.pid: one for one in pynvml.nvmlDeviceGetComputeRunningProcesses(first)}
assert processes[os.getpid()].usedGpuMemory == 0

assert pynvml.nvmlDeviceGetEnforcedPowerLimit(first) == 700000
assert 75000 <= pynvml.nvmlDeviceGetPowerUsage(first) <= 700000
assert pynvml.nvmlDeviceGetMaxClockInfo(first, pynvml.NVML_CLOCK_SM) == 1980
assert pynvml.nvmlDeviceGetClockInfo(first, pynvml.NVML_CLOCK_MEM) == 3201
assert 1980 in pynvml.nvmlDeviceGetSupportedGraphicsClocks(first, 3201)
assert 20 < pynvml.nvmlDeviceGetTemperature(first, pynvml.NVML_TEMPERATURE_GPU) < 87
assert pynvml.nvmlDeviceGetMigMode(first) == [0, 0]
assert pynvml.nvmlDeviceGetEccMode(first) == [1, 1]
assert pynvml.nvmlDeviceGetTotalEccErrors(first, 0, 0) == 0

# Links are shared out among the two others.
links = range(pynvml.nvmlDeviceGetFieldValues(first, [91])[0].value.uiVal)
assert len(links) == 18
remote = [pynvml.nvmlDeviceGetNvLinkRemotePciInfo(first, link).bus for link in links]
assert sorted(remote) == [2] * 9 + [3] * 9
assert all(pynvml.nvmlDeviceGetNvLinkState(first, link) for link in links)
ok = pynvml.NVML_P2P_STATUS_OK
assert pynvml.nvmlDeviceGetP2PStatus(first, third, pynvml.NVML_P2P_CAPS_INDEX_NVLINK) == ok
level = pynvml.nvmlDeviceGetTopologyCommonAncestor(first, second)
assert level == pynvml.NVML_TOPOLOGY_NODE
assert len(pynvml.nvmlDeviceGetTopologyNearestGpus(first, level)) == 2
power, unknown = pynvml.nvmlDeviceGetFieldValues(first, [pynvml.NVML_FI_DEV_POWER_INSTANT, 83])
assert (power.nvmlReturn, unknown.nvmlReturn) == (0, pynvml.NVML_ERROR_NOT_SUPPORTED)
try:
    pynvml.nvmlDeviceSetPersistenceMode(first, 1)
except pynvml.NVMLError_NotSupported:
    print("right")
pynvml.nvmlShutdown()
