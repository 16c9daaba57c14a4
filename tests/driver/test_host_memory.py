"""Memory, copies, streams and events of the driver API on the host runtime."""

from __future__ import annotations

import numpy as np
import pytest

import PyGPU
from PyGPU import cu, cuda, host
from tests.driver.codes import code
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_host", PYGPU_HOST_DEVICES="2")

gpu = cu.checked


def begin(device: int = 0) -> object:
    gpu.cuInit(0)
    context = gpu.cuDevicePrimaryCtxRetain(device)
    gpu.cuCtxSetCurrent(context)
    return context


def read(pointer: int, size: int) -> bytes:
    back = np.zeros(size, np.uint8)
    gpu.cuMemcpyDtoH(back, pointer, size)
    return back.tobytes()


def test_memory_of_each_kind():
    begin()
    device, managed = gpu.cuMemAlloc(100), gpu.cuMemAllocManaged(100, 1)
    pinned, plain = gpu.cuMemHostAlloc(100, 2), gpu.cuMemAllocHost(100)
    pitched, pitch = gpu.cuMemAllocPitch(100, 3, 4)
    assert pitch % 512 == 0
    for pointer, memory, is_managed in ((device, 2, False), (managed, 2, True), (pinned, 1, False)):
        assert gpu.cuPointerGetAttribute(2, pointer) == memory
        assert bool(gpu.cuPointerGetAttribute(8, pointer)) == is_managed
    assert gpu.cuMemHostGetDevicePointer(pinned, 0) == pinned
    assert gpu.cuMemHostGetFlags(pinned) & 2
    assert gpu.cuMemGetAddressRange(device + 40) == (device, 100)
    free, total = gpu.cuMemGetInfo()
    assert free < total == gpu.cuDeviceTotalMem(0)
    for wrong in (
        cu.cuMemAlloc(0), cu.cuMemAllocManaged(0, 1), cu.cuMemHostAlloc(16, 99), cu.cuMemFree(64),
        cu.cuMemAllocPitch(100, 3, 5), cu.cuPointerGetAttribute(2, 64), cu.cuMemFreeHost(device),
    ):  # fmt: skip
        assert code(wrong) == 1
    assert code(cu.cuMemGetAddressRange(64)) == 500
    assert code(cu.cuMemAlloc(1 << 50)) == 2
    for pointer in (device, managed, pitched):
        gpu.cuMemFree(pointer)
    for pointer in (pinned, plain):
        gpu.cuMemFreeHost(pointer)
    page = np.zeros(4096, np.uint8)
    gpu.cuMemHostRegister(page, page.nbytes, 0)
    assert code(cu.cuMemHostRegister(page, page.nbytes, 0)) == 712
    gpu.cuMemHostUnregister(page)
    assert not host.leaks()


def test_flat_copies_and_sets():
    begin()
    a, b = gpu.cuMemAlloc(64), gpu.cuMemAlloc(64)
    given = np.arange(64, dtype=np.uint8)
    address = int(given.ctypes.data)
    gpu.cuMemcpyHtoD(a, given, 64)
    gpu.cuMemcpyDtoD(b, a, 64)
    assert read(b, 64) == given.tobytes()
    gpu.cuMemcpy(b, a + 32, 32)
    assert read(b, 32) == given[32:].tobytes()
    gpu.cuMemsetD8(a, 0x11, 64)
    gpu.cuMemsetD16(a, 0x2233, 4)
    gpu.cuMemsetD32(a + 16, 0x44556677, 2)
    assert read(a, 26).hex() == "3322" * 4 + "11" * 8 + "77665544" * 2 + "1111"
    gpu.cuMemsetD2D8(a, 16, 0xAA, 4, 2)
    gpu.cuMemsetD2D32(a + 4, 16, 0xBB, 1, 2)
    assert read(a, 24).hex() == "aa" * 4 + "bb000000" + "11" * 8 + "aa" * 4 + "bb000000"
    for wrong in (
        cu.cuMemcpyHtoD(a, address, 65), cu.cuMemsetD32(a + 2, 0, 1), cu.cuMemsetD8(a, 0, 65),
        cu.cuMemsetD2D16(a, 6, 0, 4, 2), cu.cuMemcpyDtoD(a, address, 8),
    ):  # fmt: skip
        assert code(wrong) == 1


def test_copies_by_structs():
    begin()
    source, pitch = gpu.cuMemAllocPitch(16, 4, 4)
    given = np.arange(64, dtype=np.uint8).reshape(4, 16)
    gpu.cuMemcpy2D(
        cu.CUDA_MEMCPY2D(
            srcMemoryType=1, srcHost=given, srcPitch=16, dstMemoryType=2, dstDevice=source,
            dstPitch=pitch, WidthInBytes=16, Height=4,
        )
    )  # fmt: skip
    back = np.zeros((2, 8), np.uint8)
    part = cu.CUDA_MEMCPY2D(
        srcXInBytes=4, srcY=1, srcMemoryType=2, srcDevice=source, srcPitch=pitch,
        dstMemoryType=1, dstHost=back, dstPitch=8, WidthInBytes=8, Height=2,
    )  # fmt: skip
    gpu.cuMemcpy2D(part)
    assert np.array_equal(back, given[1:3, 4:12])
    part.srcXInBytes = pitch - 4  # the row ends sooner
    assert cu.cuMemcpy2D(part) == 1
    cube = np.zeros((2, 2, 16), np.uint8)
    gpu.cuMemcpy3D(
        cu.CUDA_MEMCPY3D(
            srcMemoryType=4, srcDevice=source, srcPitch=pitch, srcHeight=2, dstMemoryType=1,
            dstHost=cube, dstPitch=16, dstHeight=2, WidthInBytes=16, Height=2, Depth=2,
        )
    )  # fmt: skip
    assert np.array_equal(cube.reshape(4, 16), given)


def test_copies_between_contexts():
    contexts = [begin(1), begin(0)]
    here = gpu.cuMemAlloc(64)
    gpu.cuCtxSetCurrent(contexts[0])
    there = gpu.cuMemAlloc(64)
    gpu.cuMemsetD8(there, 7, 64)
    gpu.cuMemcpyPeer(here, contexts[1], there, contexts[0], 64)
    assert read(here, 64) == bytes([7]) * 64
    gpu.cuMemsetD8(there, 8, 64)
    gpu.cuCtxSetCurrent(contexts[1])
    gpu.cuMemcpyPeer(here, None, there, contexts[0], 64)  # None means the current context
    assert read(here, 64) == bytes([8]) * 64
    assert cu.cuMemcpyPeer(here, 64, there, contexts[0], 64) == 201
    gpu.cuCtxSetCurrent(None)
    assert cu.cuMemcpyPeer(here, None, there, contexts[0], 64) == 201


def test_handles_are_those_of_the_runtime():
    context = begin()
    stream, event = cuda.cudaStream_t(flags=1), cuda.cudaEvent_t()
    pointer, back = cuda.checked.cudaMalloc(1 << 20), np.zeros(1 << 20, np.uint8)
    with host.pause(stream):
        gpu.cuMemcpyHtoDAsync(pointer, np.full(1 << 20, 5, np.uint8), 1 << 20, stream)
        gpu.cuEventRecord(event, stream)
        assert not cuda.checked.cudaEventQuery(event)
        other = gpu.cuStreamCreate(1)
        cuda.checked.cudaStreamWaitEvent(other, event)
        gpu.cuMemsetD8Async(pointer, 6, 16, other)
        assert not gpu.cuStreamQuery(other)
    cuda.checked.cudaMemcpyAsync(back, pointer, back.nbytes, 2, other)
    cuda.checked.cudaStreamSynchronize(other)
    assert (back[:16] == 6).all()
    assert (back[16:] == 5).all()
    assert gpu.cuStreamGetCtx(stream) == context
    assert gpu.cuStreamGetId(other) == cuda.checked.cudaStreamGetId(other)
    array = PyGPU.to_gpu(back)
    assert gpu.cuMemGetAddressRange(array.gpudata)[1] == back.nbytes
    gpu.cuMemFree(pointer)
    assert cuda.cudaMemset(pointer, 0, 1) == 1


def test_streams_and_events():
    begin()
    least, greatest = gpu.cuCtxGetStreamPriorityRange()
    stream = gpu.cuStreamCreateWithPriority(1, greatest)
    assert (gpu.cuStreamGetFlags(stream), gpu.cuStreamGetPriority(stream)) == (1, greatest)
    assert gpu.cuStreamGetDevice(stream) == 0
    assert gpu.cuStreamIsCapturing(stream) == 0
    start, end = gpu.cuEventCreate(0), gpu.cuEventCreate(0)
    done = []
    gpu.cuEventRecord(start, stream)
    gpu.cuLaunchHostFunc(stream, lambda _: done.append(1), None)
    gpu.cuStreamAddCallback(stream, lambda *given: done.append(given[1]), None, 0)
    gpu.cuEventRecord(end, stream)
    gpu.cuEventSynchronize(end)
    assert done == [1, 0]
    assert gpu.cuEventElapsedTime(start, end) >= 0
    assert code(cu.cuEventElapsedTime(start, gpu.cuEventCreate(2))) == 400
    assert code(cu.cuStreamCreate(2)) == code(cu.cuEventCreate(8)) == 1
    gpu.cuEventDestroy(start)
    assert code(cu.cuEventQuery(start)) in (400, 709)
    gpu.cuStreamDestroy(stream)
    assert code(cu.cuStreamDestroy(0)) == 400
    assert gpu.cuStreamQuery(0)
    assert least >= greatest


@pytest.mark.parametrize("pool", ["default", "own"])
def test_memory_in_the_order_of_a_stream(pool):
    begin()
    stream = gpu.cuStreamCreate(1)
    if pool == "own":
        made = gpu.cuMemPoolCreate({"allocType": 1, "location": (1, 0)})
        pointer = gpu.cuMemAllocFromPoolAsync(64, made, stream)
        assert gpu.cuPointerGetAttribute(17, pointer) == made
    else:
        made = gpu.cuDeviceGetDefaultMemPool(0)
        pointer = gpu.cuMemAllocAsync(64, stream)
    gpu.cuMemsetD32Async(pointer, 7, 16, stream)
    assert gpu.cuMemPoolGetAttribute(made, 7) == 64
    gpu.cuMemFreeAsync(pointer, stream)
    gpu.cuStreamSynchronize(stream)
    assert gpu.cuMemPoolGetAttribute(made, 7) == 0
    assert gpu.cuMemAllocAsync(0, stream) == 0
