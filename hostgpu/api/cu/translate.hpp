// Which of the driver API's types have a counterpart that all APIs share.
#pragma once

#include "api/batches.hpp"
#include "api/contexts.hpp"
#include "api/graphs.hpp"
#include "api/memory_operations.hpp"
#include "api/translate.hpp"
#include "cuda_driver/types.hpp"

namespace pygpu::host {

PYGPU_SAME_STRUCT(::pygpu::cu::CUDA_ARRAY_MEMORY_REQUIREMENTS_st, ArrayRequirements)
PYGPU_SAME_STRUCT(::pygpu::cu::CUDA_ARRAY_SPARSE_PROPERTIES_st, SparseLayout)
PYGPU_COUNTERPART(::pygpu::cu::CUstream_st, StreamTag)
PYGPU_COUNTERPART(::pygpu::cu::CUevent_st, EventTag)
PYGPU_COUNTERPART(::pygpu::cu::CUmemPoolHandle_st, PoolTag)
PYGPU_COUNTERPART(::pygpu::cu::CUarray_st, ArrayTag)
PYGPU_COUNTERPART(::pygpu::cu::CUmipmappedArray_st, MipmapTag)
PYGPU_COUNTERPART(::pygpu::cu::CUmod_st, ModuleTag)
PYGPU_COUNTERPART(::pygpu::cu::CUlib_st, LibraryTag)
PYGPU_COUNTERPART(::pygpu::cu::CUfunc_st, FunctionTag)
PYGPU_COUNTERPART(::pygpu::cu::CUkern_st, FunctionTag)
PYGPU_COUNTERPART(::pygpu::cu::CUlinkState_st, LinkTag)
PYGPU_COUNTERPART(::pygpu::cu::CUlogsCallbackEntry_st, LogTag)
PYGPU_COUNTERPART(::pygpu::cu::CUasyncCallbackEntry_st, NotificationTag)
PYGPU_COUNTERPART(::pygpu::cu::CUgraph_st, GraphTag)
PYGPU_COUNTERPART(::pygpu::cu::CUgraphNode_st, NodeTag)
PYGPU_COUNTERPART(::pygpu::cu::CUgraphExec_st, ExecutableTag)
PYGPU_COUNTERPART(::pygpu::cu::CUuserObject_st, UserObjectTag)
PYGPU_SAME_STRUCT(::pygpu::cu::CUmemcpyAttributes_st, CopyAttributes)
PYGPU_SAME_STRUCT(::pygpu::cu::CUDA_MEMCPY3D_BATCH_OP_st, BatchCopy3D)
PYGPU_SAME_STRUCT(::pygpu::cu::CUmemPoolPtrExportData_st, IpcHandle)
PYGPU_SAME_STRUCT(::pygpu::cu::CUDA_HOST_NODE_PARAMS_st, HostCall)
PYGPU_SAME_STRUCT(::pygpu::cu::CUDA_MEMSET_NODE_PARAMS_st, MemsetNode)
PYGPU_SAME_STRUCT(::pygpu::cu::CUstreamBatchMemOpParams_union, MemoryOperation)
PYGPU_SAME_STRUCT(::pygpu::cu::CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st, BatchNode)
PYGPU_SAME_STRUCT(::pygpu::cu::CUmemPoolProps_st, PoolProperties)
PYGPU_SAME_STRUCT(::pygpu::cu::CUmemAllocationProp_st, PhysicalProperties)
PYGPU_SAME_STRUCT(::pygpu::cu::CUmemAccessDesc_st, Access)
PYGPU_SAME_STRUCT(::pygpu::cu::CUDA_MEM_ALLOC_NODE_PARAMS_v1_st, AllocationNode)
PYGPU_SAME_STRUCT(::pygpu::cu::CUmemLocation_st, Location)
PYGPU_SAME_STRUCT(::pygpu::cu::CUgraphEdgeData_st, GraphEdge)
PYGPU_SAME_STRUCT(::pygpu::cu::CUlaunchAttributeValue_union, AttributeValue)
PYGPU_SAME_STRUCT(::pygpu::cu::CUipcMemHandle_st, IpcHandle)
PYGPU_SAME_STRUCT(::pygpu::cu::CUipcEventHandle_st, IpcHandle)
PYGPU_COUNTERPART(::pygpu::cu::CUgreenCtx_st, ContextTag)
PYGPU_COUNTERPART(::pygpu::cu::CUdevResourceDesc_st, DescriptionTag)
PYGPU_SAME_STRUCT(::pygpu::cu::CUdevResource_st, DevResource)
PYGPU_SAME_STRUCT(::pygpu::cu::CU_DEV_SM_RESOURCE_GROUP_PARAMS_st, GroupWish)

} // namespace pygpu::host

namespace pygpu::host::cu {

namespace c = ::pygpu::cu;

static_assert(offsetof(DevResource, processors) == offsetof(c::CUdevResource_st, sm));
static_assert(offsetof(PoolProperties, max_size) == offsetof(c::CUmemPoolProps_st, maxSize));
static_assert(offsetof(MemoryOperation, flags) == offsetof(c::CUstreamMemOpWaitValueParams_st, flags));
static_assert(offsetof(BatchNode, flags) == offsetof(c::CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st, flags));
static_assert(offsetof(PhysicalProperties, compression) == offsetof(c::CUmemAllocationProp_st, allocFlags));
static_assert(offsetof(MemsetNode, width) == offsetof(c::CUDA_MEMSET_NODE_PARAMS_st, width));
static_assert(offsetof(AllocationNode, address) == offsetof(c::CUDA_MEM_ALLOC_NODE_PARAMS_v1_st, dptr));
static_assert(offsetof(AllocationNode, address) == offsetof(c::CUDA_MEM_ALLOC_NODE_PARAMS_v2_st, dptr));
static_assert(offsetof(GraphEdge, type) == offsetof(c::CUgraphEdgeData_st, type));
static_assert(offsetof(Access, flags) == offsetof(c::CUmemAccessDesc_st, flags));

template <class Theirs> auto as(Theirs value) { return translated(value); }
// Of types that are a number in C: addresses, and numbers of 64 bits.
template <class Ours, class Theirs>
    requires(!std::is_same_v<Ours, Theirs>)
Ours as(Theirs value) {
    if constexpr (std::is_integral_v<Ours>)
        return value;
    else
        return reinterpret_cast<Ours>(value);
}

} // namespace pygpu::host::cu
