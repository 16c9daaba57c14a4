"""Memory: pools and their attributes, managed memory."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from check import check, holds, same
from memory import read

import PyGPU
from PyGPU import cuda

gpu = PyGPU.checked
MIB = 1 << 20
HERE = {"type": cuda.cudaMemLocationTypeDevice, "id": 0}


def new_pool(**fields: Any) -> Any:
    """A pool of pinned memory on device 0."""
    kind = cuda.cudaMemAllocationTypePinned
    return gpu.cudaMemPoolCreate(cuda.cudaMemPoolProps(allocType=kind, location=HERE, **fields))


@check("attributes: numbers of 4 and 8 bytes, set and read back")
def attributes() -> None:
    """A release threshold of more than 32 bits, and switches."""
    pool = new_pool()
    threshold, opportunistic = (
        cuda.cudaMemPoolAttrReleaseThreshold,
        cuda.cudaMemPoolReuseAllowOpportunistic,
    )
    same("the threshold at first", gpu.cudaMemPoolGetAttribute(pool, threshold), 0)
    gpu.cudaMemPoolSetAttribute(pool, threshold, 2**40 + 3)
    same("the threshold", gpu.cudaMemPoolGetAttribute(pool, threshold), 2**40 + 3)
    same("the switch at first", gpu.cudaMemPoolGetAttribute(pool, opportunistic), 1)
    gpu.cudaMemPoolSetAttribute(pool, opportunistic, 0)
    same("the switch", gpu.cudaMemPoolGetAttribute(pool, opportunistic), 0)
    gpu.cudaMemPoolDestroy(pool)


@check("allocate from a pool: use and reserve are counted, trimmed and reset")
def usage() -> str:
    """cudaMallocFromPoolAsync, cudaFreeAsync, cudaMemPoolTrimTo."""
    pool, stream = new_pool(), cuda.cudaStream_t()

    def ask(name: str) -> Any:
        return gpu.cudaMemPoolGetAttribute(pool, getattr(cuda, f"cudaMemPoolAttr{name}"))

    gpu.cudaMemPoolSetAttribute(pool, cuda.cudaMemPoolAttrReleaseThreshold, 64 * MIB)
    pointer = gpu.cudaMallocFromPoolAsync(MIB, pool, stream)
    gpu.cudaMemsetAsync(pointer, 7, MIB, stream)
    gpu.cudaStreamSynchronize(stream)
    same("the memory", set(read(pointer, MIB, np.uint8)), {7})
    holds("used >= 1 MiB", ask("UsedMemCurrent") >= MIB)
    reserved = ask("ReservedMemCurrent")
    holds("reserved >= used", reserved >= ask("UsedMemCurrent"))
    gpu.cudaFreeAsync(pointer, stream)
    gpu.cudaStreamSynchronize(stream)
    same("used after the free", ask("UsedMemCurrent"), 0)
    holds("the high mark stays", ask("UsedMemHigh") >= MIB)
    gpu.cudaMemPoolSetAttribute(pool, cuda.cudaMemPoolAttrUsedMemHigh, 0)
    same("the high mark, reset", ask("UsedMemHigh"), 0)
    gpu.cudaMemPoolTrimTo(pool, 0)
    same("reserved after the trim", ask("ReservedMemCurrent"), 0)
    gpu.cudaMemPoolDestroy(pool)
    return f"{reserved // MIB} MiB reserved for one"


@check("the device's pool: default, exchanged, restored; access")
def of_the_device() -> None:
    """cudaDeviceSetMemPool, and who may use a pool's memory."""
    default = gpu.cudaDeviceGetDefaultMemPool(0)
    same("the pool at first", gpu.cudaDeviceGetMemPool(0), default)
    pool = new_pool()
    gpu.cudaDeviceSetMemPool(0, pool)
    same("the pool that was set", gpu.cudaDeviceGetMemPool(0), pool)
    gpu.cudaDeviceSetMemPool(0, default)
    same("the default again", gpu.cudaDeviceGetMemPool(0), default)
    both = cuda.cudaMemAccessFlagsProtReadWrite
    gpu.cudaMemPoolSetAccess(pool, [cuda.cudaMemAccessDesc(HERE, both)], 1)
    same("access", gpu.cudaMemPoolGetAccess(pool, HERE), both)
    gpu.cudaMemPoolDestroy(pool)


@check("cudaMemAdvise, cudaMemPrefetchAsync, cudaMemRangeGetAttribute(s) on managed memory")
def managed() -> str:
    """The advice and the place of the memory are read back, and the bytes stay the same."""
    size, stream = 4 * MIB, cuda.cudaStream_t()
    pointer = gpu.cudaMallocManaged(size)
    ctypes.memset(pointer, 9, size)
    mostly, preferred, accessed, last = (
        getattr(cuda, f"cudaMemRangeAttribute{name}")
        for name in ("ReadMostly", "PreferredLocation", "AccessedBy", "LastPrefetchLocation")
    )

    def ask(attribute: Any) -> Any:
        return gpu.cudaMemRangeGetAttribute(attribute, pointer, size)

    same("read mostly at first", ask(mostly), 0)
    gpu.cudaMemAdvise(pointer, size, cuda.cudaMemAdviseSetReadMostly, HERE)
    same("read mostly", ask(mostly), 1)
    gpu.cudaMemAdvise(pointer, size, cuda.cudaMemAdviseUnsetReadMostly, HERE)
    gpu.cudaMemAdvise(pointer, size, cuda.cudaMemAdviseSetPreferredLocation, HERE)
    same("preferred", ask(preferred), 0)
    gpu.cudaMemAdvise(pointer, size, cuda.cudaMemAdviseSetAccessedBy, HERE)
    same("accessed by", ask(accessed)[:1], [0])
    gpu.cudaMemPrefetchAsync(pointer, size, HERE, 0, stream)
    gpu.cudaStreamSynchronize(stream)
    same("prefetched to the device", ask(last), 0)
    several = gpu.cudaMemRangeGetAttributes([mostly, preferred, last], 3, pointer, size)
    same("three at once", several, [0, 0, 0])
    host = {"type": cuda.cudaMemLocationTypeHost, "id": 0}
    gpu.cudaMemPrefetchAsync(pointer, size, host, 0, stream)
    gpu.cudaStreamSynchronize(stream)
    same("prefetched to the host", ask(last), -1)
    same("the bytes", set(ctypes.string_at(pointer, size)), {9})
    gpu.cudaFree(pointer)
    return "location structs, whatever the release takes"
