// The driver API's memory: addresses are numbers, and a size of 0 is an error for device memory. Codes: what
// an H200's driver 13.0 answers.
#include "api/cu/implemented.hpp"
#include "api/cu/translate.hpp"
#include "api/find.hpp"
#include "api/transfer.hpp"
#include "base/context.hpp"
#include "base/thread.hpp"
#include "cuda_driver/enumerators.hpp"
#include "memory/pool.hpp"
#include "memory/synchronous.hpp"
#include "memory/virtual_memory.hpp"
#include "streams/by_handle.hpp"

#include <cstring>

namespace pygpu::host::cu {
namespace {

template <class Value> Status copy_out(void *data, Value value) {
    std::memcpy(data, &value, sizeof value);
    return Status::success;
}

c::CUmemorytype type_of(const Allocation &memory) {
    return memory.on_device() ? c::CU_MEMORYTYPE_DEVICE : c::CU_MEMORYTYPE_HOST;
}

void *context_handle(unsigned long long id) {
    for (const auto &[handle, context] : contexts().all()) {
        if (context->id == id) return context->handle;
    }
    return nullptr;
}

Status attribute_of_memory(void *data, int attribute, const Memory &memory, void *pointer) {
    const bool host = memory->kind != MemoryKind::device;
    switch (static_cast<c::CUpointer_attribute>(attribute)) {
    case c::CU_POINTER_ATTRIBUTE_CONTEXT:
        return copy_out(data, context_handle(memory->context));
    case c::CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        return copy_out(data, type_of(*memory));
    case c::CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        return reaches(thread().device, *memory) ? copy_out(data, pointer) : Status::invalid_value;
    case c::CU_POINTER_ATTRIBUTE_HOST_POINTER:
        return host ? copy_out(data, pointer) : Status::invalid_value;
    case c::CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        return copy_out(data, unsigned{is_synchronous(*memory)});
    case c::CU_POINTER_ATTRIBUTE_BUFFER_ID:
        return copy_out(data, static_cast<unsigned long long>(memory->serial));
    case c::CU_POINTER_ATTRIBUTE_IS_MANAGED:
        return copy_out(data, memory->kind == MemoryKind::managed);
    case c::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        return copy_out(data, memory->device);
    case c::CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
        return copy_out(data, !host && memory->owner == Owner::caller && !pool_of(*memory));
    case c::CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
        return copy_out(data, false);
    case c::CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE: // as an H200 says of cudaMalloc's memory
        return copy_out(data, !host);
    case c::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        return copy_out(data, memory->base);
    case c::CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        return copy_out(data, memory->size);
    case c::CU_POINTER_ATTRIBUTE_MAPPED:
        return copy_out(data, true);
    case c::CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES: {
        const auto physical = physical_at(pointer);
        return copy_out(data, std::uint64_t{physical ? physical->properties.handle_types : 0});
    }
    case c::CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
        return copy_out(data, access_of(*memory, thread().device));
    case c::CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: {
        const auto pool = pool_of(*memory);
        return copy_out(data, pool ? handle_of(pool) : nullptr);
    }
    default:
        return Status::not_supported;
    }
}

Status set_elements(const std::shared_ptr<Stream> &stream, void *to, std::size_t pitch, unsigned value,
                    unsigned element, std::size_t width, std::size_t height, Return when) {
    const std::size_t row = (CheckedInt(width) * element).saturated();
    if (height > 1 && pitch < row) return Status::invalid_value;
    if (reinterpret_cast<std::uintptr_t>(to) % element || (height > 1 && pitch % element))
        return Status::invalid_value;
    StridedBlock block = flat(to);
    block.pitch = pitch;
    block.slice = (CheckedInt(pitch) * height).saturated();
    return set(stream, block, {row, height, 1}, value, element, when);
}

} // namespace

Status set_now(void *to, std::size_t pitch, unsigned value, unsigned element, std::size_t width,
               std::size_t height) {
    return set_elements(stream_of(nullptr), to, pitch, value, element, width, height, Return::after_host);
}

Status set_on(StreamTag *stream, void *to, std::size_t pitch, unsigned value, unsigned element,
              std::size_t width, std::size_t height) {
    const auto on = find_stream(stream);
    return on ? set_elements(on, to, pitch, value, element, width, height, Return::queued)
              : gone_stream(stream);
}

Status MemAlloc(void **pointer, std::size_t size) {
    return pointer && size ? Malloc(pointer, size) : Status::invalid_value;
}

Status MemAllocPitch(void **pointer, std::size_t *pitch, std::size_t width, std::size_t height,
                     unsigned element) {
    if (!pointer || !pitch || !width || !height) return Status::invalid_value;
    if (element != 4 && element != 8 && element != 16) return Status::invalid_value;
    return MallocPitch(pointer, pitch, width, height);
}

Status MemAllocManaged(void **pointer, std::size_t size, unsigned flags) {
    return pointer && size ? MallocManaged(pointer, size, flags) : Status::invalid_value;
}

Status MemGetAddressRange(void **base, std::size_t *size, void *pointer) {
    const Memory memory = memory_at(pointer);
    if (!memory || memory->freeing) return Status::not_found;
    if (base) *base = memory->base;
    if (size) *size = memory->size;
    return Status::success;
}

Status PointerGetAttribute(void *data, int attribute, void *pointer) {
    const Memory memory = memory_at(pointer);
    const bool known = attribute >= static_cast<int>(c::CU_POINTER_ATTRIBUTE_CONTEXT) &&
                       attribute <= static_cast<int>(c::CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE);
    if (!data || !known || !memory || memory->freeing) return Status::invalid_value;
    return attribute_of_memory(data, attribute, memory, pointer);
}

// An attribute without a value becomes 0 (the device's number -2), and the call succeeds.
Status PointerSetAttribute(const void *value, int attribute, void *pointer) {
    if (!value || attribute != c::CU_POINTER_ATTRIBUTE_SYNC_MEMOPS) return Status::invalid_value;
    const Memory memory = memory_at(pointer);
    if (!memory || memory->kind == MemoryKind::registered) return Status::invalid_value;
    unsigned always = 0;
    std::memcpy(&always, value, sizeof always);
    make_synchronous(*memory, always != 0);
    return Status::success;
}

// As of devices whose mask of algorithms is 0.
Status MemBatchDecompressAsync(c::CUmemDecompressParams *, std::size_t, unsigned, std::size_t *,
                               StreamTag *) {
    return Status::not_supported;
}

Status PointerGetAttributes(unsigned number, int *attributes, void **data, void *pointer) {
    if (!number || !attributes || !data) return Status::invalid_value;
    for (unsigned index = 0; index < number; ++index) {
        if (PointerGetAttribute(data[index], attributes[index], pointer) == Status::success || !data[index])
            continue;
        switch (static_cast<c::CUpointer_attribute>(attributes[index])) {
        case c::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
            copy_out(data[index], -2);
            break;
        case c::CU_POINTER_ATTRIBUTE_CONTEXT:
        case c::CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        case c::CU_POINTER_ATTRIBUTE_HOST_POINTER:
        case c::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        case c::CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        case c::CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        case c::CU_POINTER_ATTRIBUTE_BUFFER_ID:
        case c::CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
            copy_out(data[index], std::uint64_t{0});
            break;
        case c::CU_POINTER_ATTRIBUTE_IS_MANAGED:
        case c::CU_POINTER_ATTRIBUTE_MAPPED:
        case c::CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
        case c::CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
            copy_out(data[index], false);
            break;
        case c::CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        case c::CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
            copy_out(data[index], 0u);
            break;
        default:
            return Status::invalid_value;
        }
    }
    return Status::success;
}

} // namespace pygpu::host::cu
