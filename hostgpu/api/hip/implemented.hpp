// The functions that only HIP has, or that have a form of their own there. All others are host::api's.
#pragma once

#include "api/api.hpp"
#include "api/batches.hpp"
#include "api/graphs.hpp"
#include "api/memory_operations.hpp"
#include "api/modules.hpp"
#include "api/peer_copies.hpp"
#include "hip_runtime/types.hpp"

namespace pygpu::host::hip {

using namespace host::api;
namespace c = ::pygpu::hip;

// What AMD's devices want rows of images to be aligned to
// (HSA_EXT_AGENT_INFO_IMAGE_LINEAR_ROW_PITCH_ALIGNMENT).
constexpr int row_alignment = 256;

// What AMD's runtime has no code for.
template <class... Arguments> Status refused(const Arguments &...) { return Status::not_supported; }

const char *ApiName(unsigned number);
Status Init(unsigned flags);
Status DeviceGet(int *device, int ordinal);
Status DeviceGetName(char *name, int size, int device);
Status DeviceTotalMem(std::size_t *bytes, int device);
Status DeviceGetUuid(c::hipUUID *uuid, int device);
Status DeviceComputeCapability(int *major, int *minor, int device);
Status ChooseDevice(int *device, const c::hipDeviceProp_t *wanted);
Status GetDeviceProperties(c::hipDeviceProp_t *properties, int device);
Status DeviceGetAttribute(int *value, int attribute, int device);

Status GetDeviceFlags(unsigned *flags);
Status SetDeviceFlags(unsigned flags);
Status DeviceGetLimit(std::size_t *value, int limit);
Status DeviceSetLimit(int limit, std::size_t value);
Status DeviceGetCacheConfig(int *config);
Status DeviceSetCacheConfig(int config);
Status DeviceGetPCIBusId(char *text, int size, int device);
Status DeviceGetByPCIBusId(int *device, const char *text);
Status DeviceCanAccessPeer(int *can, int device, int peer);
Status DeviceEnablePeerAccess(int peer, unsigned flags);
Status DeviceDisablePeerAccess(int peer);
Status DeviceGetP2PAttribute(int *value, int attribute, int source, int destination);

Status StreamQuery(StreamTag *stream);
Status StreamSynchronize(StreamTag *stream);
Status StreamWaitEvent(StreamTag *stream, EventTag *event, unsigned flags);
Status StreamGetFlags(StreamTag *stream, unsigned *flags);
Status StreamGetPriority(StreamTag *stream, int *priority);
Status StreamGetDevice(StreamTag *stream, int *device);
Status StreamAttachMemAsync(StreamTag *stream, void *pointer, std::size_t length, unsigned flags);
Status LaunchHostFunc(StreamTag *stream, void (*function)(void *), void *data);
Status ThreadExchangeStreamCaptureMode(int *mode);
Status EventCreateWithFlags(EventTag **event, unsigned flags);
Status EventDestroy(EventTag *event);

Status MallocArray(ArrayTag **array, const Channels *channels, std::size_t width, std::size_t height,
                   unsigned flags);
Status Malloc3DArray(ArrayTag **array, const Channels *channels, Extent extent, unsigned flags);
Status GetChannelDesc(Channels *channels, const ArrayTag *array);
Status MallocMipmappedArray(MipmapTag **mipmap, const Channels *channels, Extent extent, unsigned levels,
                            unsigned flags);
Status FreeMipmappedArray(MipmapTag *mipmap);
Status GetMipmappedArrayLevel(ArrayTag **array, const MipmapTag *mipmap, unsigned level);
Status MipmappedArrayCreate(MipmapTag **mipmap, c::HIP_ARRAY3D_DESCRIPTOR *wanted, unsigned levels);

Status Free(void *pointer);
Status HostGetFlags(unsigned *flags, void *pointer);
Status HostGetDevicePointer(void **device_pointer, void *pointer, unsigned flags);
Status HostRegister(void *pointer, std::size_t size, unsigned flags);
Status MallocPitch(void **pointer, std::size_t *pitch, std::size_t width, std::size_t height);
Status Malloc3D(Pitched *pointer, Extent extent);
Status MallocAsync(void **pointer, std::size_t size, StreamTag *stream);
Status MallocFromPoolAsync(void **pointer, std::size_t size, PoolTag *pool, StreamTag *stream);
Status FreeAsync(void *pointer, StreamTag *stream);
Status DeviceSetMemPool(int device, PoolTag *pool);
Status MemPoolSetAccess(PoolTag *pool, const Access *list, std::size_t count);

// What flat copies and sets forward to: on the null stream, or on a stream.
Status copy_now(void *to, const void *from, std::size_t count, int kind);
Status copy_on(void *to, const void *from, std::size_t count, int kind, StreamTag *stream);
Status set_now(void *to, long long value, unsigned element, std::size_t count);
Status set_on(void *to, long long value, unsigned element, std::size_t count, StreamTag *stream);

Status MemcpyPeer(void *to, int to_device, const void *from, int from_device, std::size_t count);
Status MemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, std::size_t count,
                       StreamTag *stream);
Status Memcpy2D(void *to, std::size_t to_pitch, const void *from, std::size_t from_pitch, std::size_t width,
                std::size_t height, int kind);
Status Memcpy2DAsync(void *to, std::size_t to_pitch, const void *from, std::size_t from_pitch,
                     std::size_t width, std::size_t height, int kind, StreamTag *stream);
Status Memcpy2DToArray(ArrayTag *to, std::size_t x, std::size_t y, const void *from, std::size_t pitch,
                       std::size_t width, std::size_t height, int kind);
Status Memcpy2DToArrayAsync(ArrayTag *to, std::size_t x, std::size_t y, const void *from, std::size_t pitch,
                            std::size_t width, std::size_t height, int kind, StreamTag *stream);
Status Memcpy2DFromArray(void *to, std::size_t pitch, const ArrayTag *from, std::size_t x, std::size_t y,
                         std::size_t width, std::size_t height, int kind);
Status Memcpy2DFromArrayAsync(void *to, std::size_t pitch, const ArrayTag *from, std::size_t x, std::size_t y,
                              std::size_t width, std::size_t height, int kind, StreamTag *stream);
Status Memcpy2DArrayToArray(ArrayTag *to, std::size_t to_x, std::size_t to_y, const ArrayTag *from,
                            std::size_t from_x, std::size_t from_y, std::size_t width, std::size_t height,
                            int kind);
Status MemcpyToArray(ArrayTag *to, std::size_t x, std::size_t y, const void *from, std::size_t count,
                     int kind);
Status MemcpyFromArray(void *to, const ArrayTag *from, std::size_t x, std::size_t y, std::size_t count,
                       int kind);
Status Memcpy3D(const Copy3D *copy);
Status Memcpy3DAsync(const Copy3D *copy, StreamTag *stream);

c::hipChannelFormatDesc CreateChannelDesc(int x, int y, int z, int w, int kind);
Status PointerGetAttributes(c::hipPointerAttribute_t *attributes, const void *pointer);
Status PointerGetAttribute(void *data, int attribute, void *pointer);
Status DrvPointerGetAttributes(unsigned number, int *attributes, void **data, void *pointer);
Status MemGetAddressRange(void **base, std::size_t *size, void *pointer);
Status MemPtrGetInfo(void *pointer, std::size_t *size);
int GetStreamDeviceId(StreamTag *stream);

Status HostMalloc(void **pointer, std::size_t size, unsigned flags);
Status HostFree(void *pointer);
Status MemAllocPitch(void **pointer, std::size_t *pitch, std::size_t width, std::size_t height,
                     unsigned element);
Status ExtMallocWithFlags(void **pointer, std::size_t size, unsigned flags);

Status MemPrefetchAsync(const void *pointer, std::size_t count, int device, StreamTag *stream);
Status MemAdvise(const void *pointer, std::size_t count, int advice, int device);

Status ConfigureCall(Dim grid, Dim block, std::size_t shared, StreamTag *stream);
Status SetupArgument(const void *value, std::size_t size, std::size_t offset);
Status LaunchByPtr(const void *function);
Status FuncGetAttributes(c::hipFuncAttributes *attributes, const void *function);
Status LaunchKernelExC(const c::hipLaunchConfig_t *config, const void *function, void **arguments);
Status DrvLaunchKernelEx(const c::HIP_LAUNCH_CONFIG *config, FunctionTag *function, void **arguments,
                         void **extra);
Status ExtLaunchKernel(const void *function, Dim grid, Dim block, void **arguments, std::size_t shared,
                       StreamTag *stream, EventTag *start, EventTag *stop, int flags);
Status ExtLaunchMultiKernelMultiDevice(c::hipLaunchParams_t *list, int count, unsigned flags);
Status LaunchCooperativeKernelMultiDevice(c::hipLaunchParams_t *list, int count, unsigned flags);
Status ModuleLaunchCooperativeKernelMultiDevice(c::hipFunctionLaunchParams_t *list, unsigned count,
                                                unsigned flags);
Status ExtStreamCreateWithCUMask(StreamTag **stream, unsigned size, const unsigned *mask);
Status ExtStreamGetCUMask(StreamTag *stream, unsigned size, unsigned *mask);
Status LibraryLoadData(LibraryTag **library, const void *code, int **jit_options, void **jit_values,
                       unsigned jit_number, int **options, void **values, unsigned number);
Status LibraryLoadFromFile(LibraryTag **library, const char *path, int **jit_options, void **jit_values,
                           unsigned jit_number, int **options, void **values, unsigned number);
Status GetProcAddress(const char *symbol, void **function, int version, unsigned long long flags,
                      int *outcome);
Status GetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags, int *outcome);
Status CtxEnablePeerAccess(c::hipCtx_t context, unsigned flags);
Status CtxDisablePeerAccess(c::hipCtx_t context);

Status CtxCreate(c::hipCtx_t *context, unsigned flags, int device);
Status CtxDestroy(c::hipCtx_t context);
Status CtxPushCurrent(c::hipCtx_t context);
Status CtxPopCurrent(c::hipCtx_t *context);
Status CtxSetCurrent(c::hipCtx_t context);
Status CtxGetCurrent(c::hipCtx_t *context);
Status DevicePrimaryCtxGetState(int device, unsigned *flags, int *active);
Status DevicePrimaryCtxRetain(c::hipCtx_t *context, int device);
Status DevicePrimaryCtxRelease(int device);
Status DevicePrimaryCtxReset(int device);
Status DevicePrimaryCtxSetFlags(int device, unsigned flags);

Status StreamBeginCaptureToGraph(StreamTag *stream, GraphTag *graph, NodeTag *const *after,
                                 const c::hipGraphEdgeData *edges, std::size_t count, int mode);
Status UserObjectRetain(UserObjectTag *object, unsigned count);
Status UserObjectRelease(UserObjectTag *object, unsigned count);
Status GraphRetainUserObject(GraphTag *graph, UserObjectTag *object, unsigned count, unsigned flags);
Status GraphReleaseUserObject(GraphTag *graph, UserObjectTag *object, unsigned count);
Status GraphInstantiate(ExecutableTag **executable, GraphTag *graph, NodeTag **failed, char *log,
                        std::size_t size);
Status GraphInstantiateWithParams(ExecutableTag **executable, GraphTag *graph,
                                  c::hipGraphInstantiateParams *parameters);
Status GraphExecUpdate(ExecutableTag *executable, GraphTag *graph, NodeTag **differs, int *result);
Status DrvGraphAddMemcpyNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                             const c::HIP_MEMCPY3D *parameters, c::hipCtx_t context);
Status DrvGraphMemcpyNodeSetParams(NodeTag *node, const c::HIP_MEMCPY3D *parameters);
Status DrvGraphExecMemcpyNodeSetParams(ExecutableTag *executable, NodeTag *node,
                                       const c::HIP_MEMCPY3D *parameters, c::hipCtx_t context);
Status DrvGraphMemcpyNodeGetParams(NodeTag *node, c::HIP_MEMCPY3D *parameters);
Status GraphMemsetNodeGetParams(NodeTag *node, c::hipMemsetParams *parameters);
Status GraphKernelNodeGetAttribute(NodeTag *node, int attribute, AttributeValue *value);
Status GraphKernelNodeSetAttribute(NodeTag *node, int attribute, const AttributeValue *value);
Status GraphAddMemFreeNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                           void *address);
Status GraphNodeSetParams(NodeTag *node, c::hipGraphNodeParams *parameters);
Status GraphExecNodeSetParams(ExecutableTag *executable, NodeTag *node, c::hipGraphNodeParams *parameters);
Status GraphAddMemcpyNode1D(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                            void *to, const void *from, std::size_t size, int kind);
Status GraphAddNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                    c::hipGraphNodeParams *parameters);
Status GraphMemcpyNodeSetParams1D(NodeTag *node, void *to, const void *from, std::size_t size, int kind);
Status GraphExecMemcpyNodeSetParams1D(ExecutableTag *executable, NodeTag *node, void *to, const void *from,
                                      std::size_t size, int kind);
Status GraphAddMemcpyNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                          const Copy3D *copy);
Status GraphMemcpyNodeSetParams(NodeTag *node, const Copy3D *copy);
Status GraphExecMemcpyNodeSetParams(ExecutableTag *executable, NodeTag *node, const Copy3D *copy);
Status GraphMemsetNodeSetParams(NodeTag *node, const c::hipMemsetParams *set);
Status GraphExecMemsetNodeSetParams(ExecutableTag *executable, NodeTag *node, const c::hipMemsetParams *set);
Status GraphAddMemsetNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                          const c::hipMemsetParams *set);

Status ArrayCreate(ArrayTag **array, const c::HIP_ARRAY_DESCRIPTOR *wanted);
Status Array3DCreate(ArrayTag **array, const c::HIP_ARRAY3D_DESCRIPTOR *wanted);
Status MemcpyParam2D(const c::hip_Memcpy2D *parameters);
Status MemcpyParam2DAsync(const c::hip_Memcpy2D *parameters, StreamTag *stream);
Status DrvMemcpy3D(const c::HIP_MEMCPY3D *parameters);
Status DrvMemcpy3DAsync(const c::HIP_MEMCPY3D *parameters, StreamTag *stream);

Status MemcpyWithStream(void *to, const void *from, std::size_t count, int kind, StreamTag *stream);

Status ModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *count, FunctionTag *function,
                                                                int threads, std::size_t dynamic,
                                                                unsigned flags);
Status ModuleOccupancyMaxPotentialBlockSizeWithFlags(int *blocks, int *threads, FunctionTag *function,
                                                     std::size_t dynamic, int limit, unsigned flags);
Status OccupancyMaxPotentialBlockSize(int *blocks, int *threads, const void *function, std::size_t dynamic,
                                      int limit);
Status ModuleLaunchCooperativeKernel(FunctionTag *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                     unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                     StreamTag *stream, void **arguments);

Status DestroyTextureObject(c::hipTextureObject_t object);
Status DestroySurfaceObject(c::hipSurfaceObject_t object);

Status RuntimeGetVersion(int *version);
Status GetLastError();
Status ExtGetLastError();
Status PeekAtLastError();
const char *GetErrorName(int code);
const char *GetErrorString(int code);
Status DrvGetErrorName(int code, const char **name);
Status DrvGetErrorString(int code, const char **text);

// Virtual memory
Status MemAddressReserve(void **pointer, std::size_t size, std::size_t alignment, void *hint,
                         unsigned long long flags);
Status MemAddressFree(void *pointer, std::size_t size);
Status MemCreate(PhysicalTag **handle, std::size_t size, const PhysicalProperties *properties,
                 unsigned long long flags);
Status MemRelease(PhysicalTag *handle);
Status MemRetainAllocationHandle(PhysicalTag **handle, void *address);
Status MemMap(void *pointer, std::size_t size, std::size_t offset, PhysicalTag *handle,
              unsigned long long flags);
Status MemUnmap(void *pointer, std::size_t size);
Status MemSetAccess(void *pointer, std::size_t size, const Access *list, std::size_t count);
Status MemGetAccess(unsigned long long *flags, const Location *location, void *address);
Status MemGetAllocationGranularity(std::size_t *granularity, const PhysicalProperties *properties,
                                   int option);
Status MemGetAllocationPropertiesFromHandle(PhysicalProperties *properties, PhysicalTag *handle);
Status MemExportToShareableHandle(void *shareable, PhysicalTag *handle, int type, unsigned long long flags);
Status MemImportFromShareableHandle(PhysicalTag **handle, void *shareable, int type);

// Waits for values, and writes of values
Status StreamWaitValue32(StreamTag *stream, void *address, std::uint32_t value, unsigned flags,
                         std::uint32_t mask);
Status StreamWaitValue64(StreamTag *stream, void *address, std::uint64_t value, unsigned flags,
                         std::uint64_t mask);
Status StreamWriteValue32(StreamTag *stream, void *address, std::uint32_t value, unsigned flags);
Status StreamWriteValue64(StreamTag *stream, void *address, std::uint64_t value, unsigned flags);

// Of later releases
Status set_rows(void *to, std::size_t pitch, unsigned value, unsigned element, std::size_t width,
                std::size_t height);
Status set_rows_on(StreamTag *stream, void *to, std::size_t pitch, unsigned value, unsigned element,
                   std::size_t width, std::size_t height);
Status MemAdvise_v2(const void *pointer, std::size_t count, int advice, Location location);
Status MemPrefetchAsync_v2(const void *pointer, std::size_t count, Location location, unsigned flags,
                           StreamTag *stream);

Status CtxSetCacheConfig(int config);
Status ExtGetLinkTypeAndHopCount(int one, int other, unsigned *type, unsigned *hops);
Status MemMapArrayAsync(c::hipArrayMapInfo *list, unsigned count, StreamTag *stream);
Status PointerSetAttribute(const void *value, int attribute, void *pointer);

// Texture references
Status BindTexture(std::size_t *, const c::textureReference *, const void *, const Channels *, std::size_t);
Status BindTexture2D(std::size_t *, const c::textureReference *, const void *, const Channels *, std::size_t,
                     std::size_t, std::size_t);
Status BindTextureToArray(const c::textureReference *reference, const ArrayTag *array,
                          const Channels *channels);
Status BindTextureToMipmappedArray(const c::textureReference *, const MipmapTag *, const Channels *);
Status UnbindTexture(const c::textureReference *reference);
Status GetTextureAlignmentOffset(std::size_t *offset, const c::textureReference *reference);
Status GetTextureReference(const c::textureReference **reference, const void *symbol);
Status ModuleGetTexRef(c::textureReference **reference, ModuleTag *module, const char *name);
Status TexRefSetArray(c::textureReference *reference, const ArrayTag *array, unsigned flags);
Status TexRefSetMipmappedArray(c::textureReference *reference, MipmapTag *mipmap, unsigned flags);
Status TexRefSetAddress(std::size_t *, c::textureReference *reference, void *, std::size_t);
Status TexRefSetAddress2D(c::textureReference *reference, const c::HIP_ARRAY_DESCRIPTOR *wanted, void *,
                          std::size_t);
Status TexRefGetArray(ArrayTag **array, const c::textureReference *reference);
Status TexRefGetMipMappedArray(MipmapTag **mipmap, const c::textureReference *reference);
Status TexRefGetAddress(void **address, const c::textureReference *reference);
Status TexRefSetFormat(c::textureReference *reference, int format, int count);
Status TexRefGetFormat(int *format, int *count, const c::textureReference *reference);
Status TexRefSetFlags(c::textureReference *reference, unsigned flags);
Status TexRefGetFlags(unsigned *flags, const c::textureReference *reference);
Status TexRefSetAddressMode(c::textureReference *reference, int dimension, int mode);
Status TexRefGetAddressMode(int *mode, const c::textureReference *reference, int dimension);
Status TexRefSetFilterMode(c::textureReference *reference, int mode);
Status TexRefGetFilterMode(int *mode, const c::textureReference *reference);
Status TexRefSetMaxAnisotropy(c::textureReference *reference, unsigned most);
Status TexRefGetMaxAnisotropy(int *most, const c::textureReference *reference);
Status TexRefSetMipmapFilterMode(c::textureReference *reference, int mode);
Status TexRefSetMipmapLevelBias(c::textureReference *reference, float bias);
Status TexRefSetMipmapLevelClamp(c::textureReference *reference, float least, float most);
Status TexRefGetMipmapFilterMode(int *mode, const c::textureReference *reference);
Status TexRefGetMipmapLevelBias(float *bias, const c::textureReference *reference);
Status TexRefGetMipmapLevelClamp(float *least, float *most, const c::textureReference *reference);

} // namespace pygpu::host::hip
