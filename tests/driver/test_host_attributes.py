"""What the host runtime's driver API reports about memory, functions, streams and devices."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from PyGPU import cu
from tests.driver.codes import code
from tests.driver.test_host_memory import begin, gpu, read
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_host", PYGPU_HOST_DEVICES="2")

PTX = b""".version 8.0
.target sm_90
.address_size 64
.visible .global .align 4 .u32 cell[4];
.visible .entry k(.param .u64 to, .param .u32 value) {
    .reg .u64 %p; .reg .u32 %v;
    ld.param.u64 %p, [to]; ld.param.u32 %v, [value]; st.global.u32 [%p], %v; ret; }
"""


def test_attributes_of_a_pointer():
    """Each attribute that NVIDIA's manual has for memory of cuMemAlloc."""
    begin()
    pointer = gpu.cuMemAlloc(64)
    attribute = cu.CUpointer_attribute
    told = {
        one: gpu.cuPointerGetAttribute(attribute[f"CU_POINTER_ATTRIBUTE_{one}"], pointer + 8)
        for one in (
            "DEVICE_POINTER", "SYNC_MEMOPS", "IS_LEGACY_CUDA_IPC_CAPABLE", "MAPPED",
            "IS_GPU_DIRECT_RDMA_CAPABLE", "DEVICE_ORDINAL", "RANGE_SIZE", "RANGE_START_ADDR",
        )
    }  # fmt: skip
    assert told == {
        "DEVICE_POINTER": pointer + 8, "SYNC_MEMOPS": 0, "IS_LEGACY_CUDA_IPC_CAPABLE": 1,
        "MAPPED": 1, "IS_GPU_DIRECT_RDMA_CAPABLE": 0, "DEVICE_ORDINAL": 0, "RANGE_SIZE": 64,
        "RANGE_START_ADDR": pointer,
    }  # fmt: skip
    other = gpu.cuMemAlloc(64)
    serial = attribute.CU_POINTER_ATTRIBUTE_BUFFER_ID
    assert gpu.cuPointerGetAttribute(serial, pointer) != gpu.cuPointerGetAttribute(serial, other)
    host_pointer = attribute.CU_POINTER_ATTRIBUTE_HOST_POINTER
    assert code(cu.cuPointerGetAttribute(host_pointer, pointer)) == 1
    pinned = gpu.cuMemAllocHost(64)
    assert gpu.cuPointerGetAttribute(host_pointer, pinned) == pinned


def test_functions_tell_their_parameters():
    """For a module's function and for a library's kernel."""
    begin()
    function = gpu.cuModuleGetFunction(gpu.cuModuleLoadData(PTX), "k")
    assert gpu.cuFuncGetParamCount(function) == 2
    assert gpu.cuFuncGetParamInfo(function, 1) == (8, 4)
    assert gpu.cuFuncIsLoaded(function) == cu.CU_FUNCTION_LOADING_STATE_LOADED
    gpu.cuFuncLoad(function)
    gpu.cuFuncSetCacheConfig(function, 1)
    assert code(cu.cuFuncSetCacheConfig(function, 4)) == 1
    assert gpu.cuModuleGetLoadingMode() == cu.CU_MODULE_EAGER_LOADING
    library = gpu.cuLibraryLoadData(PTX, [], [], 0, [], [], 0)
    kernel = gpu.cuLibraryGetKernel(library, "k")
    assert gpu.cuKernelGetParamCount(kernel) == 2
    assert gpu.cuKernelGetParamInfo(kernel, 1) == (8, 4)
    threads = cu.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK
    assert gpu.cuKernelGetAttribute(threads, kernel, 0) == 1024
    assert code(cu.cuKernelGetAttribute(threads, kernel, 7)) == 101
    assert gpu.cuLibraryGetGlobal(library, "cell")[1] == 16


@pytest.mark.parametrize("boxes", ["cuMemcpy3DPeerAsync", "cuMemcpy3DPeer"])
def test_copies_between_devices(boxes):
    """Linear copies and boxes, in order on a stream. Without a stream they come after all work."""
    contexts = [begin(device) for device in (1, 0)][::-1]
    stream = gpu.cuStreamCreate(0)
    source = gpu.cuMemAlloc(64)
    gpu.cuMemcpyHtoD(source, np.arange(64, dtype=np.uint8), 64)
    gpu.cuCtxSetCurrent(contexts[1])
    target = gpu.cuMemAlloc(64)
    gpu.cuMemsetD8(target, 0, 64)
    gpu.cuCtxSetCurrent(contexts[0])
    gpu.cuMemcpyPeerAsync(target, contexts[1], source, contexts[0], 32, stream)
    box = cu.CUDA_MEMCPY3D_PEER(
        srcMemoryType=cu.CU_MEMORYTYPE_DEVICE, srcDevice=source, srcContext=contexts[0],
        srcPitch=8, srcHeight=8, srcY=4,
        dstMemoryType=cu.CU_MEMORYTYPE_DEVICE, dstDevice=target, dstContext=contexts[1],
        dstPitch=8, dstHeight=8, dstY=4, WidthInBytes=4, Height=4, Depth=1,
    )  # fmt: skip
    on = (stream,) if boxes.endswith("Async") else ()
    getattr(gpu, boxes)(box, *on)
    gpu.cuStreamSynchronize(stream)
    wanted = np.arange(64, dtype=np.uint8)
    wanted.reshape(8, 8)[4:, 4:] = 0
    back = np.zeros(64, np.uint8)
    gpu.cuMemcpyDtoHAsync(back, target, 64, stream)
    gpu.cuStreamSynchronize(stream)
    np.testing.assert_array_equal(back, wanted)
    here = gpu.cuMemAlloc(64)
    gpu.cuMemcpyDtoDAsync(here, source, 64, stream)
    gpu.cuStreamSynchronize(stream)
    assert read(here, 64) == bytes(range(64))
    assert code(cu.cuMemcpyPeerAsync(target, 64, source, contexts[0], 32, stream)) == 201
    assert code(getattr(cu, boxes)(None, *on)) == 1
    for end in ("srcContext", "dstContext"):
        wrong = copy.copy(box)
        setattr(wrong, end, 64)
        assert code(getattr(cu, boxes)(wrong, *on)) == 201
    box.dstY = 5  # the box ends beyond the memory
    assert code(getattr(cu, boxes)(box, *on)) == 1


@pytest.mark.parametrize("flags", [0, 1])
def test_flags_of_an_executable_graph(flags):
    """cuGraphExecGetFlags reports the flags that the graph was instantiated with."""
    begin()
    executable = gpu.cuGraphInstantiate(gpu.cuGraphCreate(0), flags)
    assert gpu.cuGraphExecGetFlags(executable) == flags


def test_a_texture_reference_tells_what_was_set():
    """A texture reference refuses values that NVIDIA's manual doesn't have."""
    begin()
    texture, memory = gpu.cuTexRefCreate(), gpu.cuMemAlloc(4096)
    gpu.cuTexRefSetFormat(texture, cu.CU_AD_FORMAT_FLOAT, 2)
    assert gpu.cuTexRefGetFormat(texture) == (cu.CU_AD_FORMAT_FLOAT, 2)
    gpu.cuTexRefSetAddressMode(texture, 1, cu.CU_TR_ADDRESS_MODE_MIRROR)
    assert gpu.cuTexRefGetAddressMode(texture, 1) == cu.CU_TR_ADDRESS_MODE_MIRROR
    gpu.cuTexRefSetFilterMode(texture, cu.CU_TR_FILTER_MODE_LINEAR)
    assert gpu.cuTexRefGetFilterMode(texture) == cu.CU_TR_FILTER_MODE_LINEAR
    gpu.cuTexRefSetFlags(texture, cu.CU_TRSF_NORMALIZED_COORDINATES)
    assert gpu.cuTexRefGetFlags(texture) == cu.CU_TRSF_NORMALIZED_COORDINATES
    assert gpu.cuTexRefSetAddress(texture, memory + 8, 1024) == 8
    assert gpu.cuTexRefGetAddress(texture) == memory
    whole = cu.CUDA_ARRAY_DESCRIPTOR(
        Width=8, Height=4, Format=cu.CU_AD_FORMAT_UNSIGNED_INT8, NumChannels=4
    )
    gpu.cuTexRefSetAddress2D(texture, whole, memory + 512, 512)
    assert gpu.cuTexRefGetAddress(texture) == memory + 512
    assert gpu.cuTexRefGetFormat(texture) == (cu.CU_AD_FORMAT_UNSIGNED_INT8, 4)
    for wrong in (
        cu.cuTexRefGetArray(texture), cu.cuTexRefGetAddressMode(texture, 3),
        cu.cuTexRefSetFormat(texture, cu.CU_AD_FORMAT_FLOAT, 5),
        cu.cuTexRefSetFlags(texture, 1 << 20),
        cu.cuTexRefSetAddress2D(texture, whole, memory, 100),
    ):  # fmt: skip
        assert code(wrong) == 1
