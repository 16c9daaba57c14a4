"""Devices: properties, versions, peers."""

from __future__ import annotations

import numpy as np

import PyGPU
from PyGPU import cuda
from tests.behaviour.programs.memory import on_device, read
from tests.behaviour.programs.program import program, refuses
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_devices")
gpu = PyGPU.checked


@program
def test_versions() -> None:
    """Versions: the driver serves the runtime.

    Both numbers, and that the driver is no older than the runtime's major.
    """
    runtime, driver = gpu.cudaRuntimeGetVersion(), gpu.cudaDriverGetVersion()
    assert driver // 1000 >= runtime // 1000, "the driver is of the runtime's major or newer"


@program
def test_properties() -> None:
    """cudaGetDeviceProperties agrees with cudaDeviceGetAttribute.

    Compares fields of all parts of the struct, as a wrong layout shifts the later ones.
    """
    got = gpu.cudaGetDeviceProperties(0)
    assert isinstance(got.name, str) and got.name, "the name is text"
    total = gpu.cudaMemGetInfo()[1]
    assert abs(got.totalGlobalMem - total) < total / 50, "totalGlobalMem is near the total"
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
        assert getattr(got, field) == value, field
    if hasattr(cuda, "cudaDevAttrMemoryPoolsSupported") and PyGPU.backend != "host":
        value = gpu.cudaDeviceGetAttribute(cuda.cudaDevAttrMemoryPoolsSupported, 0)
        assert got.memoryPoolsSupported == value, "memoryPoolsSupported, near the end"
    for axis, letter in enumerate("XYZ"):
        for field in ("maxThreadsDim", "maxGridSize"):
            kind = {"maxThreadsDim": "MaxBlockDim", "maxGridSize": "MaxGridDim"}[field]
            value = gpu.cudaDeviceGetAttribute(getattr(cuda, f"cudaDevAttr{kind}{letter}"), 0)
            assert getattr(got, field)[axis] == value, f"{field}[{axis}]"


@program
def test_peers() -> None:
    """Peers: who reaches whom, switched on and off, copies between devices.

    With one device only: it isn't a peer of itself, and a copy goes from it to itself.
    """
    count = gpu.cudaGetDeviceCount()
    assert gpu.cudaDeviceCanAccessPeer(0, 0) == 0, "cudaDeviceCanAccessPeer(0, 0)"
    refuses("off before on", cuda.cudaDeviceDisablePeerAccess(0), "cudaErrorPeerAccessNotEnabled")
    sent = np.arange(256, dtype=np.float32)
    other = min(1, count - 1)
    with on_device(sent) as here:
        gpu.cudaSetDevice(other)
        there = gpu.cudaMalloc(sent.nbytes)
        gpu.cudaMemcpyPeer(there, other, here, 0, sent.nbytes)
        assert read(there, 256) == sent.tolist(), "what cudaMemcpyPeer brought"
        gpu.cudaFree(there)
        gpu.cudaSetDevice(0)
    if count < 2:
        return
    reaches = gpu.cudaDeviceCanAccessPeer(0, 1)
    if reaches:
        gpu.cudaDeviceEnablePeerAccess(1, 0)
        again = cuda.cudaDeviceEnablePeerAccess(1, 0)
        refuses("on twice", again, "cudaErrorPeerAccessAlreadyEnabled")
        gpu.cudaDeviceDisablePeerAccess(1)
        supported = gpu.cudaDeviceGetP2PAttribute(cuda.cudaDevP2PAttrAccessSupported, 0, 1)
        assert supported == 1, "cudaDevP2PAttrAccessSupported"
