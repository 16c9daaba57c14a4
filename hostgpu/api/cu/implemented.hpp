// The functions that have a form of their own in the driver API. All others are host::api's, under the same
// names.
#pragma once

#include "api/api.hpp"
#include "api/batches.hpp"
#include "api/contexts.hpp"
#include "api/cu/entry_points.hpp"
#include "api/graphs.hpp"
#include "api/logs.hpp"
#include "api/memory_operations.hpp"
#include "api/modules.hpp"
#include "api/notifications.hpp"
#include "api/virtual_memory.hpp"
#include "base/context.hpp"
#include "cuda_driver/types.hpp"

namespace pygpu::host::cu {

using namespace host::api;
namespace c = ::pygpu::cu;

inline void *at(c::CUdeviceptr address) { return reinterpret_cast<void *>(address); }

// This API calls an impossible configuration an invalid value.
inline Status of_driver(Status status) {
    return status == Status::invalid_configuration ? Status::invalid_value : status;
}

// Init and errors
Status Init(unsigned flags);
Status DriverGetVersion(int *version);
Status GetErrorName(int code, const char **name);
Status GetErrorString(int code, const char **text);
Status GetExportTable(const void **table, const c::CUuuid *id);

// Devices
Status DeviceGet(int *device, int ordinal);
Status DeviceGetProperties(c::CUdevprop *properties, int device);
Status DeviceGetLuid(char *luid, unsigned *node_mask, int device);
Status DeviceGetTexture1DLinearMaxWidth(std::size_t *width, int format, unsigned channels, int device);
Status DeviceGetCount(int *count);
Status DeviceGetName(char *name, int size, int device);
Status DeviceGetUuid(c::CUuuid *uuid, int device);
Status DeviceTotalMem(std::size_t *bytes, int device);
Status DeviceGetAttribute(int *value, int attribute, int device);
Status DeviceComputeCapability(int *major, int *minor, int device);

// Contexts
Status DevicePrimaryCtxRetain(c::CUcontext *context, int device);
Status DevicePrimaryCtxRelease(int device);
Status DevicePrimaryCtxReset(int device);
Status DevicePrimaryCtxGetState(int device, unsigned *flags, int *active);
Status DevicePrimaryCtxSetFlags(int device, unsigned flags);
Status CtxCreate(c::CUcontext *context, c::CUctxCreateParams *parameters, unsigned flags, int device);
Status CtxDestroy(c::CUcontext context);
Status CtxPushCurrent(c::CUcontext context);
Status CtxPopCurrent(c::CUcontext *context);
Status CtxSetCurrent(c::CUcontext context);
Status CtxGetCurrent(c::CUcontext *context);
Status CtxGetDevice_v2(int *device, c::CUcontext context);
Status CtxGetFlags(unsigned *flags);
Status CtxGetId(c::CUcontext context, unsigned long long *id);
Status CtxGetApiVersion(c::CUcontext context, unsigned *version);
Status CtxSynchronize_v2(c::CUcontext context);
Status CtxEnablePeerAccess(c::CUcontext peer, unsigned flags);
Status CtxDisablePeerAccess(c::CUcontext peer);

// Memory
Status MemAlloc(void **pointer, std::size_t size);
Status MemAllocPitch(void **pointer, std::size_t *pitch, std::size_t width, std::size_t height,
                     unsigned element);
Status MemAllocManaged(void **pointer, std::size_t size, unsigned flags);
Status MemGetAddressRange(void **base, std::size_t *size, void *pointer);
Status PointerGetAttribute(void *data, int attribute, void *pointer);
Status PointerSetAttribute(const void *value, int attribute, void *pointer);
Status MemBatchDecompressAsync(c::CUmemDecompressParams *list, std::size_t count, unsigned flags,
                               std::size_t *bad, StreamTag *stream);
Status PointerGetAttributes(unsigned number, int *attributes, void **data, void *pointer);

// Virtual memory
Status MemAddressReserve(void **pointer, std::size_t size, std::size_t alignment, void *hint,
                         unsigned long long flags);
Status MemAddressFree(void *pointer, std::size_t size);
Status MemCreate(PhysicalNumber *handle, std::size_t size, const PhysicalProperties *properties,
                 unsigned long long flags);
Status MemRelease(PhysicalNumber handle);
Status MemRetainAllocationHandle(PhysicalNumber *handle, void *address);
Status MemMap(void *pointer, std::size_t size, std::size_t offset, PhysicalNumber handle,
              unsigned long long flags);
Status MemUnmap(void *pointer, std::size_t size);
Status MemSetAccess(void *pointer, std::size_t size, const Access *list, std::size_t count);
Status MemGetAccess(unsigned long long *flags, const Location *location, void *address);
Status MemGetAllocationGranularity(std::size_t *granularity, const PhysicalProperties *properties,
                                   int option);
Status MemGetAllocationPropertiesFromHandle(PhysicalProperties *properties, PhysicalNumber handle);
Status MemExportToShareableHandle(void *shareable, PhysicalNumber handle, int type, unsigned long long flags);
Status MemImportFromShareableHandle(PhysicalNumber *handle, void *shareable, int type);

// What copies and sets forward to: with host memory, on the null stream; or on a stream.
Status copy_now(void *to, const void *from, std::size_t count, int kind);
Status set_now(void *to, std::size_t pitch, unsigned value, unsigned element, std::size_t width,
               std::size_t height);
Status set_on(StreamTag *stream, void *to, std::size_t pitch, unsigned value, unsigned element,
              std::size_t width, std::size_t height);

// Copies
Status MemcpyPeer(void *to, c::CUcontext to_context, const void *from, c::CUcontext from_context,
                  std::size_t count);
Status MemcpyPeerAsync(void *to, c::CUcontext to_context, const void *from, c::CUcontext from_context,
                       std::size_t count, StreamTag *stream);
Status Memcpy2D(const c::CUDA_MEMCPY2D *parameters);
Status Memcpy2DAsync(const c::CUDA_MEMCPY2D *parameters, StreamTag *stream);
Status Memcpy3D(const c::CUDA_MEMCPY3D *parameters);
Status Memcpy3DAsync(const c::CUDA_MEMCPY3D *parameters, StreamTag *stream);
Status Memcpy3DPeer(const c::CUDA_MEMCPY3D_PEER *parameters);
Status Memcpy3DPeerAsync(const c::CUDA_MEMCPY3D_PEER *parameters, StreamTag *stream);

// Arrays, textures and surfaces
Status ArrayCreate(ArrayTag **array, const c::CUDA_ARRAY_DESCRIPTOR *wanted);
Status Array3DCreate(ArrayTag **array, const c::CUDA_ARRAY3D_DESCRIPTOR *wanted);
Status ArrayDestroy(ArrayTag *array);
Status MipmappedArrayCreate(MipmapTag **mipmap, const c::CUDA_ARRAY3D_DESCRIPTOR *wanted, unsigned levels);
Status MipmappedArrayDestroy(MipmapTag *mipmap);
Status ModuleGetTexRef(c::CUtexref *reference, ModuleTag *module, const char *name);
Status TexRefCreate(c::CUtexref *reference);
Status TexRefDestroy(c::CUtexref reference);
Status TexRefSetArray(c::CUtexref reference, ArrayTag *array, unsigned flags);
Status TexRefSetAddress(std::size_t *offset, c::CUtexref reference, void *address, std::size_t bytes);
Status TexRefSetAddress2D(c::CUtexref reference, const c::CUDA_ARRAY_DESCRIPTOR *wanted, void *address,
                          std::size_t pitch);
Status TexRefSetFormat(c::CUtexref reference, int format, int count);
Status TexRefSetAddressMode(c::CUtexref reference, int dimension, int mode);
Status TexRefSetFilterMode(c::CUtexref reference, int mode);
Status TexRefSetFlags(c::CUtexref reference, unsigned flags);
Status TexRefSetBorderColor(c::CUtexref reference, float *colour);
Status TexRefGetAddress(void **address, c::CUtexref reference);
Status TexRefGetArray(ArrayTag **array, c::CUtexref reference);
Status TexRefGetFormat(int *format, int *count, c::CUtexref reference);
Status TexRefGetAddressMode(int *mode, c::CUtexref reference, int dimension);
Status TexRefGetFilterMode(int *mode, c::CUtexref reference);
Status TexRefGetFlags(unsigned *flags, c::CUtexref reference);
Status TexRefGetBorderColor(float *colour, c::CUtexref reference);

// Green contexts
inline Status GreenCtxCreate(ContextTag **context, DescriptionTag *description, int device, unsigned flags) {
    constexpr unsigned default_stream = 1;
    return flags & ~default_stream ? Status::invalid_value : make_green_context(context, description, device);
}
inline Status GreenCtxDestroy(ContextTag *context) { return destroy_green_context(context); }
Status CtxFromGreenCtx(c::CUcontext *context, ContextTag *green);
Status CtxGetDevResource(c::CUcontext context, DevResource *resource, int type);
Status CtxRecordEvent(c::CUcontext context, EventTag *event);
Status CtxWaitEvent(c::CUcontext context, EventTag *event);
Status CtxSetFlags(unsigned flags);
Status CtxAttach(c::CUcontext *context, unsigned flags);
Status CtxDetach(c::CUcontext context);
Status CtxGetExecAffinity(c::CUexecAffinityParam *parameter, int type);
Status DeviceGetExecAffinitySupport(int *supported, int type, int device);

Status TexRefSetMipmappedArray(c::CUtexref reference, MipmapTag *mipmap, unsigned flags);
Status TexRefSetMipmapFilterMode(c::CUtexref reference, int mode);
Status TexRefSetMipmapLevelBias(c::CUtexref reference, float bias);
Status TexRefSetMipmapLevelClamp(c::CUtexref reference, float least, float most);
Status TexRefSetMaxAnisotropy(c::CUtexref reference, unsigned most);
Status TexRefGetMipmappedArray(MipmapTag **mipmap, c::CUtexref reference);
Status TexRefGetMipmapFilterMode(int *mode, c::CUtexref reference);
Status TexRefGetMipmapLevelBias(float *bias, c::CUtexref reference);
Status TexRefGetMipmapLevelClamp(float *least, float *most, c::CUtexref reference);
Status TexRefGetMaxAnisotropy(int *most, c::CUtexref reference);

// Streams and events
Status StreamGetCtx(StreamTag *stream, c::CUcontext *context);
Status StreamGetCtx_v2(StreamTag *stream, c::CUcontext *context, ContextTag **green);
Status StreamGetGreenCtx(StreamTag *stream, ContextTag **green);

// Captures and graphs
Status GraphInstantiateWithParams(ExecutableTag **executable, GraphTag *graph,
                                  c::CUDA_GRAPH_INSTANTIATE_PARAMS *parameters);
Status GraphExecUpdate(ExecutableTag *executable, GraphTag *graph, c::CUgraphExecUpdateResultInfo *result);
Status GraphKernelNodeSetParams(NodeTag *node, const c::CUDA_KERNEL_NODE_PARAMS *kernel);
Status GraphExecKernelNodeSetParams(ExecutableTag *executable, NodeTag *node,
                                    const c::CUDA_KERNEL_NODE_PARAMS *kernel);
Status GraphMemcpyNodeSetParams(NodeTag *node, const c::CUDA_MEMCPY3D *copy);
Status GraphExecMemcpyNodeSetParams(ExecutableTag *executable, NodeTag *node, const c::CUDA_MEMCPY3D *copy,
                                    c::CUcontext context);
Status GraphExecMemsetNodeSetParams(ExecutableTag *executable, NodeTag *node, const MemsetNode *set,
                                    c::CUcontext context);
Status GraphAddKernelNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                          const c::CUDA_KERNEL_NODE_PARAMS *kernel);
Status GraphAddMemcpyNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                          const c::CUDA_MEMCPY3D *copy, c::CUcontext context);
Status GraphAddMemsetNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                          const MemsetNode *set, c::CUcontext context);
Status GraphAddBatchMemOpNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                              const BatchNode *batch);
Status GraphBatchMemOpNodeSetParams(NodeTag *node, const BatchNode *batch);
Status GraphExecBatchMemOpNodeSetParams(ExecutableTag *executable, NodeTag *node, const BatchNode *batch);

Status GraphConditionalHandleCreate(c::cuuint64_t *handle, GraphTag *graph, c::CUcontext context,
                                    unsigned first, unsigned flags);
Status GraphAddNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, const GraphEdge *edges,
                    std::size_t count, c::CUgraphNodeParams *parameters);
Status GraphNodeSetParams(NodeTag *node, c::CUgraphNodeParams *parameters);
Status GraphNodeGetParams(NodeTag *node, c::CUgraphNodeParams *parameters);
Status GraphKernelNodeGetParams(NodeTag *node, c::CUDA_KERNEL_NODE_PARAMS *kernel);
Status GraphMemcpyNodeGetParams(NodeTag *node, c::CUDA_MEMCPY3D *copy);
Status GraphExecNodeSetParams(ExecutableTag *executable, NodeTag *node, c::CUgraphNodeParams *parameters);

// Modules, libraries and kernels
Status ModuleGetLoadingMode(int *mode);
Status KernelGetFunction(FunctionTag **function, FunctionTag *kernel);
Status KernelGetLibrary(LibraryTag **library, FunctionTag *kernel);
Status KernelGetAttribute(int *value, int attribute, FunctionTag *kernel, int device);
Status KernelSetAttribute(int attribute, int value, FunctionTag *kernel, int device);
Status OccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *count, FunctionTag *function, int threads,
                                                          std::size_t dynamic, unsigned flags);
Status OccupancyMaxPotentialBlockSizeWithFlags(int *blocks, int *threads, FunctionTag *function,
                                               std::size_t (*dynamic_of)(int), std::size_t dynamic, int limit,
                                               unsigned flags);
Status OccupancyAvailableDynamicSMemPerBlock(std::size_t *size, FunctionTag *function, int blocks,
                                             int threads);
Status FuncIsLoaded(int *state, FunctionTag *function);
Status FuncLoad(FunctionTag *function);
Status FuncSetCacheConfig(FunctionTag *function, int config);
Status KernelSetCacheConfig(FunctionTag *kernel, int config, int device);
Status LaunchKernel(FunctionTag *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                    unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, StreamTag *stream,
                    void **arguments, void **extra);
Status LaunchCooperativeKernel(FunctionTag *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                               unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                               StreamTag *stream, void **arguments);
Status FuncSetSharedMemConfig(FunctionTag *function, int config);
Status OccupancyMaxActiveClusters(int *count, FunctionTag *function, const c::CUlaunchConfig *config);
Status OccupancyMaxPotentialClusterSize(int *size, FunctionTag *function, const c::CUlaunchConfig *config);
Status FuncSetBlockShape(FunctionTag *function, int x, int y, int z);
Status FuncSetSharedSize(FunctionTag *function, unsigned bytes);
Status ParamSetSize(FunctionTag *function, unsigned bytes);
Status ParamSeti(FunctionTag *function, int offset, unsigned value);
Status ParamSetf(FunctionTag *function, int offset, float value);
Status ParamSetv(FunctionTag *function, int offset, void *value, unsigned bytes);
Status ParamSetTexRef(FunctionTag *function, int unit, c::CUtexref reference);
Status LaunchGridAsync(FunctionTag *function, int width, int height, StreamTag *stream);
Status LaunchCooperativeKernelMultiDevice(c::CUDA_LAUNCH_PARAMS *list, unsigned count, unsigned flags);
Status LaunchKernelEx(const c::CUlaunchConfig *config, FunctionTag *function, void **arguments, void **extra);

// Coredumps
Status CoredumpGetAttribute(int setting, void *value, std::size_t *size);
Status CoredumpSetAttribute(int setting, void *value, std::size_t *size);
// Functions that are called when a coredump starts or is complete: never.
Status add_coredump_callback(bool callable, c::CUcoredumpCallbackHandle *handle);
inline Status CoredumpRegisterStartCallback(c::CUcoredumpStatusCallback callback, void *,
                                            c::CUcoredumpCallbackHandle *handle) {
    return add_coredump_callback(callback != nullptr, handle);
}
inline Status CoredumpRegisterCompleteCallback(c::CUcoredumpStatusCallback callback, void *,
                                               c::CUcoredumpCallbackHandle *handle) {
    return add_coredump_callback(callback != nullptr, handle);
}
Status remove_coredump_callback(c::CUcoredumpCallbackHandle handle);

// The context of a handle; the current one for a null handle. Null for anything else.
std::shared_ptr<Context> context_of(c::CUcontext handle);

// Tensor maps
Status TensorMapEncodeTiled(c::CUtensorMap *to, int type, unsigned rank, void *address,
                            const unsigned long long *sizes, const unsigned long long *strides,
                            const unsigned *box, const unsigned *steps, int interleave, int swizzle,
                            int promotion, int fill);
Status TensorMapEncodeIm2col(c::CUtensorMap *to, int type, unsigned rank, void *address,
                             const unsigned long long *sizes, const unsigned long long *strides,
                             const int *lower, const int *upper, unsigned channels, unsigned pixels,
                             const unsigned *steps, int interleave, int swizzle, int promotion, int fill);
Status TensorMapReplaceAddress(c::CUtensorMap *to, void *address);

// Fabric
Status MulticastCreate(PhysicalNumber *handle, const c::CUmulticastObjectProp *wanted);
Status MulticastGetGranularity(std::size_t *granularity, const c::CUmulticastObjectProp *wanted, int option);
Status MulticastAddDevice(PhysicalNumber, int device);
Status MulticastBindMem(PhysicalNumber, std::size_t, PhysicalNumber, std::size_t, std::size_t,
                        unsigned long long);
Status MulticastBindMem_v2(PhysicalNumber, int device, std::size_t, PhysicalNumber, std::size_t, std::size_t,
                           unsigned long long);
Status MulticastBindAddr(PhysicalNumber, std::size_t, void *, std::size_t, unsigned long long);
Status MulticastBindAddr_v2(PhysicalNumber, int device, std::size_t, void *, std::size_t, unsigned long long);
Status MulticastUnbind(PhysicalNumber, int device, std::size_t, std::size_t);
Status LogicalEndpointIdReserve(unsigned *base, unsigned count);
Status LogicalEndpointGetLimits(unsigned long long *alignment, unsigned long long *most,
                                const c::CUlogicalEndpointProp *wanted);
Status LogicalEndpointIdRelease(unsigned, unsigned);
Status LogicalEndpointDestroy(unsigned);
Status LogicalEndpointQuery(unsigned, unsigned, int *);
Status LogicalEndpointExport(void *, unsigned, int);
Status LogicalEndpointImport(unsigned, const void *, int);
Status LogicalEndpointAddDevice(unsigned, int device);
Status LogicalEndpointCreate(unsigned, const c::CUlogicalEndpointProp *wanted);
Status LogicalEndpointBindAddr(unsigned, int device, unsigned long long, void *, unsigned long long,
                               unsigned long long);
Status LogicalEndpointBindMem(unsigned, int device, unsigned long long, PhysicalNumber, unsigned long long,
                              unsigned long long, unsigned long long);
Status LogicalEndpointUnbind(unsigned, int device, unsigned long long, unsigned long long);
Status FabricCpyBatchAsync(std::size_t count, c::CUDA_FABRIC_COPY_BATCH_OP *copies, unsigned long long flags,
                           StreamTag *stream);
Status DeviceGetCliqueCount(std::size_t *count, int device);
Status DeviceGetCliqueInfo(c::CUcliqueInfo *cliques, std::size_t *count, int device);
Status DeviceGetFabricClusterUuid(c::CUuuid *id, int device);

// Checkpoints
Status CheckpointProcessGetState(int process, int *state);
Status CheckpointProcessGetRestoreThreadId(int process, int *thread);
Status CheckpointProcessLock(int process, c::CUcheckpointLockArgs *);
Status CheckpointProcessUnlock(int process, c::CUcheckpointUnlockArgs *);
Status CheckpointProcessCheckpoint(int process, c::CUcheckpointCheckpointArgs *);
Status CheckpointProcessRestore(int process, c::CUcheckpointRestoreArgs *);
Status CheckpointOperationComplete(c::CUcheckpointOperationHandle);

} // namespace pygpu::host::cu
