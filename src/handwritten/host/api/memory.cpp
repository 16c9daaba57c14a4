// Allocating and freeing device memory.
#include "host/api/api.hpp"

#include "host/core/allocation.hpp"
#include "host/core/device.hpp"
#include "host/core/pool.hpp"
#include "host/core/report.hpp"
#include "host/core/settings.hpp"

namespace pygpu::host::api {

Status Malloc(void **pointer, std::size_t size) {
    if (!pointer) return Status::invalid_value;
    *pointer = nullptr;
    if (!size) return Status::success;
    Memory memory;
    const Status status = allocate(MemoryKind::device, current_device().number, size, 0, memory);
    if (status == Status::success) *pointer = memory->base;
    return status;
}

Status Free(void *pointer) {
    if (!pointer) return Status::success;
    const Memory memory = memory_beginning_at(pointer);
    if (!memory || memory->array || memory->freeing || !memory->on_device()) {
        report_misuse(lately_freed(pointer)       ? "freed before"
                      : memory && memory->freeing ? "a free is queued already"
                      : memory && !memory->array  ? "host memory, which FreeHost frees"
                      : memory                    ? "the memory of an array"
                      : memory_at(pointer)        ? "not the beginning of its memory"
                                                  : "unknown pointer",
                      pointer, memory ? memory.get() : memory_at(pointer).get());
        return Status::invalid_value;
    }
    if (memory->queued) report_misuse("queued work still uses this memory", pointer, memory.get());
    synchronize(memory->device);
    if (!forget(memory)) return Status::invalid_value; // another thread was faster
    if (memory->pool) memory->pool->give(memory->size);
    return Status::success;
}

Status MemGetInfo(std::size_t *free, std::size_t *total) {
    if (!free || !total) return Status::invalid_value;
    *total = settings().memory;
    *free = *total - bytes_in_use(current_device().number);
    return Status::success;
}

} // namespace pygpu::host::api
