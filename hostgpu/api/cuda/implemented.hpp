// The functions that only CUDA has, or that have a form of their own there. All others are host::api's.
#pragma once

#include "api/api.hpp"
#include "api/batches.hpp"
#include "api/contexts.hpp"
#include "api/graphs.hpp"
#include "api/logs.hpp"
#include "api/modules.hpp"
#include "api/notifications.hpp"
#include "api/peer_copies.hpp"
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
Status GraphInstantiateWithParams(ExecutableTag **executable, GraphTag *graph,
                                  c::cudaGraphInstantiateParams *parameters);
Status GraphExecUpdate(ExecutableTag *executable, GraphTag *graph, c::cudaGraphExecUpdateResultInfo *result);
Status GraphAddNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, const GraphEdge *edges,
                    std::size_t count, c::cudaGraphNodeParams *parameters);
Status GraphNodeSetParams(NodeTag *node, c::cudaGraphNodeParams *parameters);
Status GraphNodeGetParams(NodeTag *node, c::cudaGraphNodeParams *parameters);
Status GraphExecNodeSetParams(ExecutableTag *executable, NodeTag *node, c::cudaGraphNodeParams *parameters);

Status MemcpyToArrayAsync(ArrayTag *to, std::size_t x, std::size_t y, const void *from, std::size_t count,
                          int kind, StreamTag *stream);
Status MemcpyFromArrayAsync(void *to, const ArrayTag *from, std::size_t x, std::size_t y, std::size_t count,
                            int kind, StreamTag *stream);
Status MemcpyArrayToArray(ArrayTag *to, std::size_t to_x, std::size_t to_y, const ArrayTag *from,
                          std::size_t from_x, std::size_t from_y, std::size_t count, int kind);

// Green contexts
inline Status GreenCtxCreate(ContextTag **context, DescriptionTag *description, int device, unsigned flags) {
    return flags ? Status::invalid_value : make_green_context(context, description, device);
}
Status DeviceGetExecutionCtx(ContextTag **context, int device);

Status GetKernel(FunctionTag **kernel, const void *function);
Status FuncGetName(const char **name, const void *function);
Status OccupancyMaxActiveClusters(int *count, const void *function, const c::cudaLaunchConfig_t *config);
Status OccupancyMaxPotentialClusterSize(int *size, const void *function, const c::cudaLaunchConfig_t *config);
Status FuncGetParamInfo(const void *function, std::size_t index, std::size_t *offset, std::size_t *size);
Status FuncGetParamCount(const void *function, std::size_t *count);
Status FuncGetAttributes(c::cudaFuncAttributes *attributes, const void *function);
Status KernelSetAttributeForDevice(FunctionTag *kernel, int attribute, int value, int device);
Status OccupancyAvailableDynamicSMemPerBlock(std::size_t *size, const void *function, int blocks,
                                             int threads);
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
