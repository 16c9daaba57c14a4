// Which of CUDA's types have a counterpart that both APIs share.
#pragma once

#include "api/batches.hpp"
#include "api/contexts.hpp"
#include "api/graphs.hpp"
#include "api/translate.hpp"
#include "cuda_runtime/types.hpp"

namespace pygpu::host {

PYGPU_SAME_STRUCT(::pygpu::cuda::cudaArrayMemoryRequirements, ArrayRequirements)
PYGPU_SAME_STRUCT(::pygpu::cuda::cudaArraySparseProperties, SparseLayout)
PYGPU_COUNTERPART(::pygpu::cuda::CUstream_st, StreamTag)
PYGPU_COUNTERPART(::pygpu::cuda::CUevent_st, EventTag)
PYGPU_COUNTERPART(::pygpu::cuda::CUmemPoolHandle_st, PoolTag)
PYGPU_COUNTERPART(::pygpu::cuda::cudaArray, ArrayTag)
PYGPU_COUNTERPART(::pygpu::cuda::cudaMipmappedArray, MipmapTag)
PYGPU_COUNTERPART(::pygpu::cuda::CUlib_st, LibraryTag)
PYGPU_COUNTERPART(::pygpu::cuda::CUkern_st, FunctionTag)
PYGPU_COUNTERPART(::pygpu::cuda::CUfunc_st, FunctionTag)
PYGPU_COUNTERPART(::pygpu::cuda::CUlogsCallbackEntry_st, LogTag)
PYGPU_COUNTERPART(::pygpu::cuda::cudaAsyncCallbackEntry, NotificationTag)
PYGPU_COUNTERPART(::pygpu::cuda::CUgraph_st, GraphTag)
PYGPU_COUNTERPART(::pygpu::cuda::CUgraphNode_st, NodeTag)
PYGPU_COUNTERPART(::pygpu::cuda::CUgraphExec_st, ExecutableTag)
PYGPU_COUNTERPART(::pygpu::cuda::CUuserObject_st, UserObjectTag)
PYGPU_SAME_STRUCT(::pygpu::cuda::cudaMemcpyAttributes, CopyAttributes)
PYGPU_SAME_STRUCT(::pygpu::cuda::cudaMemcpy3DBatchOp, BatchCopy3D)
PYGPU_SAME_STRUCT(::pygpu::cuda::cudaMemPoolPtrExportData, IpcHandle)
PYGPU_SAME_STRUCT(::pygpu::cuda::cudaHostNodeParams, HostCall)
PYGPU_SAME_STRUCT(::pygpu::cuda::cudaMemsetParams, MemsetNode)
PYGPU_SAME_STRUCT(::pygpu::cuda::cudaMemcpy3DParms, Copy3D)
PYGPU_SAME_STRUCT(::pygpu::cuda::dim3, Dim)
PYGPU_SAME_STRUCT(::pygpu::cuda::cudaExtent, Extent)
PYGPU_SAME_STRUCT(::pygpu::cuda::cudaPitchedPtr, Pitched)
PYGPU_SAME_STRUCT(::pygpu::cuda::cudaChannelFormatDesc, Channels)
PYGPU_SAME_STRUCT(::pygpu::cuda::cudaMemPoolProps, PoolProperties)
PYGPU_SAME_STRUCT(::pygpu::cuda::cudaMemAccessDesc, Access)
PYGPU_SAME_STRUCT(::pygpu::cuda::cudaMemAllocNodeParams, AllocationNode)
PYGPU_SAME_STRUCT(::pygpu::cuda::cudaMemLocation, Location)
PYGPU_SAME_STRUCT(::pygpu::cuda::cudaGraphEdgeData_st, GraphEdge)
PYGPU_SAME_STRUCT(::pygpu::cuda::cudaLaunchAttributeValue, AttributeValue)
PYGPU_SAME_STRUCT(::pygpu::cuda::cudaIpcMemHandle_st, IpcHandle)
PYGPU_SAME_STRUCT(::pygpu::cuda::cudaIpcEventHandle_st, IpcHandle)
PYGPU_COUNTERPART(::pygpu::cuda::cudaExecutionContext_st, ContextTag)
PYGPU_COUNTERPART(::pygpu::cuda::CUdevResourceDesc_st, DescriptionTag)
PYGPU_SAME_STRUCT(::pygpu::cuda::cudaDevResource_st, DevResource)
PYGPU_SAME_STRUCT(::pygpu::cuda::cudaDevSmResourceGroupParams_st, GroupWish)

} // namespace pygpu::host

namespace pygpu::host::cuda {

namespace c = ::pygpu::cuda;

static_assert(offsetof(DevResource, processors) == offsetof(c::cudaDevResource_st, sm));
static_assert(offsetof(Copy3D, dst_array) == offsetof(c::cudaMemcpy3DParms, dstArray));
static_assert(offsetof(Copy3D, dst_ptr) == offsetof(c::cudaMemcpy3DParms, dstPtr));
static_assert(offsetof(Copy3D, extent) == offsetof(c::cudaMemcpy3DParms, extent));
static_assert(offsetof(Copy3D, kind) == offsetof(c::cudaMemcpy3DParms, kind));
static_assert(offsetof(MemsetNode, width) == offsetof(c::cudaMemsetParams, width));
static_assert(offsetof(MemsetNode, value) == offsetof(c::cudaMemsetParams, value));
static_assert(offsetof(Pitched, ysize) == offsetof(c::cudaPitchedPtr, ysize));
static_assert(offsetof(PoolProperties, max_size) == offsetof(c::cudaMemPoolProps, maxSize));
static_assert(offsetof(GraphEdge, type) == offsetof(c::cudaGraphEdgeData_st, type));
static_assert(offsetof(Access, flags) == offsetof(c::cudaMemAccessDesc, flags));
static_assert(offsetof(AllocationNode, address) == offsetof(c::cudaMemAllocNodeParams, dptr));
static_assert(offsetof(AllocationNode, address) == offsetof(c::cudaMemAllocNodeParamsV2, dptr));
static_assert(offsetof(Channels, kind) == offsetof(c::cudaChannelFormatDesc, f));

template <class Theirs> auto as(Theirs value) { return translated(value); }

} // namespace pygpu::host::cuda
