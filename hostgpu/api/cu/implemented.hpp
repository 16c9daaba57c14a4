// The functions that have a form of their own in the driver API. All others are host::api's, under the same
// names.
#pragma once

#include "api/api.hpp"
#include "api/graphs.hpp"
#include "api/modules.hpp"
#include "base/context.hpp"
#include "cuda_driver/types.hpp"

namespace pygpu::host::cu {

using namespace host::api;
namespace c = ::pygpu::cu;

inline void *at(c::CUdeviceptr address) { return reinterpret_cast<void *>(address); }

// Init and errors
Status Init(unsigned flags);
Status DriverGetVersion(int *version);
Status GetErrorName(int code, const char **name);
Status GetErrorString(int code, const char **text);
Status GetProcAddress(const char *symbol, void **function, int version, unsigned long long flags, int *found);

// Devices
Status DeviceGet(int *device, int ordinal);
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
Status CtxGetDevice(int *device);
Status CtxGetDevice_v2(int *device, c::CUcontext context);
Status CtxGetFlags(unsigned *flags);
Status CtxGetId(c::CUcontext context, unsigned long long *id);
Status CtxGetApiVersion(c::CUcontext context, unsigned *version);
Status CtxSynchronize();
Status ProfilerStart();
Status ProfilerStop();
Status CtxSynchronize_v2(c::CUcontext context);
Status CtxGetLimit(std::size_t *value, int limit);
Status CtxSetLimit(int limit, std::size_t value);
Status CtxGetCacheConfig(int *config);
Status CtxSetCacheConfig(int config);
Status CtxGetSharedMemConfig(int *config);
Status CtxSetSharedMemConfig(int config);
Status CtxGetStreamPriorityRange(int *least, int *greatest);
Status CtxResetPersistingL2Cache();
Status CtxEnablePeerAccess(c::CUcontext peer, unsigned flags);
Status CtxDisablePeerAccess(c::CUcontext peer);

// Memory
Status MemAlloc(c::CUdeviceptr *pointer, std::size_t size);
Status MemFree(c::CUdeviceptr pointer);
Status MemAllocPitch(c::CUdeviceptr *pointer, std::size_t *pitch, std::size_t width, std::size_t height,
                     unsigned element);
Status MemAllocManaged(c::CUdeviceptr *pointer, std::size_t size, unsigned flags);
Status MemAllocHost(void **pointer, std::size_t size);
Status MemHostAlloc(void **pointer, std::size_t size, unsigned flags);
Status MemFreeHost(void *pointer);
Status MemHostGetDevicePointer(c::CUdeviceptr *device_pointer, void *pointer, unsigned flags);
Status MemHostGetFlags(unsigned *flags, void *pointer);
Status MemHostRegister(void *pointer, std::size_t size, unsigned flags);
Status MemHostUnregister(void *pointer);
Status IpcGetMemHandle(IpcHandle *handle, c::CUdeviceptr pointer);
Status IpcOpenMemHandle(c::CUdeviceptr *pointer, IpcHandle handle, unsigned flags);
Status IpcCloseMemHandle(c::CUdeviceptr pointer);
Status MemGetAddressRange(c::CUdeviceptr *base, std::size_t *size, c::CUdeviceptr pointer);
Status PointerGetAttribute(void *data, int attribute, c::CUdeviceptr pointer);
Status PointerGetAttributes(unsigned number, int *attributes, void **data, c::CUdeviceptr pointer);
Status MemAllocAsync(c::CUdeviceptr *pointer, std::size_t size, StreamTag *stream);
Status MemAllocFromPoolAsync(c::CUdeviceptr *pointer, std::size_t size, PoolTag *pool, StreamTag *stream);
Status MemFreeAsync(c::CUdeviceptr pointer, StreamTag *stream);
Status MemAdvise(c::CUdeviceptr pointer, std::size_t count, int advice, Location location);
Status MemPrefetchAsync(c::CUdeviceptr pointer, std::size_t count, Location location, unsigned flags,
                        StreamTag *stream);
Status MemRangeGetAttribute(void *data, std::size_t size, int attribute, c::CUdeviceptr pointer,
                            std::size_t count);
Status MemRangeGetAttributes(void **data, std::size_t *sizes, int *attributes, std::size_t number,
                             c::CUdeviceptr pointer, std::size_t count);
Status MemGetDefaultMemPool(PoolTag **pool, Location *location, int type);
Status MemGetMemPool(PoolTag **pool, Location *location, int type);
Status MemSetMemPool(Location *location, int type, PoolTag *pool);
Status MemsetD8(c::CUdeviceptr to, unsigned char value, std::size_t count);
Status MemsetD16(c::CUdeviceptr to, unsigned short value, std::size_t count);
Status MemsetD32(c::CUdeviceptr to, unsigned value, std::size_t count);
Status MemsetD8Async(c::CUdeviceptr to, unsigned char value, std::size_t count, StreamTag *stream);
Status MemsetD16Async(c::CUdeviceptr to, unsigned short value, std::size_t count, StreamTag *stream);
Status MemsetD32Async(c::CUdeviceptr to, unsigned value, std::size_t count, StreamTag *stream);
Status MemsetD2D8(c::CUdeviceptr to, std::size_t pitch, unsigned char value, std::size_t width,
                  std::size_t height);
Status MemsetD2D16(c::CUdeviceptr to, std::size_t pitch, unsigned short value, std::size_t width,
                   std::size_t height);
Status MemsetD2D32(c::CUdeviceptr to, std::size_t pitch, unsigned value, std::size_t width,
                   std::size_t height);
Status MemsetD2D8Async(c::CUdeviceptr to, std::size_t pitch, unsigned char value, std::size_t width,
                       std::size_t height, StreamTag *stream);
Status MemsetD2D16Async(c::CUdeviceptr to, std::size_t pitch, unsigned short value, std::size_t width,
                        std::size_t height, StreamTag *stream);
Status MemsetD2D32Async(c::CUdeviceptr to, std::size_t pitch, unsigned value, std::size_t width,
                        std::size_t height, StreamTag *stream);

// Copies
Status Memcpy(c::CUdeviceptr to, c::CUdeviceptr from, std::size_t count);
Status MemcpyAsync(c::CUdeviceptr to, c::CUdeviceptr from, std::size_t count, StreamTag *stream);
Status MemcpyHtoD(c::CUdeviceptr to, const void *from, std::size_t count);
Status MemcpyDtoH(void *to, c::CUdeviceptr from, std::size_t count);
Status MemcpyDtoD(c::CUdeviceptr to, c::CUdeviceptr from, std::size_t count);
Status MemcpyHtoDAsync(c::CUdeviceptr to, const void *from, std::size_t count, StreamTag *stream);
Status MemcpyDtoHAsync(void *to, c::CUdeviceptr from, std::size_t count, StreamTag *stream);
Status MemcpyDtoDAsync(c::CUdeviceptr to, c::CUdeviceptr from, std::size_t count, StreamTag *stream);
Status MemcpyPeer(c::CUdeviceptr to, c::CUcontext to_context, c::CUdeviceptr from, c::CUcontext from_context,
                  std::size_t count);
Status MemcpyPeerAsync(c::CUdeviceptr to, c::CUcontext to_context, c::CUdeviceptr from,
                       c::CUcontext from_context, std::size_t count, StreamTag *stream);
Status Memcpy2D(const c::CUDA_MEMCPY2D *given);
Status Memcpy2DUnaligned(const c::CUDA_MEMCPY2D *given);
Status Memcpy2DAsync(const c::CUDA_MEMCPY2D *given, StreamTag *stream);
Status Memcpy3D(const c::CUDA_MEMCPY3D *given);
Status Memcpy3DAsync(const c::CUDA_MEMCPY3D *given, StreamTag *stream);
Status Memcpy3DPeer(const c::CUDA_MEMCPY3D_PEER *given);
Status Memcpy3DPeerAsync(const c::CUDA_MEMCPY3D_PEER *given, StreamTag *stream);
Status MemcpyAtoD(c::CUdeviceptr to, ArrayTag *from, std::size_t offset, std::size_t count);
Status MemcpyDtoA(ArrayTag *to, std::size_t offset, c::CUdeviceptr from, std::size_t count);

// Arrays, textures and surfaces
Status ArrayCreate(ArrayTag **array, const c::CUDA_ARRAY_DESCRIPTOR *wanted);
Status Array3DCreate(ArrayTag **array, const c::CUDA_ARRAY3D_DESCRIPTOR *wanted);
Status ArrayDestroy(ArrayTag *array);
Status ArrayGetDescriptor(c::CUDA_ARRAY_DESCRIPTOR *descriptor, ArrayTag *array);
Status Array3DGetDescriptor(c::CUDA_ARRAY3D_DESCRIPTOR *descriptor, ArrayTag *array);
Status MipmappedArrayCreate(MipmapTag **mipmap, const c::CUDA_ARRAY3D_DESCRIPTOR *wanted, unsigned levels);
Status MipmappedArrayDestroy(MipmapTag *mipmap);
Status MipmappedArrayGetLevel(ArrayTag **array, MipmapTag *mipmap, unsigned level);
Status TexObjectCreate(c::CUtexObject *object, const c::CUDA_RESOURCE_DESC *resource,
                       const c::CUDA_TEXTURE_DESC *sampler, const c::CUDA_RESOURCE_VIEW_DESC *view);
Status TexObjectDestroy(c::CUtexObject object);
Status TexObjectGetResourceDesc(c::CUDA_RESOURCE_DESC *resource, c::CUtexObject object);
Status TexObjectGetTextureDesc(c::CUDA_TEXTURE_DESC *sampler, c::CUtexObject object);
Status TexObjectGetResourceViewDesc(c::CUDA_RESOURCE_VIEW_DESC *view, c::CUtexObject object);
Status SurfObjectCreate(c::CUsurfObject *object, const c::CUDA_RESOURCE_DESC *resource);
Status SurfObjectDestroy(c::CUsurfObject object);
Status SurfObjectGetResourceDesc(c::CUDA_RESOURCE_DESC *resource, c::CUsurfObject object);
Status ModuleGetTexRef(c::CUtexref *reference, ModuleTag *module, const char *name);
Status TexRefCreate(c::CUtexref *reference);
Status TexRefDestroy(c::CUtexref reference);
Status TexRefSetArray(c::CUtexref reference, ArrayTag *array, unsigned flags);
Status TexRefSetAddress(std::size_t *offset, c::CUtexref reference, c::CUdeviceptr address,
                        std::size_t bytes);
Status TexRefSetAddress2D(c::CUtexref reference, const c::CUDA_ARRAY_DESCRIPTOR *wanted,
                          c::CUdeviceptr address, std::size_t pitch);
Status TexRefSetFormat(c::CUtexref reference, int format, int count);
Status TexRefSetAddressMode(c::CUtexref reference, int dimension, int mode);
Status TexRefSetFilterMode(c::CUtexref reference, int mode);
Status TexRefSetFlags(c::CUtexref reference, unsigned flags);
Status TexRefSetBorderColor(c::CUtexref reference, float *colour);
Status TexRefGetAddress(c::CUdeviceptr *address, c::CUtexref reference);
Status TexRefGetArray(ArrayTag **array, c::CUtexref reference);
Status TexRefGetFormat(int *format, int *count, c::CUtexref reference);
Status TexRefGetAddressMode(int *mode, c::CUtexref reference, int dimension);
Status TexRefGetFilterMode(int *mode, c::CUtexref reference);
Status TexRefGetFlags(unsigned *flags, c::CUtexref reference);
Status TexRefGetBorderColor(float *colour, c::CUtexref reference);

// Streams and events
Status StreamCreate(StreamTag **stream, unsigned flags);
Status StreamGetCtx(StreamTag *stream, c::CUcontext *context);
Status StreamGetId(StreamTag *stream, unsigned long long *id);
Status StreamGetAttribute(StreamTag *stream, int attribute, c::CUlaunchAttributeValue_union *value);
Status StreamSetAttribute(StreamTag *stream, int attribute, const c::CUlaunchAttributeValue_union *value);
Status StreamCopyAttributes(StreamTag *to, StreamTag *from);
Status StreamAttachMemAsync(StreamTag *stream, c::CUdeviceptr pointer, std::size_t length, unsigned flags);
Status EventCreate(EventTag **event, unsigned flags);
Status EventRecordWithFlags(EventTag *event, StreamTag *stream, unsigned flags);

// Captures and graphs
Status StreamBeginCaptureToGraph(StreamTag *stream, GraphTag *graph, NodeTag *const *after,
                                 const c::CUgraphEdgeData *edges, std::size_t count, int mode);
Status StreamGetCaptureInfo(StreamTag *stream, int *status, c::cuuint64_t *id, GraphTag **graph,
                            NodeTag *const **nodes, const c::CUgraphEdgeData **edges, std::size_t *count);
Status StreamUpdateCaptureDependencies(StreamTag *stream, NodeTag **nodes, const c::CUgraphEdgeData *edges,
                                       std::size_t count, unsigned flags);
Status GraphInstantiate(ExecutableTag **executable, GraphTag *graph, unsigned long long flags);
Status GraphInstantiateWithParams(ExecutableTag **executable, GraphTag *graph,
                                  c::CUDA_GRAPH_INSTANTIATE_PARAMS *parameters);
Status GraphExecGetFlags(ExecutableTag *executable, c::cuuint64_t *flags);
Status GraphExecUpdate(ExecutableTag *executable, GraphTag *graph, c::CUgraphExecUpdateResultInfo *result);
Status GraphGetEdges(GraphTag *graph, NodeTag **from, NodeTag **to, c::CUgraphEdgeData *edges,
                     std::size_t *count);
Status GraphNodeGetDependencies(NodeTag *node, NodeTag **others, c::CUgraphEdgeData *edges,
                                std::size_t *count);
Status GraphNodeGetDependentNodes(NodeTag *node, NodeTag **others, c::CUgraphEdgeData *edges,
                                  std::size_t *count);
Status GraphAddDependencies(GraphTag *graph, NodeTag *const *from, NodeTag *const *to,
                            const c::CUgraphEdgeData *edges, std::size_t count);
Status GraphRemoveDependencies(GraphTag *graph, NodeTag *const *from, NodeTag *const *to,
                               const c::CUgraphEdgeData *edges, std::size_t count);
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

Status GraphConditionalHandleCreate(c::cuuint64_t *handle, GraphTag *graph, c::CUcontext context,
                                    unsigned first, unsigned flags);
Status GraphAddNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, const c::CUgraphEdgeData *edges,
                    std::size_t count, c::CUgraphNodeParams *given);
Status GraphAddNode_v3(NodeTag **node, GraphTag *graph, NodeTag *const *after,
                       const c::CUgraphEdgeData *edges, std::size_t count, c::CUgraphNodeParams *given);
Status GraphNodeSetParams(NodeTag *node, c::CUgraphNodeParams *given);
Status GraphNodeSetParams_v2(NodeTag *node, c::CUgraphNodeParams *given);
Status GraphExecNodeSetParams(ExecutableTag *executable, NodeTag *node, c::CUgraphNodeParams *given);

// Modules, libraries and kernels
Status ModuleLoadFatBinary(ModuleTag **module, const void *code);
Status ModuleGetGlobal(c::CUdeviceptr *pointer, std::size_t *size, ModuleTag *module, const char *name);
Status ModuleGetLoadingMode(int *mode);
Status LibraryGetGlobal(c::CUdeviceptr *pointer, std::size_t *size, LibraryTag *library, const char *name);
Status LibraryGetManaged(c::CUdeviceptr *pointer, std::size_t *size, LibraryTag *library, const char *name);
Status KernelGetFunction(FunctionTag **function, FunctionTag *kernel);
Status KernelGetName(const char **name, FunctionTag *kernel);
Status KernelGetLibrary(LibraryTag **library, FunctionTag *kernel);
Status KernelGetParamInfo(FunctionTag *kernel, std::size_t index, std::size_t *offset, std::size_t *size);
Status KernelGetParamCount(FunctionTag *kernel, std::size_t *count);
Status KernelGetAttribute(int *value, int attribute, FunctionTag *kernel, int device);
Status KernelSetAttribute(int attribute, int value, FunctionTag *kernel, int device);
Status OccupancyMaxActiveBlocksPerMultiprocessor(int *count, FunctionTag *function, int threads,
                                                 std::size_t dynamic);
Status OccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *count, FunctionTag *function, int threads,
                                                          std::size_t dynamic, unsigned flags);
Status OccupancyMaxPotentialBlockSize(int *blocks, int *threads, FunctionTag *function,
                                      std::size_t (*dynamic_of)(int), std::size_t dynamic, int limit);
Status OccupancyMaxPotentialBlockSizeWithFlags(int *blocks, int *threads, FunctionTag *function,
                                               std::size_t (*dynamic_of)(int), std::size_t dynamic, int limit,
                                               unsigned flags);
Status OccupancyAvailableDynamicSMemPerBlock(std::size_t *size, FunctionTag *function, int blocks,
                                             int threads);
Status FuncIsLoaded(int *state, FunctionTag *function);
Status FuncLoad(FunctionTag *function);
Status FuncSetCacheConfig(FunctionTag *function, int config);
Status LaunchKernel(FunctionTag *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                    unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, StreamTag *stream,
                    void **arguments, void **extra);
Status LaunchCooperativeKernel(FunctionTag *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                               unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                               StreamTag *stream, void **arguments);
Status LaunchKernelEx(const c::CUlaunchConfig *config, FunctionTag *function, void **arguments, void **extra);

// The context of a handle; the current one for a null handle. Null for anything else.
std::shared_ptr<Context> context_of(c::CUcontext handle);

} // namespace pygpu::host::cu
