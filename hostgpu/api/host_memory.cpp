// Pinned, registered and managed host memory.
#include "api/api.hpp"
#include "base/call.hpp"
#include "base/mapped.hpp"
#include "device/device.hpp"
#include "memory/allocation.hpp"
#include "memory/freed.hpp"
#include "memory/misuse.hpp"
#include "streams/stream.hpp"

namespace pygpu::host::api {
namespace {

constexpr unsigned alloc_flags = 7;     // portable, mapped, write-combined
constexpr unsigned register_flags = 15; // portable, mapped, and these two
constexpr unsigned of_io = 4, read_only = 8;
constexpr unsigned attach_global = 1, attach_host = 2;

bool is_host(const Memory &memory) {
    return memory->kind == MemoryKind::host || memory->kind == MemoryKind::registered;
}

} // namespace

Status HostAlloc(void **pointer, std::size_t size, unsigned flags) {
    return flags & ~alloc_flags ? Status::invalid_value : allocate_host(pointer, size, flags);
}

Status allocate_host(void **pointer, std::size_t size, unsigned flags) {
    if (!pointer) return Status::invalid_value;
    *pointer = nullptr;
    if (!size) return Status::success;
    Memory memory;
    const Status status = allocate(MemoryKind::host, current_device().number, size, flags, memory);
    if (status == Status::success) *pointer = memory->base;
    return status;
}

Status MallocHost(void **pointer, std::size_t size) { return HostAlloc(pointer, size, 0); }

Status FreeHost(void *pointer) {
    return free_at(pointer, [](MemoryKind kind) { return kind == MemoryKind::host; });
}

Status HostGetDevicePointer(void **device_pointer, void *pointer, unsigned flags) {
    if (!device_pointer || flags) return Status::invalid_value;
    *device_pointer = nullptr;
    const Memory memory = memory_at(pointer);
    if (!memory || !is_host(memory)) return Status::invalid_value;
    *device_pointer = pointer;
    return Status::success;
}

Status HostGetFlags(unsigned *flags, void *pointer) {
    if (!flags) return Status::invalid_value;
    const Memory memory = memory_at(pointer);
    if (!memory || !is_host(memory)) return Status::invalid_value;
    *flags = (memory->flags & alloc_flags) | 2; // all of it is mapped, and none says that it is read-only
    return Status::success;
}

Status HostRegister(void *pointer, std::size_t size, unsigned flags) {
    if (!pointer || !size || flags & ~register_flags) return Status::invalid_value;
    const Rights rights = rights_to(pointer, size);
    if (rights == Rights::none) {
        report_misuse("not all of these addresses are the process's", pointer);
        return Status::invalid_value;
    }
    // An H200 refuses both: memory of I/O devices, which isn't here, and read-only pages that are registered
    // for writing.
    const bool refused = flags & of_io || (rights == Rights::read && !(flags & read_only));
    if (refused && !on_hip()) return Status::invalid_value;
    const bool writable = rights == Rights::write && !(flags & read_only);
    return enter_registered(pointer, size, flags, current_device().number, writable);
}

Status HostUnregister(void *pointer) {
    if (!pointer) return Status::invalid_value;
    const Memory memory = memory_beginning_at(pointer);
    if (!memory || memory->kind != MemoryKind::registered) {
        const Memory around = memory_at(pointer);
        report_misuse("no registered memory begins here", pointer, around.get());
        return around ? Status::invalid_value : Status::host_memory_not_registered;
    }
    if (memory->queued) report_misuse("queued work still uses this memory", pointer, memory.get());
    synchronize(memory->device);
    return forget(memory) ? Status::success : Status::host_memory_not_registered;
}

Status MallocManaged(void **pointer, std::size_t size, unsigned flags) {
    if (!pointer || (flags != attach_global && flags != attach_host)) return Status::invalid_value;
    *pointer = nullptr;
    if (!size) return on_hip() ? Status::invalid_value : Status::success;
    Memory memory;
    const Status status = allocate(MemoryKind::managed, current_device().number, size, flags, memory);
    if (status == Status::success) *pointer = memory->base;
    return status;
}

} // namespace pygpu::host::api
