// HIP's own forms of memory calls.
#include "host/hip/implemented.hpp"

#include "hip_runtime/enumerators.hpp"
#include "host/api/find.hpp"
#include "host/api/managed.hpp"
#include "host/api/transfer.hpp"

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

template <class Value> Status tell(void *data, Value value) {
    std::memcpy(data, &value, sizeof value);
    return Status::success;
}

Location place(int device) {
    return device == host_number ? Location{on_host, 0} : Location{on_device, device};
}

Status set_elements(void *to, unsigned value, unsigned element, std::size_t count,
                    const std::shared_ptr<Stream> &stream, Return when) {
    if (!stream) return Status::context_is_destroyed;
    return set(stream, flat(to), {count * element, 1, 1}, value, element, when);
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
    attributes->allocationFlags = memory->flags;
    return Status::success;
}

Status PointerGetAttribute(void *data, int attribute, void *pointer) {
    if (!data || !pointer) return Status::invalid_value;
    const Memory memory = memory_at(pointer);
    if (!memory) return Status::invalid_value;
    switch (static_cast<c::hipPointer_attribute>(attribute)) {
    case c::HIP_POINTER_ATTRIBUTE_MEMORY_TYPE:
        return tell(data, type_of(memory->kind));
    case c::HIP_POINTER_ATTRIBUTE_DEVICE_POINTER:
        return tell(data, pointer);
    case c::HIP_POINTER_ATTRIBUTE_HOST_POINTER:
        return memory->kind == MemoryKind::device ? Status::invalid_value : tell(data, pointer);
    case c::HIP_POINTER_ATTRIBUTE_BUFFER_ID:
        return tell(data, memory->serial);
    case c::HIP_POINTER_ATTRIBUTE_IS_MANAGED:
        return tell(data, memory->kind == MemoryKind::managed);
    case c::HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        return tell(data, memory->device);
    case c::HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        return tell(data, memory->base);
    case c::HIP_POINTER_ATTRIBUTE_RANGE_SIZE:
        return tell(data, memory->size);
    case c::HIP_POINTER_ATTRIBUTE_MAPPED:
        return tell(data, 1);
    default:
        return Status::not_supported;
    }
}

Status DrvPointerGetAttributes(unsigned number, int *attributes, void **data, void *pointer) {
    if (!number || !attributes || !data) return Status::invalid_value;
    for (unsigned index = 0; index < number; ++index) {
        const Status status = PointerGetAttribute(data[index], attributes[index], pointer);
        if (status != Status::success) return status;
    }
    return Status::success;
}

Status MemGetAddressRange(void **base, std::size_t *size, void *pointer) {
    const Memory memory = memory_at(pointer);
    if (!memory) return pointer ? static_cast<Status>(500) : Status::invalid_value; // "not found" in HIP
    if (base) *base = memory->base;
    if (size) *size = memory->size;
    return Status::success;
}

Status MemPtrGetInfo(void *pointer, std::size_t *size) {
    if (!size) return Status::invalid_value;
    const Memory memory = memory_beginning_at(pointer);
    *size = memory ? memory->size : 0;
    return memory || !pointer ? Status::success : Status::invalid_value;
}

int GetStreamDeviceId(StreamTag *stream) {
    const auto found = device_count() ? find_stream(stream) : nullptr;
    return found ? found->device : -1;
}

Status HostMalloc(void **pointer, std::size_t size, unsigned flags) {
    return HostAlloc(pointer, size, flags);
}

Status HostFree(void *pointer) { return FreeHost(pointer); }

Status MemAllocHost(void **pointer, std::size_t size) { return HostAlloc(pointer, size, 0); }

Status MemAllocPitch(void **pointer, std::size_t *pitch, std::size_t width, std::size_t height,
                     unsigned element) {
    if (element != 4 && element != 8 && element != 16) return Status::invalid_value;
    return MallocPitch(pointer, pitch, width, height);
}

Status ExtMallocWithFlags(void **pointer, std::size_t size, unsigned flags) {
    return flags > 3 ? Status::invalid_value : Malloc(pointer, size);
}

// hipamd/src/hip_hmm.cpp: what no runtime knows can't be prefetched to a device that has no access to
// pageable memory; of what isn't managed nothing moves.
Status MemPrefetchAsync(const void *pointer, std::size_t count, int device, StreamTag *stream) {
    if (!pointer || !count) return Status::invalid_value;
    const Memory memory = memory_at(pointer);
    if (memory && !memory->contains(pointer, count)) return Status::invalid_value;
    if (device != host_number && !is_device(device)) return Status::invalid_device;
    if (!memory && device != host_number) return Status::not_supported;
    if (!find_stream(stream)) return gone_stream(stream);
    if (memory && memory->pages) note_prefetch(memory, pointer, count, place(device));
    return Status::success;
}

// hipamd/src/hip_hmm.cpp: what is mostly read is so everywhere.
Status MemAdvise(const void *pointer, std::size_t count, int advice, int device) {
    if (!pointer || !count) return Status::invalid_value;
    const bool needs_place = advice != set_read_mostly && advice != unset_read_mostly;
    if (needs_place && device != host_number && !is_device(device)) return Status::invalid_device;
    const Memory memory = managed_at(pointer, count);
    return memory ? note_advice(memory, pointer, count, advice, place(device)) : Status::invalid_value;
}

Status MemcpyWithStream(void *to, const void *from, std::size_t count, int kind, StreamTag *stream) {
    const Status status = MemcpyAsync(to, from, count, kind, stream);
    return status == Status::success ? StreamSynchronize(stream) : status;
}

Status MemcpyHtoD(void *to, const void *from, std::size_t count) {
    return Memcpy(to, from, count, host_to_device);
}

Status MemcpyDtoH(void *to, void *from, std::size_t count) { return Memcpy(to, from, count, device_to_host); }

Status MemcpyDtoD(void *to, void *from, std::size_t count) {
    return Memcpy(to, from, count, device_to_device);
}

Status MemcpyHtoDAsync(void *to, const void *from, std::size_t count, StreamTag *stream) {
    return MemcpyAsync(to, from, count, host_to_device, stream);
}

Status MemcpyDtoHAsync(void *to, void *from, std::size_t count, StreamTag *stream) {
    return MemcpyAsync(to, from, count, device_to_host, stream);
}

Status MemcpyDtoDAsync(void *to, void *from, std::size_t count, StreamTag *stream) {
    return MemcpyAsync(to, from, count, device_to_device, stream);
}

Status MemsetD8(void *to, unsigned char value, std::size_t count) {
    return set_elements(to, value, 1, count, stream_of(nullptr), Return::after_host);
}

Status MemsetD16(void *to, unsigned short value, std::size_t count) {
    return set_elements(to, value, 2, count, stream_of(nullptr), Return::after_host);
}

Status MemsetD32(void *to, int value, std::size_t count) {
    return set_elements(to, static_cast<unsigned>(value), 4, count, stream_of(nullptr), Return::after_host);
}

Status MemsetD8Async(void *to, unsigned char value, std::size_t count, StreamTag *stream) {
    return set_elements(to, value, 1, count, find_stream(stream), Return::queued);
}

Status MemsetD16Async(void *to, unsigned short value, std::size_t count, StreamTag *stream) {
    return set_elements(to, value, 2, count, find_stream(stream), Return::queued);
}

Status MemsetD32Async(void *to, int value, std::size_t count, StreamTag *stream) {
    return set_elements(to, static_cast<unsigned>(value), 4, count, find_stream(stream), Return::queued);
}

} // namespace pygpu::host::hip
