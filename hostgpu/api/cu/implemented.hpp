// The functions that have a form of their own in the driver API. All others are host::api's, under the same
// names.
#pragma once

#include "api/api.hpp"
#include "api/cu/entry_points.hpp"
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
Status GetExportTable(const void **table, const c::CUuuid *id);

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
Status PointerGetAttributes(unsigned number, int *attributes, void **data, void *pointer);

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

// Streams and events
Status StreamGetCtx(StreamTag *stream, c::CUcontext *context);

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

Status GraphConditionalHandleCreate(c::cuuint64_t *handle, GraphTag *graph, c::CUcontext context,
                                    unsigned first, unsigned flags);
Status GraphAddNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, const GraphEdge *edges,
                    std::size_t count, c::CUgraphNodeParams *parameters);
Status GraphNodeSetParams(NodeTag *node, c::CUgraphNodeParams *parameters);
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
Status LaunchKernelEx(const c::CUlaunchConfig *config, FunctionTag *function, void **arguments, void **extra);

// The context of a handle; the current one for a null handle. Null for anything else.
std::shared_ptr<Context> context_of(c::CUcontext handle);

// Linking
Status LinkCreate(unsigned number, int *options, void **values, LinkTag **link);
Status LinkAddData(LinkTag *link, int kind, void *data, std::size_t size, const char *name, unsigned number,
                   int *options, void **values);
Status LinkAddFile(LinkTag *link, int kind, const char *path, unsigned number, int *options, void **values);
Status LinkComplete(LinkTag *link, void **image, std::size_t *size);
Status LinkDestroy(LinkTag *link);

// Clusters
Status OccupancyMaxActiveClusters(int *count, FunctionTag *function, const c::CUlaunchConfig *config);
Status OccupancyMaxPotentialClusterSize(int *size, FunctionTag *function, const c::CUlaunchConfig *config);

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

} // namespace pygpu::host::cu
