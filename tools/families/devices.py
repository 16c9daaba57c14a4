"""Devices: properties, versions, peers."""

from __future__ import annotations

import numpy as np
from check import check, holds, refuses, same
from memory import on_device, read

import PyGPU
from PyGPU import cuda

gpu = PyGPU.checked


@check("versions: the driver serves the runtime")
def versions() -> str:
    """Both numbers, and that the driver is no older than the runtime's major."""
    runtime, driver = gpu.cudaRuntimeGetVersion(), gpu.cudaDriverGetVersion()
    holds("the driver is of the runtime's major or newer", driver // 1000 >= runtime // 1000)
    return f"runtime {runtime}, driver {driver}"


@check("cudaGetDeviceProperties agrees with cudaDeviceGetAttribute")
def properties() -> str:
    """Compares fields of all parts of the struct, as a wrong layout shifts the later ones."""
    got = gpu.cudaGetDeviceProperties(0)
    holds("the name is text", isinstance(got.name, str) and got.name)
    total = gpu.cudaMemGetInfo()[1]
    holds("totalGlobalMem is near the total", abs(got.totalGlobalMem - total) < total / 50)
    pairs = {
        "major": "ComputeCapabilityMajor",
        "minor": "ComputeCapabilityMinor",
        "multiProcessorCount": "MultiProcessorCount",
        "warpSize": "WarpSize",
        "maxThreadsPerBlock": "MaxThreadsPerBlock",
        "sharedMemPerBlock": "MaxSharedMemoryPerBlock",
        "regsPerBlock": "MaxRegistersPerBlock",
        "memPitch": "MaxPitch",
        "textureAlignment": "TextureAlignment",
        "integrated": "Integrated",
        "canMapHostMemory": "CanMapHostMemory",
        "concurrentKernels": "ConcurrentKernels",
        "ECCEnabled": "EccEnabled",
        "pciBusID": "PciBusId",
        "asyncEngineCount": "AsyncEngineCount",
        "memoryBusWidth": "GlobalMemoryBusWidth",
        "l2CacheSize": "L2CacheSize",
        "maxThreadsPerMultiProcessor": "MaxThreadsPerMultiProcessor",
        "streamPrioritiesSupported": "StreamPrioritiesSupported",
        "sharedMemPerMultiprocessor": "MaxSharedMemoryPerMultiprocessor",
        "managedMemory": "ManagedMemory",
        "concurrentManagedAccess": "ConcurrentManagedAccess",
        "sharedMemPerBlockOptin": "MaxSharedMemoryPerBlockOptin",
        "accessPolicyMaxWindowSize": "MaxAccessPolicyWindowSize",
        "maxBlocksPerMultiProcessor": "MaxBlocksPerMultiprocessor",
    }
    for field, attribute in pairs.items():
        value = gpu.cudaDeviceGetAttribute(getattr(cuda, f"cudaDevAttr{attribute}"), 0)
        same(field, getattr(got, field), value)
    if hasattr(cuda, "cudaDevAttrMemoryPoolsSupported") and PyGPU.backend != "host":
        value = gpu.cudaDeviceGetAttribute(cuda.cudaDevAttrMemoryPoolsSupported, 0)
        same("memoryPoolsSupported, near the end", got.memoryPoolsSupported, value)
    for axis, letter in enumerate("XYZ"):
        for field in ("maxThreadsDim", "maxGridSize"):
            kind = {"maxThreadsDim": "MaxBlockDim", "maxGridSize": "MaxGridDim"}[field]
            value = gpu.cudaDeviceGetAttribute(getattr(cuda, f"cudaDevAttr{kind}{letter}"), 0)
            same(f"{field}[{axis}]", getattr(got, field)[axis], value)
    return f"{got.name}, {got.sizeof} bytes, {len(pairs) + 8} fields compared"


@check("peers: who reaches whom, switched on and off, copies between devices")
def peers() -> str:
    """With one device only: it isn't a peer of itself, and a copy goes from it to itself."""
    count = gpu.cudaGetDeviceCount()
    same("cudaDeviceCanAccessPeer(0, 0)", gpu.cudaDeviceCanAccessPeer(0, 0), 0)
    refuses("off before on", cuda.cudaDeviceDisablePeerAccess(0), "cudaErrorPeerAccessNotEnabled")
    sent = np.arange(256, dtype=np.float32)
    other = min(1, count - 1)
    with on_device(sent) as here:
        gpu.cudaSetDevice(other)
        there = gpu.cudaMalloc(sent.nbytes)
        gpu.cudaMemcpyPeer(there, other, here, 0, sent.nbytes)
        same("what cudaMemcpyPeer brought", read(there, 256), sent.tolist())
        gpu.cudaFree(there)
        gpu.cudaSetDevice(0)
    if count < 2:
        return "one device: a copy to itself"
    reaches = gpu.cudaDeviceCanAccessPeer(0, 1)
    if reaches:
        gpu.cudaDeviceEnablePeerAccess(1, 0)
        again = cuda.cudaDeviceEnablePeerAccess(1, 0)
        refuses("on twice", again, "cudaErrorPeerAccessAlreadyEnabled")
        gpu.cudaDeviceDisablePeerAccess(1)
        supported = gpu.cudaDeviceGetP2PAttribute(cuda.cudaDevP2PAttrAccessSupported, 0, 1)
        same("cudaDevP2PAttrAccessSupported", supported, 1)
    return f"{count} devices, 0 reaches 1: {bool(reaches)}"
