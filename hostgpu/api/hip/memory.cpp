// HIP's own forms of memory calls, and its own checks: hipamd/src/hip_memory.cpp and hip_mempool.cpp of
// ROCm/clr, as of ROCm 6.
#include "api/find.hpp"
#include "api/hip/implemented.hpp"
#include "api/managed.hpp"
#include "api/transfer.hpp"
#include "device/device.hpp"
#include "hip_runtime/enumerators.hpp"
#include "memory/synchronous.hpp"
#include "streams/by_handle.hpp"

#include <cstdint>
#include <cstring>

namespace pygpu::host::hip {
namespace {

c::hipMemoryType type_of(MemoryKind kind) {
    switch (kind) {
    case MemoryKind::device:
        return c::hipMemoryTypeDevice;
    case MemoryKind::managed:
        return c::hipMemoryTypeManaged;
    default:
        return c::hipMemoryTypeHost;
    }
}

// HIP keeps no flags of managed memory.
unsigned flags_of(const Allocation &memory) { return memory.kind == MemoryKind::managed ? 0 : memory.flags; }

template <class Value> Status copy_out(void *data, Value value) {
    std::memcpy(data, &value, sizeof value);
    return Status::success;
}

Location location_of(int device) {
    return device == host_number ? Location{on_host, 0} : Location{on_device, device};
}

} // namespace

c::hipChannelFormatDesc CreateChannelDesc(int x, int y, int z, int w, int kind) {
    return {x, y, z, w, static_cast<c::hipChannelFormatKind>(kind)};
}

Status PointerGetAttributes(c::hipPointerAttribute_t *attributes, const void *pointer) {
    if (!attributes || !pointer) return Status::invalid_value;
    *attributes = {};
    const Memory memory = memory_at(pointer);
    if (!memory || memory->freeing) {
        attributes->type = c::hipMemoryTypeUnregistered;
        attributes->device = -2;
        return Status::success;
    }
    void *address = const_cast<void *>(pointer);
    attributes->type = type_of(memory->kind);
    attributes->device = memory->device;
    attributes->devicePointer = address;
    attributes->hostPointer = memory->kind == MemoryKind::device ? nullptr : address;
    attributes->isManaged = memory->kind == MemoryKind::managed;
    attributes->allocationFlags = flags_of(*memory);
    return Status::success;
}

// ihipPointerGetAttributes(). For an unknown address the value is set all the same, to what means "none".
Status PointerGetAttribute(void *data, int attribute, void *pointer) {
    if (!data || !pointer) return Status::invalid_value;
    const Memory memory = memory_at(pointer);
    const bool host = memory && memory->kind != MemoryKind::device;
    const auto known_or = [&](auto value, decltype(value) otherwise) {
        copy_out(data, memory ? value : otherwise);
        return memory ? Status::success : Status::invalid_value;
    };
    switch (static_cast<c::hipPointer_attribute>(attribute)) {
    case c::HIP_POINTER_ATTRIBUTE_MEMORY_TYPE: // managed memory is the host's here
        if (arrays().find(pointer)) return copy_out(data, c::hipMemoryTypeArray);
        return known_or(host ? c::hipMemoryTypeHost : c::hipMemoryTypeDevice, c::hipMemoryType{});
    case c::HIP_POINTER_ATTRIBUTE_DEVICE_POINTER:
        return known_or(pointer, nullptr);
    case c::HIP_POINTER_ATTRIBUTE_HOST_POINTER:
        copy_out(data, host ? pointer : nullptr);
        return host ? Status::success : Status::invalid_value;
    case c::HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        return known_or(memory && is_synchronous(*memory), false);
    case c::HIP_POINTER_ATTRIBUTE_BUFFER_ID:
        return known_or(memory ? static_cast<std::uint32_t>(memory->serial) : 0u, 0u);
    case c::HIP_POINTER_ATTRIBUTE_IS_MANAGED:
        return known_or(memory && memory->kind == MemoryKind::managed, false);
    case c::HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        return known_or(memory ? memory->device : nowhere, nowhere);
    case c::HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        return known_or(memory ? memory->base : nullptr, nullptr);
    case c::HIP_POINTER_ATTRIBUTE_RANGE_SIZE:
        return known_or(memory ? static_cast<std::uint32_t>(memory->size) : 0u, 0u);
    case c::HIP_POINTER_ATTRIBUTE_MAPPED:
        return known_or(true, false);
    case c::HIP_POINTER_ATTRIBUTE_ACCESS_FLAGS:
        return copy_out(data, memory ? flags_of(*memory) : 0u);
    case c::HIP_POINTER_ATTRIBUTE_CONTEXT:
    case c::HIP_POINTER_ATTRIBUTE_P2P_TOKENS:
    case c::HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE:
    case c::HIP_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    case c::HIP_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case c::HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        return Status::not_supported;
    default:
        return Status::invalid_value;
    }
}

// ihipPointerSetAttribute()
Status PointerSetAttribute(const void *value, int attribute, void *pointer) {
    if (!pointer || !value || attribute != c::HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS) return Status::invalid_value;
    unsigned always = 0;
    std::memcpy(&always, value, sizeof always);
    if (always > 1) return Status::invalid_value;
    const Memory memory = memory_at(pointer);
    if (!memory) return Status::invalid_device_pointer;
    make_synchronous(*memory, always);
    return Status::success;
}

// "Always returns success": an attribute that is unknown has its default.
Status DrvPointerGetAttributes(unsigned number, int *attributes, void **data, void *pointer) {
    if (!number || !attributes || !data || !pointer) return Status::invalid_value;
    for (unsigned index = 0; index < number; ++index)
        PointerGetAttribute(data[index], attributes[index], pointer);
    return Status::success;
}

Status MemGetAddressRange(void **base, std::size_t *size, void *pointer) {
    const Memory memory = memory_at(pointer);
    if (!memory) return Status::not_found;
    if (base) *base = memory->base;
    if (size) *size = memory->size;
    return Status::success;
}

Status MemPtrGetInfo(void *pointer, std::size_t *size) {
    const Memory memory = memory_at(pointer);
    if (!size || !memory) return Status::invalid_value;
    *size = memory->size;
    return Status::success;
}

int GetStreamDeviceId(StreamTag *stream) {
    const auto object = device_count() ? find_stream(stream) : nullptr;
    return object ? object->device : -1;
}

// ihipHostMalloc(): unknown flags are no error.
Status HostMalloc(void **pointer, std::size_t size, unsigned flags) {
    constexpr unsigned coherent = 0x40000000, not_coherent = 0x80000000;
    if (pointer && size && flags & coherent && flags & not_coherent) return Status::invalid_value;
    return allocate_host(pointer, size, flags);
}

// ihipFree(): whatever kind of memory it is.
Status Free(void *pointer) {
    return free_at(pointer, [](MemoryKind) { return true; });
}

// hipHostFree(): any kind of memory but registered memory.
Status HostFree(void *pointer) {
    return free_at(pointer, [](MemoryKind kind) { return kind != MemoryKind::registered; });
}

// Of what hipHostMalloc() and hipMallocManaged() made: the flags as given, none for managed memory.
Status HostGetFlags(unsigned *flags, void *pointer) {
    const Memory memory = memory_at(pointer);
    if (!flags || !memory || memory->kind == MemoryKind::device || memory->kind == MemoryKind::registered)
        return Status::invalid_value;
    *flags = flags_of(*memory);
    return Status::success;
}

Status HostGetDevicePointer(void **device_pointer, void *pointer, unsigned flags) {
    if (!device_pointer || flags || !memory_at(pointer)) return Status::invalid_value;
    *device_pointer = pointer;
    return Status::success;
}

// ihipHostRegister(): registering memory again succeeds, and changes nothing.
Status HostRegister(void *pointer, std::size_t size, unsigned flags) {
    const Status status = api::HostRegister(pointer, size, flags);
    return status == Status::host_memory_already_registered ? Status::success : status;
}

// ihipMallocPitch(): too long a row is an invalid value, and no memory has no pitch.
Status MallocPitch(void **pointer, std::size_t *pitch, std::size_t width, std::size_t height) {
    if (!pointer || !pitch) return Status::invalid_value;
    Pitched pitched{};
    const Status status = Malloc3D(&pitched, {width, height, 1});
    if (status != Status::success) return status;
    *pointer = pitched.ptr;
    if (pitched.ptr) *pitch = pitched.pitch;
    return status;
}

Status Malloc3D(Pitched *pointer, Extent extent) {
    const auto row = static_cast<std::size_t>(row_alignment);
    return extent.width > SIZE_MAX - row ? Status::invalid_value : allocate_rows(pointer, extent, row);
}

Status MemAllocPitch(void **pointer, std::size_t *pitch, std::size_t width, std::size_t height,
                     unsigned element) {
    if (!width || !height || (element != 4 && element != 8 && element != 16)) return Status::invalid_value;
    return MallocPitch(pointer, pitch, width, height);
}

Status ExtMallocWithFlags(void **pointer, std::size_t size, unsigned flags) {
    constexpr unsigned signals = 2, last = 4; // a signal has 8 bytes
    if (flags > last || (flags == signals && size != 8)) return Status::invalid_value;
    const Status status = Malloc(pointer, size);
    if (const Memory memory = status == Status::success ? memory_at(*pointer) : nullptr)
        memory->flags = flags;
    return status;
}

// hip_mempool.cpp looks the stream up, and calls a stale one an invalid handle.
Status MallocAsync(void **pointer, std::size_t size, StreamTag *stream) {
    if (!pointer) return Status::invalid_value;
    return find_stream(stream) ? api::MallocAsync(pointer, size, stream) : Status::invalid_resource_handle;
}

Status MallocFromPoolAsync(void **pointer, std::size_t size, PoolTag *pool, StreamTag *stream) {
    if (!pointer || !find_pool(pool)) return Status::invalid_value;
    return find_stream(stream) ? api::MallocFromPoolAsync(pointer, size, pool, stream)
                               : Status::invalid_resource_handle;
}

// Memory that isn't a device's is freed at once, as by hipFree().
Status FreeAsync(void *pointer, StreamTag *stream) {
    if (!pointer) return Status::invalid_value;
    if (!find_stream(stream)) return Status::invalid_resource_handle;
    const Memory memory = memory_beginning_at(pointer);
    return memory && !memory->on_device() ? Free(pointer) : api::FreeAsync(pointer, stream);
}

Status DeviceSetMemPool(int number, PoolTag *pool) {
    const auto object = find_pool(pool);
    if (!object || !is_device(number)) return Status::invalid_value;
    return object->device == number ? api::DeviceSetMemPool(number, pool) : Status::invalid_device;
}

// No device can be denied access, and a null list is an error even if the count is 0.
Status MemPoolSetAccess(PoolTag *pool, const Access *list, std::size_t count) {
    if (!find_pool(pool) || !list) return Status::invalid_value;
    if (count > static_cast<std::size_t>(device_count())) return Status::invalid_device;
    for (std::size_t index = 0; index < count; ++index) {
        if (list[index].location.type == on_device && !list[index].flags) return Status::invalid_device;
    }
    return api::MemPoolSetAccess(pool, list, count);
}

// hipamd/src/hip_hmm.cpp: pageable memory can't be prefetched to a device, which has no access to it. For
// other memory that isn't managed nothing is noted.
Status MemPrefetchAsync(const void *pointer, std::size_t count, int device, StreamTag *stream) {
    if (!pointer || !count) return Status::invalid_value;
    const Memory memory = memory_at(pointer);
    if (memory && !memory->contains(pointer, count)) return Status::invalid_value;
    if (device != host_number && !is_device(device)) return Status::invalid_device;
    if (!memory && device != host_number) return Status::not_supported;
    if (!find_stream(stream)) return gone_stream(stream);
    if (memory && memory->kind == MemoryKind::managed)
        note_prefetch(memory, pointer, count, location_of(device));
    return Status::success;
}

// hipamd/src/hip_hmm.cpp: "read mostly" holds for all devices.
Status MemAdvise(const void *pointer, std::size_t count, int advice, int device) {
    if (!pointer || !count) return Status::invalid_value;
    const bool needs_place = advice != set_read_mostly && advice != unset_read_mostly;
    if (needs_place && device != host_number && !is_device(device)) return Status::invalid_device;
    const Memory memory = managed_at(pointer, count);
    return memory ? note_advice(memory, pointer, count, advice, location_of(device)) : Status::invalid_value;
}

namespace {

Status set_elements(const std::shared_ptr<Stream> &stream, void *to, long long value, unsigned element,
                    std::size_t count, Return when) {
    const std::size_t size = (CheckedInt(count) * element).saturated();
    return set(stream, flat(to), {size, 1, 1}, static_cast<unsigned>(value), element, when);
}

} // namespace

Status set_now(void *to, long long value, unsigned element, std::size_t count) {
    return set_elements(stream_of(nullptr), to, value, element, count, Return::after_host);
}

Status set_on(void *to, long long value, unsigned element, std::size_t count, StreamTag *stream) {
    const auto on = find_stream(stream);
    return on ? set_elements(on, to, value, element, count, Return::queued) : Status::context_is_destroyed;
}

namespace {

Status set_elements_of_rows(const std::shared_ptr<Stream> &stream, void *to, std::size_t pitch,
                            unsigned value, unsigned element, std::size_t width, std::size_t height,
                            Return when) {
    const std::size_t row = (CheckedInt(width) * element).saturated();
    if (height > 1 && pitch < row) return Status::invalid_value;
    StridedBlock block = flat(to);
    block.pitch = pitch;
    block.slice = (CheckedInt(pitch) * height).saturated();
    return set(stream, block, {row, height, 1}, value, element, when);
}

// A place as the older functions number it; false where it is none of theirs.
bool number_of_place(const Location &location, int &device) {
    device = location.type == on_device ? location.id : host_number;
    return location.type >= on_device && location.type <= on_host_numa_current;
}

} // namespace

Status set_rows(void *to, std::size_t pitch, unsigned value, unsigned element, std::size_t width,
                std::size_t height) {
    return set_elements_of_rows(stream_of(nullptr), to, pitch, value, element, width, height,
                                Return::after_host);
}

Status set_rows_on(StreamTag *stream, void *to, std::size_t pitch, unsigned value, unsigned element,
                   std::size_t width, std::size_t height) {
    const auto on = find_stream(stream);
    return on ? set_elements_of_rows(on, to, pitch, value, element, width, height, Return::queued)
              : Status::context_is_destroyed;
}

Status MemAdvise_v2(const void *pointer, std::size_t count, int advice, Location location) {
    int device = 0;
    return number_of_place(location, device) ? MemAdvise(pointer, count, advice, device)
                                             : Status::invalid_value;
}

Status MemPrefetchAsync_v2(const void *pointer, std::size_t count, Location location, unsigned flags,
                           StreamTag *stream) {
    int device = 0;
    if (flags || !number_of_place(location, device)) return Status::invalid_value;
    return MemPrefetchAsync(pointer, count, device, stream);
}

} // namespace pygpu::host::hip
