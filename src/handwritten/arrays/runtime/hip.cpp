// The table of runtime functions on HIP.
#include "arrays/runtime/runtime.hpp"

#include "hip_runtime/entries.hpp"
#include "hip_runtime/enumerators.hpp"
#include "vendor.hpp"

namespace pygpu::arrays::hip {
namespace {

using namespace pygpu::hip;

constexpr auto stream_of = [](Stream stream) { return static_cast<hipStream_t>(stream); };
constexpr auto event_of = [](Event event) { return static_cast<hipEvent_t>(event); };
constexpr auto pool_of = [](Pool pool) { return static_cast<hipMemPool_t>(pool); };
constexpr auto kind_of = [](Direction direction) { return static_cast<hipMemcpyKind>(direction); };

int pool_create(Pool *pool, int device) {
    hipMemPoolProps properties{};
    properties.allocType = hipMemAllocationTypePinned;
    properties.location = {hipMemLocationTypeDevice, device};
    hipMemPool_t made{};
    const int status = entries.hipMemPoolCreate(&made, &properties);
    *pool = made;
    return status;
}

int pool_allow(Pool pool, int device) {
    const hipMemAccessDesc access{{hipMemLocationTypeDevice, device}, hipMemAccessFlagsProtReadWrite};
    return entries.hipMemPoolSetAccess(pool_of(pool), &access, 1);
}

int pool_usage(Pool pool, std::uint64_t *used, std::uint64_t *reserved) {
    const int status = entries.hipMemPoolGetAttribute(pool_of(pool), hipMemPoolAttrUsedMemCurrent, used);
    if (status) return status;
    return entries.hipMemPoolGetAttribute(pool_of(pool), hipMemPoolAttrReservedMemCurrent, reserved);
}

int copy_3d_async(const Box &box, Direction direction, Stream stream) {
    hipMemcpy3DParms copy{};
    copy.srcPtr = {const_cast<void *>(box.from), box.from_pitch, box.width, box.from_rows};
    copy.dstPtr = {box.to, box.to_pitch, box.width, box.to_rows};
    copy.extent = {box.width, box.height, box.depth};
    copy.kind = kind_of(direction);
    return entries.hipMemcpy3DAsync(&copy, stream_of(stream));
}

int ask_pageable(const void *pointer, bool *pageable) {
    struct {
        hipPointerAttribute_t known;
        char later[1024]; // what other releases may write
    } attributes{};
    const int status = entries.hipPointerGetAttributes(&attributes.known, pointer);
    *pageable = status || attributes.known.type == hipMemoryTypeUnregistered;
    return status;
}

int stream_capturing(Stream stream, bool *capturing) {
    hipStreamCaptureStatus status{};
    const int code = entries.hipStreamIsCapturing(stream_of(stream), &status);
    *capturing = status != hipStreamCaptureStatusNone;
    return code;
}

// Stands where the library's own function was, for every call by PyGPU's names.
Runtime table{
    .name = "hip",
    .api = pygpu::hip::vendor().api,
    .device_count = [](int *count) -> int { return entries.hipGetDeviceCount(count); },
    .get_device = [](int *device) -> int { return entries.hipGetDevice(device); },
    .set_device = [](int device) -> int { return entries.hipSetDevice(device); },
    .device_synchronize = []() -> int { return entries.hipDeviceSynchronize(); },
    .can_access_peer = [](int *can, int device, int peer) -> int {
        return entries.hipDeviceCanAccessPeer(can, device, peer);
    },
    .malloc = [](void **pointer, std::size_t size) -> int { return entries.hipMalloc(pointer, size); },
    .free = [](void *pointer) -> int { return entries.hipFree(pointer); },
    .memory_info = [](std::size_t *free, std::size_t *total) -> int {
        return entries.hipMemGetInfo(free, total);
    },
    .malloc_managed = [](void **pointer, std::size_t size) -> int {
        return entries.hipMallocManaged(pointer, size, 1); // hipMemAttachGlobal
    },
    .pool_create = pool_create,
    .pool_allow = pool_allow,
    .pool_set_threshold = [](Pool pool, std::uint64_t bytes) -> int {
        return entries.hipMemPoolSetAttribute(pool_of(pool), hipMemPoolAttrReleaseThreshold, &bytes);
    },
    .pool_usage = pool_usage,
    .pool_trim = [](Pool pool, std::size_t keep) -> int {
        return entries.hipMemPoolTrimTo(pool_of(pool), keep);
    },
    .malloc_from_pool = [](void **pointer, std::size_t size, Pool pool, Stream stream) -> int {
        return entries.hipMallocFromPoolAsync(pointer, size, pool_of(pool), stream_of(stream));
    },
    .free_async = [](void *pointer, Stream stream) -> int {
        return entries.hipFreeAsync(pointer, stream_of(stream));
    },
    .host_alloc = [](void **pointer, std::size_t size) -> int {
        return entries.hipHostMalloc(pointer, size, 1); // hipHostAllocPortable
    },
    .host_free = [](void *pointer) -> int { return entries.hipHostFree(pointer); },
    .host_register = [](void *pointer, std::size_t size, unsigned flags) -> int {
        return entries.hipHostRegister(pointer, size, flags);
    },
    .host_unregister = [](void *pointer) -> int { return entries.hipHostUnregister(pointer); },
    .ask_pageable = ask_pageable,
    .copy = [](void *to, const void *from, std::size_t size, Direction direction) -> int {
        return entries.hipMemcpy(to, from, size, kind_of(direction));
    },
    .copy_async = [](void *to, const void *from, std::size_t size, Direction direction, Stream stream)
        -> int { return entries.hipMemcpyAsync(to, from, size, kind_of(direction), stream_of(stream)); },
    .copy_2d_async = [](const Box &box, Direction direction, Stream stream) -> int {
        return entries.hipMemcpy2DAsync(box.to, box.to_pitch, box.from, box.from_pitch, box.width, box.height,
                                        kind_of(direction), stream_of(stream));
    },
    .copy_3d_async = copy_3d_async,
    .copy_peer_async = [](void *to, int to_device, const void *from, int from_device, std::size_t size,
                          Stream stream) -> int {
        return entries.hipMemcpyPeerAsync(to, to_device, from, from_device, size, stream_of(stream));
    },
    .set_async = [](void *to, int byte, std::size_t size, Stream stream) -> int {
        return entries.hipMemsetAsync(to, byte, size, stream_of(stream));
    },
    .set_2d_async = [](void *to, std::size_t pitch, int byte, std::size_t width, std::size_t height,
                       Stream stream) -> int {
        return entries.hipMemset2DAsync(to, pitch, byte, width, height, stream_of(stream));
    },
    .stream_create = [](Stream *stream, bool blocking, int priority) -> int {
        hipStream_t made{};
        const int status = entries.hipStreamCreateWithPriority(&made, blocking ? 0 : 1, priority);
        *stream = made;
        return status;
    },
    .stream_destroy = [](Stream stream) -> int { return entries.hipStreamDestroy(stream_of(stream)); },
    .stream_query = [](Stream stream) -> int { return entries.hipStreamQuery(stream_of(stream)); },
    .stream_device = [](Stream stream, int *device) -> int {
        return entries.hipStreamGetDevice(stream_of(stream), device);
    },
    .stream_synchronize = [](Stream stream) -> int {
        return entries.hipStreamSynchronize(stream_of(stream));
    },
    .stream_wait = [](Stream stream, Event event) -> int {
        return entries.hipStreamWaitEvent(stream_of(stream), event_of(event), 0);
    },
    .stream_capturing = stream_capturing,
    .event_create = [](Event *event, bool timing) -> int {
        hipEvent_t made{};
        const int status = entries.hipEventCreateWithFlags(&made, timing ? 0 : 2); // hipEventDisableTiming
        *event = made;
        return status;
    },
    .event_destroy = [](Event event) -> int { return entries.hipEventDestroy(event_of(event)); },
    .event_record = [](Event event, Stream stream) -> int {
        return entries.hipEventRecord(event_of(event), stream_of(stream));
    },
    .event_query = [](Event event) -> int { return entries.hipEventQuery(event_of(event)); },
    .event_synchronize = [](Event event) -> int { return entries.hipEventSynchronize(event_of(event)); },
    .event_elapsed = [](float *milliseconds, Event start, Event end) -> int {
        return entries.hipEventElapsedTime(milliseconds, event_of(start), event_of(end));
    },
};

} // namespace

Runtime &runtime() { return table; }

} // namespace pygpu::arrays::hip
