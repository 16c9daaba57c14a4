"""Memory: pools and their attributes, managed memory."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

import PyGPU
from PyGPU import cuda
from tests.behaviour.programs.memory import read
from tests.behaviour.programs.program import program
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_devices")
gpu = PyGPU.checked
MIB = 1 << 20
HERE = {"type": cuda.cudaMemLocationTypeDevice, "id": 0}


def new_pool(**fields: Any) -> Any:
    """A pool of pinned memory on device 0."""
    kind = cuda.cudaMemAllocationTypePinned
    return gpu.cudaMemPoolCreate(cuda.cudaMemPoolProps(allocType=kind, location=HERE, **fields))


@program
def test_attributes() -> None:
    """Attributes: numbers of 4 and 8 bytes, set and read back.

    A release threshold of more than 32 bits, and switches.
    """
    pool = new_pool()
    threshold, opportunistic = (
        cuda.cudaMemPoolAttrReleaseThreshold,
        cuda.cudaMemPoolReuseAllowOpportunistic,
    )
    assert gpu.cudaMemPoolGetAttribute(pool, threshold) == 0, "the threshold at first"
    gpu.cudaMemPoolSetAttribute(pool, threshold, 2**40 + 3)
    assert gpu.cudaMemPoolGetAttribute(pool, threshold) == 2**40 + 3, "the threshold"
    assert gpu.cudaMemPoolGetAttribute(pool, opportunistic) == 1, "the switch at first"
    gpu.cudaMemPoolSetAttribute(pool, opportunistic, 0)
    assert gpu.cudaMemPoolGetAttribute(pool, opportunistic) == 0, "the switch"
    gpu.cudaMemPoolDestroy(pool)


@program
def test_usage() -> None:
    """Allocate from a pool: use and reserve are counted, trimmed and reset.

    cudaMallocFromPoolAsync, cudaFreeAsync, cudaMemPoolTrimTo.
    """
    pool, stream = new_pool(), cuda.cudaStream_t()

    def ask(name: str) -> Any:
        return gpu.cudaMemPoolGetAttribute(pool, getattr(cuda, f"cudaMemPoolAttr{name}"))

    gpu.cudaMemPoolSetAttribute(pool, cuda.cudaMemPoolAttrReleaseThreshold, 64 * MIB)
    pointer = gpu.cudaMallocFromPoolAsync(MIB, pool, stream)
    gpu.cudaMemsetAsync(pointer, 7, MIB, stream)
    gpu.cudaStreamSynchronize(stream)
    assert set(read(pointer, MIB, np.uint8)) == {7}, "the memory"
    assert ask("UsedMemCurrent") >= MIB, "used >= 1 MiB"
    reserved = ask("ReservedMemCurrent")
    assert reserved >= ask("UsedMemCurrent"), "reserved >= used"
    gpu.cudaFreeAsync(pointer, stream)
    gpu.cudaStreamSynchronize(stream)
    assert ask("UsedMemCurrent") == 0, "used after the free"
    assert ask("UsedMemHigh") >= MIB, "the high mark stays"
    gpu.cudaMemPoolSetAttribute(pool, cuda.cudaMemPoolAttrUsedMemHigh, 0)
    assert ask("UsedMemHigh") == 0, "the high mark, reset"
    gpu.cudaMemPoolTrimTo(pool, 0)
    assert ask("ReservedMemCurrent") == 0, "reserved after the trim"
    gpu.cudaMemPoolDestroy(pool)


@program
def test_of_the_device() -> None:
    """The device's pool: default, exchanged, restored; access.

    cudaDeviceSetMemPool, and who may use a pool's memory.
    """
    default = gpu.cudaDeviceGetDefaultMemPool(0)
    assert gpu.cudaDeviceGetMemPool(0) == default, "the pool at first"
    pool = new_pool()
    gpu.cudaDeviceSetMemPool(0, pool)
    assert gpu.cudaDeviceGetMemPool(0) == pool, "the pool that was set"
    gpu.cudaDeviceSetMemPool(0, default)
    assert gpu.cudaDeviceGetMemPool(0) == default, "the default again"
    both = cuda.cudaMemAccessFlagsProtReadWrite
    gpu.cudaMemPoolSetAccess(pool, [cuda.cudaMemAccessDesc(HERE, both)], 1)
    assert gpu.cudaMemPoolGetAccess(pool, HERE) == both, "access"
    gpu.cudaMemPoolDestroy(pool)


@program
def test_managed() -> None:
    """cudaMemAdvise, cudaMemPrefetchAsync, cudaMemRangeGetAttribute(s) on managed memory.

    The advice and the place of the memory are read back, and the bytes stay the same.
    """
    size, stream = 4 * MIB, cuda.cudaStream_t()
    pointer = gpu.cudaMallocManaged(size)
    ctypes.memset(pointer, 9, size)
    mostly, preferred, accessed, last = (
        getattr(cuda, f"cudaMemRangeAttribute{name}")
        for name in ("ReadMostly", "PreferredLocation", "AccessedBy", "LastPrefetchLocation")
    )

    def ask(attribute: Any) -> Any:
        return gpu.cudaMemRangeGetAttribute(attribute, pointer, size)

    assert ask(mostly) == 0, "read mostly at first"
    gpu.cudaMemAdvise(pointer, size, cuda.cudaMemAdviseSetReadMostly, HERE)
    assert ask(mostly) == 1, "read mostly"
    gpu.cudaMemAdvise(pointer, size, cuda.cudaMemAdviseUnsetReadMostly, HERE)
    gpu.cudaMemAdvise(pointer, size, cuda.cudaMemAdviseSetPreferredLocation, HERE)
    assert ask(preferred) == 0, "preferred"
    gpu.cudaMemAdvise(pointer, size, cuda.cudaMemAdviseSetAccessedBy, HERE)
    assert ask(accessed)[:1] == [0], "accessed by"
    gpu.cudaMemPrefetchAsync(pointer, size, HERE, 0, stream)
    gpu.cudaStreamSynchronize(stream)
    assert ask(last) == 0, "prefetched to the device"
    several = gpu.cudaMemRangeGetAttributes([mostly, preferred, last], 3, pointer, size)
    assert several == [0, 0, 0], "three at once"
    host = {"type": cuda.cudaMemLocationTypeHost, "id": 0}
    gpu.cudaMemPrefetchAsync(pointer, size, host, 0, stream)
    gpu.cudaStreamSynchronize(stream)
    assert ask(last) == -1, "prefetched to the host"
    assert set(ctypes.string_at(pointer, size)) == {9}, "the bytes"
    gpu.cudaFree(pointer)
