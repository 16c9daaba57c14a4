// Allocating and freeing device memory.
#include "api/api.hpp"
#include "base/settings.hpp"
#include "common/checked_int.hpp"
#include "device/device.hpp"
#include "memory/allocation.hpp"
#include "memory/freed.hpp"
#include "memory/graph_memory.hpp"
#include "memory/misuse.hpp"
#include "memory/pool.hpp"
#include "streams/stream.hpp"

#include <cstdint>

namespace pygpu::host::api {

Status Malloc(void **pointer, std::size_t size) {
    if (!pointer) return Status::invalid_value;
    *pointer = nullptr;
    if (!size) return Status::success;
    Memory memory;
    const Status status =
        allocate(MemoryKind::device, current_device().number, size, 0, memory, Owner::caller, Pages::own);
    if (status == Status::success) *pointer = memory->base;
    return status;
}

Status free_at(void *pointer, bool (*frees)(MemoryKind kind)) {
    if (!pointer) return Status::success;
    const Memory memory = memory_beginning_at(pointer);
    if (const auto of_graph = memory ? graph_memory_of(*memory) : nullptr;
        of_graph && frees(memory->kind) && of_graph->free()) {
        synchronize(memory->device);
        of_graph->release();
        return Status::success;
    }
    if (!memory || !is_freed_by_caller(*memory) || memory->freeing || !frees(memory->kind)) {
        report_misuse(
            lately_freed(pointer)       ? "freed before"
            : memory && memory->freeing ? "a free is queued already"
            : memory && memory->owner != Owner::caller
                ? "the memory of an array, a graph or another process, mapped memory, or a program's variable"
            : memory             ? "memory that another function frees"
            : memory_at(pointer) ? "not the beginning of its memory"
                                 : "unknown pointer",
            pointer, memory ? memory.get() : memory_at(pointer).get());
        return Status::invalid_value;
    }
    if (memory->queued) report_misuse("queued work still uses this memory", pointer, memory.get());
    for (int number = 0; number < all_devices(); ++number) {
        if (!memory->on_device() || number == memory->device) synchronize(number);
    }
    if (!forget(memory)) return Status::invalid_value; // another thread was faster
    return_to_pool(*memory);
    return Status::success;
}

Status Free(void *pointer) {
    return free_at(pointer,
                   [](MemoryKind kind) { return kind == MemoryKind::device || kind == MemoryKind::managed; });
}

Status MallocPitch(void **pointer, std::size_t *pitch, std::size_t width, std::size_t height) {
    if (!pointer || !pitch) return Status::invalid_value;
    Pitched pitched{};
    const Status status = Malloc3D(&pitched, {width, height, 1});
    *pointer = pitched.ptr;
    if (status == Status::success) *pitch = pitched.pitch;
    return status;
}

Status Malloc3D(Pitched *pointer, Extent extent) { return allocate_rows(pointer, extent, 512); }

Status allocate_rows(Pitched *pointer, Extent extent, std::size_t row) {
    if (!pointer) return Status::invalid_value;
    std::size_t padded = 0, size = 0;
    if (!(CheckedInt(extent.width) + (row - 1)).fits(padded)) return Status::memory_allocation;
    const std::size_t pitch = padded / row * row;
    if (!(CheckedInt(pitch) * extent.height * extent.depth).fits(size)) return Status::memory_allocation;
    void *base = nullptr;
    const Status status = Malloc(&base, size);
    if (status == Status::success) *pointer = {base, size ? pitch : 0, extent.width, extent.height};
    return status;
}

Status MemGetInfo(std::size_t *free, std::size_t *total) {
    if (total) *total = settings().memory;
    if (free) *free = settings().memory - bytes_in_use(current_device().number);
    return Status::success;
}

} // namespace pygpu::host::api
