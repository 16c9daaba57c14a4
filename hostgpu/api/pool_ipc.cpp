// Pools of other processes. A pool's file only names the pool; each pointer says where the pages of its
// memory are.
#include "api/api.hpp"
#include "api/find.hpp"
#include "api/ipc.hpp"
#include "base/call.hpp"
#include "device/device.hpp"
#include "memory/memory_file.hpp"
#include "memory/physical.hpp"
#include "memory/pool.hpp"

#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <type_traits>
#include <unistd.h>

namespace pygpu::host::api {
namespace {

constexpr char pool_file[] = "PyGPU-pool";

struct PoolName {
    char magic[8] = {'P', 'y', 'G', 'P', 'U', '-', 'P', 1};
    PoolOrigin origin{};
    std::int64_t device = 0; // its number on the machine
};

// What a pointer's data hold, without padding. The rest of its bytes is zero.
struct PointerName {
    char magic[8] = {'P', 'y', 'G', 'P', 'U', '-', 'P', 2};
    SharedFile file{};
    std::uint64_t size = 0;
    PoolOrigin origin{};
};
static_assert(sizeof(PointerName) <= sizeof(IpcHandle) &&
              std::has_unique_object_representations_v<PointerName>);

PoolOrigin origin_of(const Pool &pool) { return {static_cast<std::uint64_t>(getpid()), pool.number}; }

// HIP's runtime answers so where the import or the export itself fails.
Status failed() { return on_hip() ? Status::memory_allocation : Status::invalid_value; }
Status no_pool_there() { return on_hip() ? failed() : Status::unknown; }

} // namespace

Status MemPoolExportToShareableHandle(void *shareable, PoolTag *pool, int type, unsigned long long flags) {
    const auto object = shareable ? find_pool(pool) : nullptr;
    const bool asked_for =
        object && type == static_cast<int>(posix_file) && object->handle_types == posix_file;
    if (!asked_for || object->origin.process || flags) return Status::invalid_value;
    PoolName name;
    name.origin = origin_of(*object);
    name.device = on_machine(object->device);
    const int descriptor = make_memory_file(pool_file, sizeof name);
    if (descriptor < 0) return Status::operating_system;
    if (!write_file(descriptor, &name, sizeof name, 0)) {
        ::close(descriptor);
        return Status::operating_system;
    }
    object->exported = true;
    std::memcpy(shareable, &descriptor, sizeof descriptor);
    return Status::success;
}

Status MemPoolImportFromShareableHandle(PoolTag **pool, void *shareable, int type, unsigned long long flags) {
    if (!pool || type != static_cast<int>(posix_file) || flags) return Status::invalid_value;
    if (on_hip() && !shareable) return Status::invalid_value;
    const auto descriptor = static_cast<int>(reinterpret_cast<std::intptr_t>(shareable));
    PoolName name, ours;
    if (descriptor < 0 || !is_memory_file(descriptor, pool_file) || !has_sealed_size(descriptor) ||
        pread(descriptor, &name, sizeof name, 0) != static_cast<ssize_t>(sizeof name) ||
        std::memcmp(name.magic, ours.magic, sizeof ours.magic) || !name.origin.process || name.device < 0 ||
        name.device >= all_devices())
        return no_pool_there();
    const int device = seen_as(static_cast<int>(name.device));
    if (device < 0) return Status::invalid_device;
    auto created = std::make_shared<Pool>(device, false);
    created->origin = name.origin;
    created->member.enter(host::device(device).pools);
    *pool = static_cast<PoolTag *>(handle_of(created));
    return Status::success;
}

Status MemPoolExportPointer(IpcHandle *data, void *pointer) {
    if (!data || !pointer) return Status::invalid_value;
    const Memory memory = memory_at(pointer);
    const auto pool = memory ? pool_of(*memory) : nullptr;
    if (!pool || pool->handle_types != posix_file || pool->origin.process || memory->freeing) return failed();
    if (!pool->exported && !on_hip()) return Status::invalid_value; // the pool itself comes first
    const auto pages = share_when_idle(*memory);
    if (!pages) return Status::operating_system;
    PointerName name;
    name.file = pages->file();
    name.size = memory->size;
    name.origin = origin_of(*pool);
    *data = {};
    std::memcpy(data, &name, sizeof name);
    return Status::success;
}

Status MemPoolImportPointer(void **pointer, PoolTag *pool, IpcHandle *data) {
    if (!pointer || !data) return Status::invalid_value;
    const auto object = find_pool(pool);
    PointerName name, ours;
    std::memcpy(static_cast<void *>(&name), data, sizeof name);
    if (!object || !object->origin.process || std::memcmp(name.magic, ours.magic, sizeof ours.magic) ||
        name.origin != object->origin || !name.size || name.size > name.file.size)
        return Status::invalid_value;
    const std::lock_guard lock(sharing_mutex());
    auto pages = SharedPages::open(Shared::memory, name.file);
    if (!pages || !object->take(name.size)) return failed();
    Memory memory;
    const Status status = enter_opened(std::move(pages), name.size, object->device, memory);
    if (status != Status::success) {
        object->give(name.size);
        return status;
    }
    set_pool(*memory, object);
    object->took();
    *pointer = memory->base;
    return Status::success;
}

} // namespace pygpu::host::api
