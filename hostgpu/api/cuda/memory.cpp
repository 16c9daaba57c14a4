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

} // namespace pygpu::host::cuda
