// The driver API's memory: addresses are numbers, and a size of 0 is an error for device memory. Codes: what
// an H200's driver 13.0 answers.
#include "api/cu/implemented.hpp"
#include "api/cu/translate.hpp"
#include "api/cuda/implemented.hpp"
#include "api/find.hpp"
#include "api/transfer.hpp"
#include "base/context.hpp"
#include "base/thread.hpp"
#include "cuda_driver/enumerators.hpp"
#include "memory/pool.hpp"
#include "streams/by_handle.hpp"

#include <cstring>

namespace pygpu::host::cu {
namespace {

template <class Value> Status tell(void *data, Value value) {
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
        return tell(data, context_handle(memory->context));
    case c::CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        return tell(data, type_of(*memory));
    case c::CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        return reaches(thread().device, *memory) ? tell(data, pointer) : Status::invalid_value;
    case c::CU_POINTER_ATTRIBUTE_HOST_POINTER:
        return host ? tell(data, pointer) : Status::invalid_value;
    case c::CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        return tell(data, 0u);
    case c::CU_POINTER_ATTRIBUTE_BUFFER_ID:
        return tell(data, static_cast<unsigned long long>(memory->serial));
    case c::CU_POINTER_ATTRIBUTE_IS_MANAGED:
        return tell(data, memory->kind == MemoryKind::managed);
    case c::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        return tell(data, memory->device);
    case c::CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
        return tell(data, !host && memory->owner == Owner::caller && !pool_of(*memory));
    case c::CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
        return tell(data, false);
    case c::CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE: // as an H200 says of cudaMalloc's memory
        return tell(data, !host);
    case c::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        return tell(data, memory->base);
    case c::CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        return tell(data, memory->size);
    case c::CU_POINTER_ATTRIBUTE_MAPPED:
        return tell(data, true);
    case c::CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
        return tell(data, std::uint64_t{0});
    case c::CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
        return tell(data, 3u); // read and write
    case c::CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: {
        const auto pool = pool_of(*memory);
        return tell(data, pool ? handle_of(pool) : nullptr);
    }
    default:
        return Status::not_supported;
    }
}

Status set_elements(const std::shared_ptr<Stream> &stream, c::CUdeviceptr to, std::size_t pitch,
                    unsigned value, unsigned element, std::size_t width, std::size_t height, Return when) {
    const std::size_t row = (CheckedInt(width) * element).saturated();
    if (height > 1 && pitch < row) return Status::invalid_value;
    if (to % element || (height > 1 && pitch % element)) return Status::invalid_value;
    Block block = flat(at(to));
    block.pitch = pitch;
    block.slice = (CheckedInt(pitch) * height).saturated();
    return set(stream, block, {row, height, 1}, value, element, when);
}

Status set_now(c::CUdeviceptr to, std::size_t pitch, unsigned value, unsigned element, std::size_t width,
               std::size_t height) {
    return set_elements(stream_of(nullptr), to, pitch, value, element, width, height, Return::after_host);
}

Status set_on(StreamTag *stream, c::CUdeviceptr to, std::size_t pitch, unsigned value, unsigned element,
              std::size_t width, std::size_t height) {
    const auto on = find_stream(stream);
    return on ? set_elements(on, to, pitch, value, element, width, height, Return::queued)
              : gone_stream(stream);
}

} // namespace

Status MemAlloc(c::CUdeviceptr *pointer, std::size_t size) {
    return pointer && size ? Malloc(out(pointer), size) : Status::invalid_value;
}

Status MemFree(c::CUdeviceptr pointer) { return Free(at(pointer)); }

Status MemAllocPitch(c::CUdeviceptr *pointer, std::size_t *pitch, std::size_t width, std::size_t height,
                     unsigned element) {
    if (!pointer || !pitch || !width || !height) return Status::invalid_value;
    if (element != 4 && element != 8 && element != 16) return Status::invalid_value;
    return MallocPitch(out(pointer), pitch, width, height);
}

Status MemAllocManaged(c::CUdeviceptr *pointer, std::size_t size, unsigned flags) {
    return pointer && size ? MallocManaged(out(pointer), size, flags) : Status::invalid_value;
}

Status MemAllocHost(void **pointer, std::size_t size) { return MemHostAlloc(pointer, size, 0); }

Status MemHostAlloc(void **pointer, std::size_t size, unsigned flags) {
    return HostAlloc(pointer, size, flags);
}

Status MemFreeHost(void *pointer) { return FreeHost(pointer); }

Status MemHostGetDevicePointer(c::CUdeviceptr *device_pointer, void *pointer, unsigned flags) {
    return HostGetDevicePointer(out(device_pointer), pointer, flags);
}

Status MemHostGetFlags(unsigned *flags, void *pointer) { return HostGetFlags(flags, pointer); }

Status MemHostRegister(void *pointer, std::size_t size, unsigned flags) {
    return HostRegister(pointer, size, flags);
}

Status MemHostUnregister(void *pointer) { return HostUnregister(pointer); }

Status IpcGetMemHandle(IpcHandle *handle, c::CUdeviceptr pointer) {
    return api::IpcGetMemHandle(handle, at(pointer));
}

Status IpcOpenMemHandle(c::CUdeviceptr *pointer, IpcHandle handle, unsigned flags) {
    return api::IpcOpenMemHandle(out(pointer), handle, flags);
}

Status IpcCloseMemHandle(c::CUdeviceptr pointer) { return api::IpcCloseMemHandle(at(pointer)); }

Status MemGetAddressRange(c::CUdeviceptr *base, std::size_t *size, c::CUdeviceptr pointer) {
    const Memory memory = memory_at(at(pointer));
    if (!memory || memory->freeing) return Status::not_found;
    if (base) *out(base) = memory->base;
    if (size) *size = memory->size;
    return Status::success;
}

Status PointerGetAttribute(void *data, int attribute, c::CUdeviceptr pointer) {
    const Memory memory = memory_at(at(pointer));
    const bool known = attribute >= static_cast<int>(c::CU_POINTER_ATTRIBUTE_CONTEXT) &&
                       attribute <= static_cast<int>(c::CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE);
    if (!data || !known || !memory || memory->freeing) return Status::invalid_value;
    return attribute_of_memory(data, attribute, memory, at(pointer));
}

// An attribute without a value becomes 0 (the device's number -2), and the call succeeds.
Status PointerGetAttributes(unsigned number, int *attributes, void **data, c::CUdeviceptr pointer) {
    if (!number || !attributes || !data) return Status::invalid_value;
    for (unsigned index = 0; index < number; ++index) {
        if (PointerGetAttribute(data[index], attributes[index], pointer) == Status::success || !data[index])
            continue;
        switch (static_cast<c::CUpointer_attribute>(attributes[index])) {
        case c::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
            tell(data[index], -2);
            break;
        case c::CU_POINTER_ATTRIBUTE_CONTEXT:
        case c::CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        case c::CU_POINTER_ATTRIBUTE_HOST_POINTER:
        case c::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        case c::CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        case c::CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        case c::CU_POINTER_ATTRIBUTE_BUFFER_ID:
        case c::CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
            tell(data[index], std::uint64_t{0});
            break;
        case c::CU_POINTER_ATTRIBUTE_IS_MANAGED:
        case c::CU_POINTER_ATTRIBUTE_MAPPED:
        case c::CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
        case c::CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
            tell(data[index], false);
            break;
        case c::CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        case c::CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
            tell(data[index], 0u);
            break;
        default:
            return Status::invalid_value;
        }
    }
    return Status::success;
}

Status MemAllocAsync(c::CUdeviceptr *pointer, std::size_t size, StreamTag *stream) {
    return MallocAsync(out(pointer), size, stream);
}

Status MemAllocFromPoolAsync(c::CUdeviceptr *pointer, std::size_t size, PoolTag *pool, StreamTag *stream) {
    return MallocFromPoolAsync(out(pointer), size, pool, stream);
}

Status MemFreeAsync(c::CUdeviceptr pointer, StreamTag *stream) { return FreeAsync(at(pointer), stream); }

Status MemAdvise(c::CUdeviceptr pointer, std::size_t count, int advice, Location location) {
    return host::cuda::MemAdvise(at(pointer), count, advice, location);
}

Status MemPrefetchAsync(c::CUdeviceptr pointer, std::size_t count, Location location, unsigned flags,
                        StreamTag *stream) {
    return host::cuda::MemPrefetchAsync(at(pointer), count, location, flags, stream);
}

Status MemRangeGetAttribute(void *data, std::size_t size, int attribute, c::CUdeviceptr pointer,
                            std::size_t count) {
    return api::MemRangeGetAttribute(data, size, attribute, at(pointer), count);
}

Status MemRangeGetAttributes(void **data, std::size_t *sizes, int *attributes, std::size_t number,
                             c::CUdeviceptr pointer, std::size_t count) {
    return api::MemRangeGetAttributes(data, sizes, attributes, number, at(pointer), count);
}

Status MemGetDefaultMemPool(PoolTag **pool, Location *location, int type) {
    return host::cuda::MemGetDefaultMemPool(pool, location, type);
}

Status MemGetMemPool(PoolTag **pool, Location *location, int type) {
    return host::cuda::MemGetMemPool(pool, location, type);
}

Status MemSetMemPool(Location *location, int type, PoolTag *pool) {
    return host::cuda::MemSetMemPool(location, type, pool);
}

Status MemsetD8(c::CUdeviceptr to, unsigned char value, std::size_t count) {
    return set_now(to, 0, value, 1, count, 1);
}

Status MemsetD16(c::CUdeviceptr to, unsigned short value, std::size_t count) {
    return set_now(to, 0, value, 2, count, 1);
}

Status MemsetD32(c::CUdeviceptr to, unsigned value, std::size_t count) {
    return set_now(to, 0, value, 4, count, 1);
}

Status MemsetD8Async(c::CUdeviceptr to, unsigned char value, std::size_t count, StreamTag *stream) {
    return set_on(stream, to, 0, value, 1, count, 1);
}

Status MemsetD16Async(c::CUdeviceptr to, unsigned short value, std::size_t count, StreamTag *stream) {
    return set_on(stream, to, 0, value, 2, count, 1);
}

Status MemsetD32Async(c::CUdeviceptr to, unsigned value, std::size_t count, StreamTag *stream) {
    return set_on(stream, to, 0, value, 4, count, 1);
}

Status MemsetD2D8(c::CUdeviceptr to, std::size_t pitch, unsigned char value, std::size_t width,
                  std::size_t height) {
    return set_now(to, pitch, value, 1, width, height);
}

Status MemsetD2D16(c::CUdeviceptr to, std::size_t pitch, unsigned short value, std::size_t width,
                   std::size_t height) {
    return set_now(to, pitch, value, 2, width, height);
}

Status MemsetD2D32(c::CUdeviceptr to, std::size_t pitch, unsigned value, std::size_t width,
                   std::size_t height) {
    return set_now(to, pitch, value, 4, width, height);
}

Status MemsetD2D8Async(c::CUdeviceptr to, std::size_t pitch, unsigned char value, std::size_t width,
                       std::size_t height, StreamTag *stream) {
    return set_on(stream, to, pitch, value, 1, width, height);
}

Status MemsetD2D16Async(c::CUdeviceptr to, std::size_t pitch, unsigned short value, std::size_t width,
                        std::size_t height, StreamTag *stream) {
    return set_on(stream, to, pitch, value, 2, width, height);
}

Status MemsetD2D32Async(c::CUdeviceptr to, std::size_t pitch, unsigned value, std::size_t width,
                        std::size_t height, StreamTag *stream) {
    return set_on(stream, to, pitch, value, 4, width, height);
}

} // namespace pygpu::host::cu
