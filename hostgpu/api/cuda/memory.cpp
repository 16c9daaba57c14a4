// CUDA's own forms of memory calls: pointer attributes, managed memory, pools by location.
#include "api/cuda/implemented.hpp"
#include "api/find.hpp"
#include "api/managed.hpp"
#include "api/transfer.hpp"
#include "base/thread.hpp"
#include "cuda_runtime/enumerators.hpp"
#include "device/device.hpp"

namespace pygpu::host::cuda {
namespace {

c::cudaMemoryType type_of(MemoryKind kind) {
    switch (kind) {
    case MemoryKind::device:
        return c::cudaMemoryTypeDevice;
    case MemoryKind::managed:
        return c::cudaMemoryTypeManaged;
    default:
        return c::cudaMemoryTypeHost;
    }
}

// Only devices have pools here, and not of managed memory. An H200 knows no pool of a place beyond the nodes.
Status device_of(const Location *location, int type, int &device) {
    if (!location) return Status::invalid_value;
    if (location->type > on_host_numa) return Status::not_supported;
    const bool managed = type == static_cast<int>(c::cudaMemAllocationTypeManaged);
    if (!managed && type != static_cast<int>(c::cudaMemAllocationTypePinned)) return Status::invalid_value;
    if (location->type == on_device && !is_device(location->id)) return Status::invalid_value;
    if (location->type == on_host_numa && location->id) return Status::invalid_value;
    if (location->type == no_location && !managed) return Status::invalid_value;
    if (location->type != on_device || managed) return Status::not_supported;
    device = location->id;
    return Status::success;
}

} // namespace

c::cudaChannelFormatDesc CreateChannelDesc(int x, int y, int z, int w, int kind) {
    return {x, y, z, w, static_cast<c::cudaChannelFormatKind>(kind)};
}

Status PointerGetAttributes(c::cudaPointerAttributes *attributes, const void *pointer) {
    if (!attributes) return Status::invalid_value;
    *attributes = {};
    attributes->localityDomainOrdinal = -1; // in none
    void *address = const_cast<void *>(pointer);
    const Memory memory = memory_at(pointer);
    if (!memory || memory->freeing) {
        attributes->type = c::cudaMemoryTypeUnregistered;
        attributes->device = -2;
        attributes->hostPointer = address;
        return Status::success;
    }
    attributes->type = type_of(memory->kind);
    attributes->device = memory->device;
    attributes->devicePointer = reaches(thread().device, *memory) ? address : nullptr;
    attributes->hostPointer = memory->kind == MemoryKind::device ? nullptr : address;
    return Status::success;
}

Status MemPrefetchAsync(const void *pointer, std::size_t count, Location location, unsigned flags,
                        StreamTag *stream) {
    return flags ? Status::invalid_value : prefetch(pointer, count, location, stream);
}

Status MemAdvise(const void *pointer, std::size_t count, int advice, Location location) {
    const Memory memory = managed_at(pointer, count);
    const bool needs_place =
        advice == set_preferred || advice == set_accessed_by || advice == unset_accessed_by;
    if (!memory || advice > unset_accessed_by || (needs_place && !is_place(location)))
        return Status::invalid_value;
    return note_advice(memory, pointer, count, advice, location);
}

Status MemGetDefaultMemPool(PoolTag **pool, Location *location, int type) {
    int device = 0;
    const Status status = device_of(location, type, device);
    return status == Status::success ? DeviceGetDefaultMemPool(pool, device) : status;
}

Status MemGetMemPool(PoolTag **pool, Location *location, int type) {
    int device = 0;
    const Status status = device_of(location, type, device);
    return status == Status::success ? DeviceGetMemPool(pool, device) : status;
}

Status MemSetMemPool(Location *location, int type, PoolTag *pool) {
    int device = 0;
    const Status status = device_of(location, type, device);
    return status == Status::success ? DeviceSetMemPool(device, pool) : status;
}

} // namespace pygpu::host::cuda
