// The functions that CUDA and HIP share, under their names without prefix. Status and meaning: the vendors'
// manuals.
#pragma once

#include "base/status.hpp"
#include "base/types.hpp"
#include "memory/allocation.hpp"

#include <functional>

namespace pygpu::host::api {

// Devices
Status GetDeviceCount(int *count);
Status GetDevice(int *number);
Status SetDevice(int number);
Status SetValidDevices(int *numbers, int count);
Status DeviceReset();
// Destroy what was made in a context, or all that a device has, once the device's work is done.
void end_context(int device, unsigned long long context);
void reset_device(int device);
Status DeviceSynchronize();
Status GetDeviceFlags(unsigned *flags);
Status SetDeviceFlags(unsigned flags);
Status DeviceGetLimit(std::size_t *value, int limit);
Status DeviceSetLimit(int limit, std::size_t value);
Status DeviceGetCacheConfig(int *config);
Status DeviceSetCacheConfig(int config);
Status DeviceGetSharedMemConfig(int *config);
Status DeviceSetSharedMemConfig(int config);
Status DeviceGetPCIBusId(char *text, int size, int number);
Status DeviceGetByPCIBusId(int *number, const char *text);
Status DeviceGetStreamPriorityRange(int *least, int *greatest);

// For functions of handles that no function here gives: graphics resources, then external memory and
// semaphores.
template <class... Arguments> Status no_such_handle(const Arguments &...) {
    return Status::invalid_resource_handle;
}
template <class... Arguments> Status nothing_external(const Arguments &...) { return Status::invalid_value; }

// As if no profiler listened; no cache here persists.
inline Status do_nothing() { return Status::success; }

// Errors and versions
Status GetLastError(int vendor);
Status PeekAtLastError(int vendor);

// Streams
Status StreamCreate(StreamTag **stream);
Status StreamCreateWithFlags(StreamTag **stream, unsigned flags);
Status StreamCreateWithPriority(StreamTag **stream, unsigned flags, int priority);
Status StreamDestroy(StreamTag *stream);
Status StreamQuery(StreamTag *stream);
Status StreamSynchronize(StreamTag *stream);
Status StreamWaitEvent(StreamTag *stream, EventTag *event, unsigned flags);
Status StreamGetFlags(StreamTag *stream, unsigned *flags);
Status StreamGetPriority(StreamTag *stream, int *priority);
Status StreamGetDevice(StreamTag *stream, int *device);
Status StreamGetId(StreamTag *stream, unsigned long long *id);
Status StreamGetAttribute(StreamTag *stream, int attribute, AttributeValue *value);
Status StreamSetAttribute(StreamTag *stream, int attribute, const AttributeValue *value);
Status StreamCopyAttributes(StreamTag *to, StreamTag *from);
Status StreamIsCapturing(StreamTag *stream, int *status);
Status StreamAttachMemAsync(StreamTag *stream, void *pointer, std::size_t length, unsigned flags);
Status ThreadExchangeStreamCaptureMode(int *mode);
Status LaunchHostFunc(StreamTag *stream, void (*function)(void *), void *data);
// `how` it waits makes no difference here.
Status LaunchHostFunc_v2(StreamTag *stream, void (*function)(void *), void *data, unsigned how);
Status add_callback(StreamTag *stream, unsigned flags, bool callable, std::function<void()> callback);

template <class Handle, class Code>
Status StreamAddCallback(StreamTag *stream, void (*callback)(Handle, Code, void *), void *data,
                         unsigned flags) {
    return add_callback(stream, flags, callback != nullptr, [stream, callback, data] {
        callback(reinterpret_cast<Handle>(stream), static_cast<Code>(0), data);
    });
}

// Events
Status EventCreate(EventTag **event);
Status EventCreateWithFlags(EventTag **event, unsigned flags);
Status create_event(EventTag **event, unsigned flags); // with flags beyond CUDA's, too
Status EventDestroy(EventTag *event);
Status EventRecord(EventTag *event, StreamTag *stream);
Status EventRecordWithFlags(EventTag *event, StreamTag *stream, unsigned flags);
Status EventQuery(EventTag *event);
Status EventSynchronize(EventTag *event);
Status EventElapsedTime(float *milliseconds, EventTag *start, EventTag *end);

// Between processes
Status IpcGetMemHandle(IpcHandle *handle, void *pointer);
Status IpcOpenMemHandle(void **pointer, IpcHandle handle, unsigned flags);
Status IpcCloseMemHandle(void *pointer);
Status IpcGetEventHandle(IpcHandle *handle, EventTag *event);
Status IpcOpenEventHandle(EventTag **event, IpcHandle handle);

// Memory
Status Malloc(void **pointer, std::size_t size);
// Frees the memory that starts at the address; frees(kind) says whether the call frees that kind.
Status free_at(void *pointer, bool (*frees)(MemoryKind kind));
Status Free(void *pointer);
Status MemGetInfo(std::size_t *free, std::size_t *total);
Status MallocPitch(void **pointer, std::size_t *pitch, std::size_t width, std::size_t height);
Status Malloc3D(Pitched *pointer, Extent extent);
// Rows start at multiples of `row`.
Status allocate_rows(Pitched *pointer, Extent extent, std::size_t row);
Status MallocManaged(void **pointer, std::size_t size, unsigned flags);
Status HostAlloc(void **pointer, std::size_t size, unsigned flags);
Status allocate_host(void **pointer, std::size_t size, unsigned flags); // whatever the flags
Status MallocHost(void **pointer, std::size_t size);
Status FreeHost(void *pointer);
Status HostGetDevicePointer(void **device_pointer, void *pointer, unsigned flags);
Status HostGetFlags(unsigned *flags, void *pointer);
Status HostRegister(void *pointer, std::size_t size, unsigned flags);
Status HostUnregister(void *pointer);

// Copies
Status Memcpy(void *to, const void *from, std::size_t count, int kind);
Status MemcpyAsync(void *to, const void *from, std::size_t count, int kind, StreamTag *stream);
Status Memcpy2D(void *to, std::size_t to_pitch, const void *from, std::size_t from_pitch, std::size_t width,
                std::size_t height, int kind);
Status Memcpy2DAsync(void *to, std::size_t to_pitch, const void *from, std::size_t from_pitch,
                     std::size_t width, std::size_t height, int kind, StreamTag *stream);
Status Memcpy3D(const Copy3D *copy);
Status Memcpy3DAsync(const Copy3D *copy, StreamTag *stream);
Status MemcpyPeer(void *to, int to_device, const void *from, int from_device, std::size_t count);
Status MemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, std::size_t count,
                       StreamTag *stream);

// Sets
Status Memset(void *pointer, int value, std::size_t count);
Status MemsetAsync(void *pointer, int value, std::size_t count, StreamTag *stream);
Status Memset2D(void *pointer, std::size_t pitch, int value, std::size_t width, std::size_t height);
Status Memset2DAsync(void *pointer, std::size_t pitch, int value, std::size_t width, std::size_t height,
                     StreamTag *stream);
Status Memset3D(Pitched pointer, int value, Extent extent);
Status Memset3DAsync(Pitched pointer, int value, Extent extent, StreamTag *stream);

// Arrays
Status MallocArray(ArrayTag **array, const Channels *channels, std::size_t width, std::size_t height,
                   unsigned flags);
Status Malloc3DArray(ArrayTag **array, const Channels *channels, Extent extent, unsigned flags);
Status FreeArray(ArrayTag *array);
Status MallocMipmappedArray(MipmapTag **mipmap, const Channels *channels, Extent extent, unsigned levels,
                            unsigned flags);
Status FreeMipmappedArray(MipmapTag *mipmap);
Status GetMipmappedArrayLevel(ArrayTag **array, const MipmapTag *mipmap, unsigned level);
Status ArrayGetInfo(Channels *channels, Extent *extent, unsigned *flags, ArrayTag *array);
Status GetChannelDesc(Channels *channels, const ArrayTag *array);
Status ArrayGetPlane(ArrayTag **plane, ArrayTag *array, unsigned number);
Status ArrayGetMemoryRequirements(ArrayRequirements *requirements, ArrayTag *array, int device);
Status ArrayGetSparseProperties(SparseLayout *layout, ArrayTag *array);
Status MipmappedArrayGetMemoryRequirements(ArrayRequirements *requirements, MipmapTag *mipmap, int device);
Status MipmappedArrayGetSparseProperties(SparseLayout *layout, MipmapTag *mipmap);
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
// Bytes of the first row
Status MemcpyAtoH(void *to, ArrayTag *from, std::size_t offset, std::size_t count);
Status MemcpyAtoHAsync(void *to, ArrayTag *from, std::size_t offset, std::size_t count, StreamTag *stream);
Status MemcpyAtoD(void *to, ArrayTag *from, std::size_t offset, std::size_t count);
Status MemcpyHtoA(ArrayTag *to, std::size_t offset, const void *from, std::size_t count);
Status MemcpyHtoAAsync(ArrayTag *to, std::size_t offset, const void *from, std::size_t count,
                       StreamTag *stream);
Status MemcpyDtoA(ArrayTag *to, std::size_t offset, void *from, std::size_t count);
Status MemcpyAtoA(ArrayTag *to, std::size_t to_offset, ArrayTag *from, std::size_t from_offset,
                  std::size_t count);

// Pools
Status MallocAsync(void **pointer, std::size_t size, StreamTag *stream);
Status MallocFromPoolAsync(void **pointer, std::size_t size, PoolTag *pool, StreamTag *stream);
Status FreeAsync(void *pointer, StreamTag *stream);
Status DeviceGetDefaultMemPool(PoolTag **pool, int device);
Status DeviceGetMemPool(PoolTag **pool, int device);
Status DeviceSetMemPool(int device, PoolTag *pool);
Status MemPoolCreate(PoolTag **pool, const PoolProperties *properties);
Status MemPoolDestroy(PoolTag *pool);
Status MemPoolTrimTo(PoolTag *pool, std::size_t keep);
Status MemPoolGetAttribute(PoolTag *pool, int attribute, void *value);
Status MemPoolSetAttribute(PoolTag *pool, int attribute, void *value);
Status MemPoolGetAccess(int *flags, PoolTag *pool, Location *location);
Status MemPoolSetAccess(PoolTag *pool, const Access *list, std::size_t count);
Status MemGetDefaultMemPool(PoolTag **pool, Location *location, int type);
Status MemGetMemPool(PoolTag **pool, Location *location, int type);
Status MemSetMemPool(Location *location, int type, PoolTag *pool);
Status MemPoolExportToShareableHandle(void *shareable, PoolTag *pool, int type, unsigned long long flags);
Status MemPoolImportFromShareableHandle(PoolTag **pool, void *shareable, int type, unsigned long long flags);
Status MemPoolExportPointer(IpcHandle *data, void *pointer);
Status MemPoolImportPointer(void **pointer, PoolTag *pool, IpcHandle *data);

// Peers
Status DeviceCanAccessPeer(int *can, int device, int peer);
Status DeviceEnablePeerAccess(int peer, unsigned flags);
Status DeviceDisablePeerAccess(int peer);
Status DeviceGetP2PAttribute(int *value, int attribute, int source, int destination);

Status DeviceGetHostAtomicCapabilities(unsigned *capabilities, const int *asked, unsigned count, int device);
Status DeviceGetP2PAtomicCapabilities(unsigned *capabilities, const int *asked, unsigned count, int source,
                                      int destination);
Status DeviceGetTexture1DLinearMaxWidth(std::size_t *width, const Channels *format, int device);
Status DeviceFlushGPUDirectRDMAWrites(int target, int scope);

// Kernels
Status LaunchKernel(const void *function, Dim grid, Dim block, void **arguments, std::size_t shared,
                    StreamTag *stream);
Status LaunchCooperativeKernel(const void *function, Dim grid, Dim block, void **arguments,
                               std::size_t shared, StreamTag *stream);
Status GetFuncBySymbol(FunctionTag **function, const void *symbol);
Status FuncSetAttribute(const void *function, int attribute, int value);
Status FuncSetCacheConfig(const void *function, int config);
Status FuncSetSharedMemConfig(const void *function, int config);
Status OccupancyMaxActiveBlocksPerMultiprocessor(int *count, const void *function, int threads,
                                                 std::size_t dynamic);
Status OccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *count, const void *function, int threads,
                                                          std::size_t dynamic, unsigned flags);

// Managed memory
Status prefetch(const void *pointer, std::size_t count, Location location, StreamTag *stream);
Status MemPrefetchAsync(const void *pointer, std::size_t count, Location location, unsigned flags,
                        StreamTag *stream);
Status MemAdvise(const void *pointer, std::size_t count, int advice, Location location);
// A location for each region, of which samples are looked at.
Status MemGetLocationInfo(const void *pointer, std::size_t size, std::size_t region, std::size_t sample,
                          Location *locations);
Status MemRangeGetAttribute(void *data, std::size_t size, int attribute, const void *pointer,
                            std::size_t count);
Status MemGetHandleForAddressRange(void *handle, void *pointer, std::size_t size, int type,
                                   unsigned long long flags);
Status MemRangeGetAttributes(void **data, std::size_t *sizes, int *attributes, std::size_t number,
                             const void *pointer, std::size_t count);

} // namespace pygpu::host::api
