// The table of runtime functions on CUDA, and on the host runtime, which serves CUDA's functions.
#include "arrays/runtime/runtime.hpp"

#include "cuda_runtime/entries.hpp"
#include "cuda_runtime/enumerators.hpp"
#include "vendor.hpp"

namespace pygpu::arrays::cuda {
namespace {

using namespace pygpu::cuda;

constexpr auto stream_of = [](Stream stream) { return static_cast<cudaStream_t>(stream); };
constexpr auto event_of = [](Event event) { return static_cast<cudaEvent_t>(event); };
constexpr auto pool_of = [](Pool pool) { return static_cast<cudaMemPool_t>(pool); };
constexpr auto kind_of = [](Direction direction) { return static_cast<cudaMemcpyKind>(direction); };

int pool_create(Pool *pool, int device) {
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location = {cudaMemLocationTypeDevice, device};
    cudaMemPool_t made{};
    const int status = entries.cudaMemPoolCreate(&made, &properties);
    *pool = made;
    return status;
}

int pool_allow(Pool pool, int device) {
    const cudaMemAccessDesc access{{cudaMemLocationTypeDevice, device}, cudaMemAccessFlagsProtReadWrite};
    return entries.cudaMemPoolSetAccess(pool_of(pool), &access, 1);
}

int pool_usage(Pool pool, std::uint64_t *used, std::uint64_t *reserved) {
    const int status = entries.cudaMemPoolGetAttribute(pool_of(pool), cudaMemPoolAttrUsedMemCurrent, used);
    if (status) return status;
    return entries.cudaMemPoolGetAttribute(pool_of(pool), cudaMemPoolAttrReservedMemCurrent, reserved);
}

int copy_3d_async(const Box &box, Direction direction, Stream stream) {
    cudaMemcpy3DParms copy{};
    copy.srcPtr = {const_cast<void *>(box.from), box.from_pitch, box.width, box.from_rows};
    copy.dstPtr = {box.to, box.to_pitch, box.width, box.to_rows};
    copy.extent = {box.width, box.height, box.depth};
    copy.kind = kind_of(direction);
    return entries.cudaMemcpy3DAsync(&copy, stream_of(stream));
}

int ask_pageable(const void *pointer, bool *pageable) {
    struct {
        cudaPointerAttributes known;
        char later[1024]; // what other releases may write
    } attributes{};
    const int status = entries.cudaPointerGetAttributes(&attributes.known, pointer);
    *pageable = status || attributes.known.type == cudaMemoryTypeUnregistered;
    return status;
}

int stream_capturing(Stream stream, bool *capturing) {
    cudaStreamCaptureStatus status{};
    const int code = entries.cudaStreamIsCapturing(stream_of(stream), &status);
    *capturing = status != cudaStreamCaptureStatusNone;
    return code;
}

// Stands where the library's own function was, for every call by PyGPU's names.
Runtime table{
    .name = "cuda",
    .api = pygpu::cuda::vendor().api,
    .device_count = [](int *count) -> int { return entries.cudaGetDeviceCount(count); },
    .get_device = [](int *device) -> int { return entries.cudaGetDevice(device); },
    .set_device = [](int device) -> int { return entries.cudaSetDevice(device); },
    .device_synchronize = []() -> int { return entries.cudaDeviceSynchronize(); },
    .can_access_peer = [](int *can, int device, int peer) -> int {
        return entries.cudaDeviceCanAccessPeer(can, device, peer);
    },
    .malloc = [](void **pointer, std::size_t size) -> int { return entries.cudaMalloc(pointer, size); },
    .free = [](void *pointer) -> int { return entries.cudaFree(pointer); },
    .memory_info = [](std::size_t *free, std::size_t *total) -> int {
        return entries.cudaMemGetInfo(free, total);
    },
    .malloc_managed = [](void **pointer, std::size_t size) -> int {
        return entries.cudaMallocManaged(pointer, size, 1); // cudaMemAttachGlobal
    },
    .pool_create = pool_create,
    .pool_allow = pool_allow,
    .pool_set_threshold = [](Pool pool, std::uint64_t bytes) -> int {
        return entries.cudaMemPoolSetAttribute(pool_of(pool), cudaMemPoolAttrReleaseThreshold, &bytes);
    },
    .pool_usage = pool_usage,
    .pool_trim = [](Pool pool, std::size_t keep) -> int {
        return entries.cudaMemPoolTrimTo(pool_of(pool), keep);
    },
    .malloc_from_pool = [](void **pointer, std::size_t size, Pool pool, Stream stream) -> int {
        return entries.cudaMallocFromPoolAsync(pointer, size, pool_of(pool), stream_of(stream));
    },
    .free_async = [](void *pointer, Stream stream) -> int {
        return entries.cudaFreeAsync(pointer, stream_of(stream));
    },
    .host_alloc = [](void **pointer, std::size_t size) -> int {
        return entries.cudaHostAlloc(pointer, size, 1); // cudaHostAllocPortable
    },
    .host_free = [](void *pointer) -> int { return entries.cudaFreeHost(pointer); },
    .host_register = [](void *pointer, std::size_t size, unsigned flags) -> int {
        return entries.cudaHostRegister(pointer, size, flags);
    },
    .host_unregister = [](void *pointer) -> int { return entries.cudaHostUnregister(pointer); },
    .ask_pageable = ask_pageable,
    .copy = [](void *to, const void *from, std::size_t size, Direction direction) -> int {
        return entries.cudaMemcpy(to, from, size, kind_of(direction));
    },
    .copy_async = [](void *to, const void *from, std::size_t size, Direction direction, Stream stream)
        -> int { return entries.cudaMemcpyAsync(to, from, size, kind_of(direction), stream_of(stream)); },
    .copy_2d_async = [](const Box &box, Direction direction, Stream stream) -> int {
        return entries.cudaMemcpy2DAsync(box.to, box.to_pitch, box.from, box.from_pitch, box.width,
                                         box.height, kind_of(direction), stream_of(stream));
    },
    .copy_3d_async = copy_3d_async,
    .copy_peer_async = [](void *to, int to_device, const void *from, int from_device, std::size_t size,
                          Stream stream) -> int {
        return entries.cudaMemcpyPeerAsync(to, to_device, from, from_device, size, stream_of(stream));
    },
    .set_async = [](void *to, int byte, std::size_t size, Stream stream) -> int {
        return entries.cudaMemsetAsync(to, byte, size, stream_of(stream));
    },
    .set_2d_async = [](void *to, std::size_t pitch, int byte, std::size_t width, std::size_t height,
                       Stream stream) -> int {
        return entries.cudaMemset2DAsync(to, pitch, byte, width, height, stream_of(stream));
    },
    .stream_create = [](Stream *stream, bool blocking, int priority) -> int {
        cudaStream_t made{};
        const int status = entries.cudaStreamCreateWithPriority(&made, blocking ? 0 : 1, priority);
        *stream = made;
        return status;
    },
    .stream_destroy = [](Stream stream) -> int { return entries.cudaStreamDestroy(stream_of(stream)); },
    .stream_query = [](Stream stream) -> int { return entries.cudaStreamQuery(stream_of(stream)); },
    .stream_device = [](Stream stream, int *device) -> int {
        return entries.cudaStreamGetDevice(stream_of(stream), device);
    },
    .stream_synchronize = [](Stream stream) -> int {
        return entries.cudaStreamSynchronize(stream_of(stream));
    },
    .stream_wait = [](Stream stream, Event event) -> int {
        return entries.cudaStreamWaitEvent(stream_of(stream), event_of(event), 0);
    },
    .stream_capturing = stream_capturing,
    .event_create = [](Event *event, bool timing) -> int {
        cudaEvent_t made{};
        const int status = entries.cudaEventCreateWithFlags(&made, timing ? 0 : 2); // cudaEventDisableTiming
        *event = made;
        return status;
    },
    .event_destroy = [](Event event) -> int { return entries.cudaEventDestroy(event_of(event)); },
    .event_record = [](Event event, Stream stream) -> int {
        return entries.cudaEventRecord(event_of(event), stream_of(stream));
    },
    .event_query = [](Event event) -> int { return entries.cudaEventQuery(event_of(event)); },
    .event_synchronize = [](Event event) -> int { return entries.cudaEventSynchronize(event_of(event)); },
    .event_elapsed = [](float *milliseconds, Event start, Event end) -> int {
        return entries.cudaEventElapsedTime(milliseconds, event_of(start), event_of(end));
    },
};

} // namespace

Runtime &runtime() { return table; }

} // namespace pygpu::arrays::cuda
