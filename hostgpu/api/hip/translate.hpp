// Which of HIP's types have a counterpart that both APIs share.
#pragma once

#include "api/batches.hpp"
#include "api/graphs.hpp"
#include "api/memory_operations.hpp"
#include "api/translate.hpp"
#include "hip_runtime/types.hpp"

namespace pygpu::host {

PYGPU_COUNTERPART(::pygpu::hip::ihipStream_t, StreamTag)
PYGPU_COUNTERPART(::pygpu::hip::ihipEvent_t, EventTag)
PYGPU_COUNTERPART(::pygpu::hip::ihipMemPoolHandle_t, PoolTag)
PYGPU_COUNTERPART(::pygpu::hip::hipArray, ArrayTag)
PYGPU_COUNTERPART(::pygpu::hip::hipMipmappedArray, MipmapTag)
PYGPU_COUNTERPART(::pygpu::hip::ihipModule_t, ModuleTag)
PYGPU_COUNTERPART(::pygpu::hip::ihipModuleSymbol_t, FunctionTag)
PYGPU_COUNTERPART(::pygpu::hip::ihipLibrary_t, LibraryTag)
PYGPU_COUNTERPART(::pygpu::hip::ihipKernel_t, FunctionTag)
PYGPU_COUNTERPART(::pygpu::hip::ihipLinkState_t, LinkTag)
PYGPU_SAME_STRUCT(::pygpu::hip::hipLaunchAttributeValue, AttributeValue)
PYGPU_COUNTERPART(::pygpu::hip::ihipGraph, GraphTag)
PYGPU_COUNTERPART(::pygpu::hip::hipGraphNode, NodeTag)
PYGPU_COUNTERPART(::pygpu::hip::hipGraphExec, ExecutableTag)
PYGPU_COUNTERPART(::pygpu::hip::hipUserObject, UserObjectTag)
PYGPU_COUNTERPART(::pygpu::hip::ihipMemGenericAllocationHandle, PhysicalTag)
PYGPU_SAME_STRUCT(::pygpu::hip::hipMemcpyAttributes, CopyAttributes)
PYGPU_SAME_STRUCT(::pygpu::hip::hipMemcpy3DBatchOp, BatchCopy3D)
PYGPU_SAME_STRUCT(::pygpu::hip::hipMemPoolPtrExportData, IpcHandle)
PYGPU_SAME_STRUCT(::pygpu::hip::hipHostNodeParams, HostCall)
PYGPU_SAME_STRUCT(::pygpu::hip::hipMemcpy3DParms, Copy3D)
PYGPU_SAME_STRUCT(::pygpu::hip::dim3, Dim)
PYGPU_SAME_STRUCT(::pygpu::hip::hipExtent, Extent)
PYGPU_SAME_STRUCT(::pygpu::hip::hipPitchedPtr, Pitched)
PYGPU_SAME_STRUCT(::pygpu::hip::hipChannelFormatDesc, Channels)
PYGPU_SAME_STRUCT(::pygpu::hip::hipStreamBatchMemOpParams_union, MemoryOperation)
PYGPU_SAME_STRUCT(::pygpu::hip::hipBatchMemOpNodeParams, BatchNode)
PYGPU_SAME_STRUCT(::pygpu::hip::hipMemPoolProps, PoolProperties)
PYGPU_SAME_STRUCT(::pygpu::hip::hipMemAllocationProp, PhysicalProperties)
PYGPU_SAME_STRUCT(::pygpu::hip::hipMemAccessDesc, Access)
PYGPU_SAME_STRUCT(::pygpu::hip::hipMemAllocNodeParams, AllocationNode)
PYGPU_SAME_STRUCT(::pygpu::hip::hipMemLocation, Location)
PYGPU_SAME_STRUCT(::pygpu::hip::hipIpcMemHandle_st, IpcHandle)
PYGPU_SAME_STRUCT(::pygpu::hip::hipIpcEventHandle_st, IpcHandle)

} // namespace pygpu::host

namespace pygpu::host::hip {

namespace c = ::pygpu::hip;

static_assert(offsetof(Copy3D, dst_array) == offsetof(c::hipMemcpy3DParms, dstArray));
static_assert(offsetof(Copy3D, dst_ptr) == offsetof(c::hipMemcpy3DParms, dstPtr));
static_assert(offsetof(Copy3D, extent) == offsetof(c::hipMemcpy3DParms, extent));
static_assert(offsetof(Copy3D, kind) == offsetof(c::hipMemcpy3DParms, kind));
static_assert(offsetof(Pitched, ysize) == offsetof(c::hipPitchedPtr, ysize));
static_assert(offsetof(PoolProperties, max_size) == offsetof(c::hipMemPoolProps, maxSize));
static_assert(offsetof(Access, flags) == offsetof(c::hipMemAccessDesc, flags));
static_assert(offsetof(AllocationNode, address) == offsetof(c::hipMemAllocNodeParams, dptr));
static_assert(offsetof(Channels, kind) == offsetof(c::hipChannelFormatDesc, f));

template <class Theirs> auto as(Theirs value) { return translated(value); }

} // namespace pygpu::host::hip
