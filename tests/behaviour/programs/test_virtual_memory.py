"""Virtual memory: a growing array, memory at two addresses, in two processes; waits for values."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from PyGPU import cu
from tests.behaviour.programs.kernels import PTX
from tests.behaviour.programs.memory import read
from tests.behaviour.programs.program import program
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_devices")
gpu = cu.checked
HERE = (cu.CU_MEM_LOCATION_TYPE_DEVICE, 0)
BOTH = cu.CUmemAccessDesc(HERE, cu.CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
POSIX = cu.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
OTHER = Path(__file__).resolve().with_name("other_mapping.py")


def wanted(handle_type: object = cu.CU_MEM_HANDLE_TYPE_NONE) -> cu.CUmemAllocationProp:
    """The properties of memory on device 0."""
    return cu.CUmemAllocationProp(
        type=cu.CU_MEM_ALLOCATION_TYPE_PINNED, requestedHandleTypes=handle_type, location=HERE
    )


@contextmanager
def context() -> Iterator[int]:
    """Device 0's primary context, and the granularity of its memory."""
    gpu.cuInit(0)
    gpu.cuCtxSetCurrent(gpu.cuDevicePrimaryCtxRetain(0))
    try:
        yield gpu.cuMemGetAllocationGranularity(wanted(), cu.CU_MEM_ALLOC_GRANULARITY_MINIMUM)
    finally:
        gpu.cuDevicePrimaryCtxRelease(0)


def add_chunk(place: int, size: int) -> None:
    """Map fresh memory, which lives as long as the mapping."""
    handle = gpu.cuMemCreate(size, wanted(), 0)
    gpu.cuMemMap(place, size, 0, handle, 0)
    gpu.cuMemSetAccess(place, size, [BOTH], 1)
    gpu.cuMemRelease(handle)


@program
def test_growing_array() -> None:
    """An array grows in place: what it holds stays, and kernels and copies cross its chunks."""
    with context() as grain:
        chunks = 4
        place = gpu.cuMemAddressReserve(chunks * grain, 0, 0, 0)
        module = gpu.cuModuleLoadData(PTX.encode() + b"\0")
        kernel = gpu.cuModuleGetFunction(module, "scale")
        values = np.zeros(0, dtype=np.float32)
        for number in range(chunks):
            add_chunk(place + number * grain, grain)
            more = np.full(grain // 4, number + 1, dtype=np.float32)
            gpu.cuMemcpyHtoD(place + number * grain, more, more.nbytes)
            values = np.concatenate([values, more])
            count = values.size
            arguments = [np.uint64(place), np.float32(2), np.uint32(count)]
            gpu.cuLaunchKernel(kernel, -(-count // 256), 1, 1, 256, 1, 1, 0, None, arguments, None)
            values *= 2
            back = np.zeros_like(values)
            gpu.cuMemcpyDtoH(back, place, back.nbytes)
            assert np.array_equal(back, values)
        gpu.cuMemsetD8(place + grain - 16, 0, 32)
        assert read(place + grain - 20, 10) == [*values[:1], *[0.0] * 8, values[grain // 4 + 4]]
        gpu.cuMemUnmap(place, chunks * grain)
        gpu.cuMemAddressFree(place, chunks * grain)
        gpu.cuModuleUnload(module)


@program
def test_two_addresses() -> None:
    """One piece of memory at two addresses: what is written at one is read at the other."""
    with context() as grain:
        place = gpu.cuMemAddressReserve(2 * grain, 0, 0, 0)
        handle = gpu.cuMemCreate(grain, wanted(), 0)
        for at in (place, place + grain):
            gpu.cuMemMap(at, grain, 0, handle, 0)
        gpu.cuMemRelease(handle)
        gpu.cuMemSetAccess(place, 2 * grain, [BOTH], 1)
        sent = np.arange(100, dtype=np.float32)
        gpu.cuMemcpyHtoD(place, sent, sent.nbytes)
        assert read(place + grain, 100) == sent.tolist()
        gpu.cuMemUnmap(place, grain)
        assert read(place + grain, 100) == sent.tolist()
        gpu.cuMemUnmap(place + grain, grain)
        gpu.cuMemAddressFree(place, 2 * grain)


@program
def test_two_processes() -> None:
    """Memory exported by a file descriptor; another process maps it, reads it and writes to it."""
    with context() as grain:
        handle = gpu.cuMemCreate(grain, wanted(POSIX), 0)
        descriptor = gpu.cuMemExportToShareableHandle(handle, POSIX, 0)
        place = gpu.cuMemAddressReserve(grain, 0, 0, 0)
        gpu.cuMemMap(place, grain, 0, handle, 0)
        gpu.cuMemSetAccess(place, grain, [BOTH], 1)
        sent = np.arange(256, dtype=np.float32)
        gpu.cuMemcpyHtoD(place, sent, sent.nbytes)
        gpu.cuCtxSynchronize()
        done = subprocess.run(
            [sys.executable, str(OTHER), str(descriptor), str(grain)],
            capture_output=True,
            text=True,
            timeout=100,
            pass_fds=[descriptor],
            check=False,
        )
        os.close(descriptor)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout) == sent.tolist(), "what the child read"
        assert read(place, sent.size) == (sent + 1).tolist(), "what the child wrote"
        gpu.cuMemUnmap(place, grain)
        gpu.cuMemAddressFree(place, grain)
        gpu.cuMemRelease(handle)


@program
def test_waits_for_values() -> None:
    """Two streams take turns by values in memory: each waits for what the other writes."""
    with context():
        first, second = (gpu.cuStreamCreate(cu.CU_STREAM_NON_BLOCKING) for _ in range(2))
        turns = gpu.cuMemAlloc(64)
        log = gpu.cuMemAlloc(64)
        gpu.cuMemsetD8(turns, 0, 64)
        gpu.cuMemsetD8(log, 0, 64)
        exactly = cu.CU_STREAM_WAIT_VALUE_EQ
        for turn in range(8):
            stream = (first, second)[turn % 2]
            gpu.cuStreamWaitValue32(stream, turns, turn, exactly)
            gpu.cuMemsetD32Async(log + 4 * turn, turn + 10, 1, stream)
            gpu.cuStreamWriteValue32(stream, turns, turn + 1, 0)
        gpu.cuCtxSynchronize()
        assert read(log, 8, np.int32) == list(range(10, 18))
        assert read(turns, 1, np.int32) == [8]
        for memory in (turns, log):
            gpu.cuMemFree(memory)
        for stream in (first, second):
            gpu.cuStreamDestroy(stream)
