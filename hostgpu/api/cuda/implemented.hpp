// The functions that only CUDA has, or that have a form of their own there. All others are host::api's.
#pragma once

#include "api/api.hpp"
#include "api/graphs.hpp"
#include "api/modules.hpp"
#include "cuda_runtime/types.hpp"

namespace pygpu::host::cuda {

using namespace host::api;
namespace c = ::pygpu::cuda;

Status GetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags, int *query_result);
Status GetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                    unsigned long long flags, int *query_result);
Status InitDevice(int device, unsigned device_flags, unsigned flags);
Status ChooseDevice(int *device, const c::cudaDeviceProp *wanted);
Status GetDeviceProperties(c::cudaDeviceProp *properties, int device);
Status DeviceGetAttribute(int *value, int attribute, int device);

c::cudaChannelFormatDesc CreateChannelDesc(int x, int y, int z, int w, int kind);
Status PointerGetAttributes(c::cudaPointerAttributes *attributes, const void *pointer);
Status LaunchHostFunc_v2(StreamTag *stream, void (*function)(void *), void *data, unsigned how);
Status GraphInstantiateWithParams(ExecutableTag **executable, GraphTag *graph,
                                  c::cudaGraphInstantiateParams *parameters);
Status GraphExecUpdate(ExecutableTag *executable, GraphTag *graph, c::cudaGraphExecUpdateResultInfo *result);
Status GraphAddNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, const GraphEdge *edges,
                    std::size_t count, c::cudaGraphNodeParams *parameters);
Status GraphNodeSetParams(NodeTag *node, c::cudaGraphNodeParams *parameters);
Status GraphExecNodeSetParams(ExecutableTag *executable, NodeTag *node, c::cudaGraphNodeParams *parameters);

Status Memcpy3DPeer(const c::cudaMemcpy3DPeerParms *copy);
Status Memcpy3DPeerAsync(const c::cudaMemcpy3DPeerParms *copy, StreamTag *stream);
Status MemcpyBatchAsync(void *const *to, const void *const *from, const std::size_t *sizes, std::size_t count,
                        c::cudaMemcpyAttributes *attributes, std::size_t *indices, std::size_t number,
                        StreamTag *stream);
Status Memcpy3DBatchAsync(std::size_t count, c::cudaMemcpy3DBatchOp *operations, unsigned long long flags,
                          StreamTag *stream);
Status MemcpyWithAttributesAsync(void *to, const void *from, std::size_t count,
                                 c::cudaMemcpyAttributes *attributes, StreamTag *stream);
Status MemPrefetchBatchAsync(void **pieces, std::size_t *sizes, std::size_t count, Location *locations,
                             std::size_t *indices, std::size_t number, unsigned long long flags,
                             StreamTag *stream);
Status MemDiscardBatchAsync(void **pieces, std::size_t *sizes, std::size_t count, unsigned long long flags,
                            StreamTag *stream);
Status MemDiscardAndPrefetchBatchAsync(void **pieces, std::size_t *sizes, std::size_t count,
                                       Location *locations, std::size_t *indices, std::size_t number,
                                       unsigned long long flags, StreamTag *stream);
Status MemcpyToArrayAsync(ArrayTag *to, std::size_t x, std::size_t y, const void *from, std::size_t count,
                          int kind, StreamTag *stream);
Status MemcpyFromArrayAsync(void *to, const ArrayTag *from, std::size_t x, std::size_t y, std::size_t count,
                            int kind, StreamTag *stream);
Status MemcpyArrayToArray(ArrayTag *to, std::size_t to_x, std::size_t to_y, const ArrayTag *from,
                          std::size_t from_x, std::size_t from_y, std::size_t count, int kind);

Status FuncGetParamInfo(const void *function, std::size_t index, std::size_t *offset, std::size_t *size);
Status FuncGetParamCount(const void *function, std::size_t *count);
Status FuncGetAttributes(c::cudaFuncAttributes *attributes, const void *function);
Status FuncSetAttribute(const void *function, int attribute, int value);
Status KernelSetAttributeForDevice(FunctionTag *kernel, int attribute, int value, int device);
Status FuncSetCacheConfig(const void *function, int config);
Status OccupancyMaxActiveClusters(int *count, const void *function, const c::cudaLaunchConfig_t *config);
Status OccupancyMaxPotentialClusterSize(int *size, const void *function, const c::cudaLaunchConfig_t *config);
Status OccupancyAvailableDynamicSMemPerBlock(std::size_t *size, const void *function, int blocks,
                                             int threads);
Status MemcpyToSymbol(const void *symbol, const void *from, std::size_t count, std::size_t offset, int kind);
Status MemcpyToSymbolAsync(const void *symbol, const void *from, std::size_t count, std::size_t offset,
                           int kind, StreamTag *stream);
Status MemcpyFromSymbol(void *to, const void *symbol, std::size_t count, std::size_t offset, int kind);
Status MemcpyFromSymbolAsync(void *to, const void *symbol, std::size_t count, std::size_t offset, int kind,
                             StreamTag *stream);
Status GetSymbolAddress(void **pointer, const void *symbol);
Status GetSymbolSize(std::size_t *size, const void *symbol);
Status LaunchKernelExC(const c::cudaLaunchConfig_t *config, const void *function, void **arguments);

Status CreateSurfaceObject(c::cudaSurfaceObject_t *object, const c::cudaResourceDesc *resource);
Status CreateTextureObject(c::cudaTextureObject_t *object, const c::cudaResourceDesc *resource,
                           const c::cudaTextureDesc *sampler, const c::cudaResourceViewDesc *view);

Status RuntimeGetVersion(int *version);
Status DriverGetVersion(int *version);
Status GetLastError();
Status PeekAtLastError();
const char *GetErrorName(int code);
const char *GetErrorString(int code);

} // namespace pygpu::host::cuda
