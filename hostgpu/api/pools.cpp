// Stream-ordered memory and its pools.
#include "api/api.hpp"
#include "api/find.hpp"
#include "api/nodes.hpp"
#include "base/call.hpp"
#include "base/caught.hpp"
#include "base/settings.hpp"
#include "base/thread.hpp"
#include "device/device.hpp"
#include "memory/freed.hpp"
#include "memory/graph_memory.hpp"
#include "memory/misuse.hpp"
#include "memory/pool.hpp"
#include "streams/stream.hpp"

namespace pygpu::host::api {
namespace {

constexpr int pinned_allocations = 1, managed_allocations = 2;

// Where AMD's runtime makes pools (hipamd/src/hip_mempool.cpp of ROCm/clr).
Status place_of_hip(const PoolProperties &wanted) {
    const bool there = wanted.type == pinned_allocations && wanted.location.type == on_device &&
                       is_device(wanted.location.id);
    return there ? Status::success : Status::invalid_value;
}

// Pools of a host's or of managed memory, which an H200 has, aren't supported. Its codes for the rest.
Status place_of(const PoolProperties &wanted) {
    const bool managed = wanted.type == managed_allocations;
    if (!managed && wanted.type != pinned_allocations) return Status::invalid_value;
    constexpr int posix_file = 1, fabric = 8;
    if (wanted.handle_types && wanted.handle_types != posix_file && wanted.handle_types != fabric)
        return Status::invalid_value;
    switch (wanted.location.type) {
    case on_device:
        if (!is_device(wanted.location.id)) return Status::invalid_value;
        return managed ? Status::not_supported : Status::success;
    case on_host:
        return Status::not_supported;
    case on_host_numa:
        return wanted.location.id ? Status::invalid_value : Status::not_supported;
    default:
        return managed ? Status::not_supported : Status::invalid_value;
    }
}

// Only devices have pools here, and not of managed memory. An H200 knows no pool of a place beyond the nodes.
Status device_of(const Location *location, int type, int &device) {
    if (!location) return Status::invalid_value;
    if (location->type > on_host_numa) return Status::not_supported;
    const bool managed = type == managed_allocations;
    if (!managed && type != pinned_allocations) return Status::invalid_value;
    if (location->type == on_device && !is_device(location->id)) return Status::invalid_value;
    if (location->type == on_host_numa && location->id) return Status::invalid_value;
    if (location->type == no_location && !managed) return Status::invalid_value;
    if (location->type != on_device || managed) return Status::not_supported;
    device = location->id;
    return Status::success;
}

Status take(const std::shared_ptr<Pool> &pool, void **pointer, std::size_t size) {
    if (!pointer) return Status::invalid_value;
    *pointer = nullptr;
    if (!size) return Status::success;
    if (!pool->take(size)) return Status::memory_allocation;
    Memory memory;
    const Status status = caught([&] {
        const Status allocated = allocate(MemoryKind::device, pool->device, size, 0, memory);
        if (allocated == Status::success) set_pool(*memory, pool);
        return allocated;
    });
    if (status != Status::success) {
        if (memory) forget(memory);
        pool->give(size);
        return status;
    }
    pool->took();
    *pointer = memory->base;
    return Status::success;
}

// A captured allocation is the graph's own; a pool only says where it lies.
Status capture_allocation(const std::shared_ptr<Stream> &stream, void **pointer, std::size_t size,
                          int number) {
    if (!pointer) return Status::invalid_value;
    *pointer = nullptr;
    if (!size) return Status::success;
    AllocationNode node{};
    node.pool.type = pinned_allocations;
    node.pool.location = {on_device, number};
    node.size = size;
    return submit_allocation(stream, node, pointer);
}

} // namespace

Status MallocAsync(void **pointer, std::size_t size, StreamTag *stream) {
    const auto on = find_stream(stream);
    if (!on) return gone_stream(stream);
    if (captures(*on)) return capture_allocation(on, pointer, size, on->device);
    std::shared_ptr<Pool> pool;
    {
        Device &owner = device(on->device);
        std::lock_guard lock(owner.mutex);
        pool = owner.pool;
    }
    return take(pool, pointer, size);
}

Status MallocFromPoolAsync(void **pointer, std::size_t size, PoolTag *pool, StreamTag *stream) {
    const auto from = find_pool(pool);
    if (!from) return Status::invalid_value;
    const auto on = find_stream(stream);
    if (!on) return gone_stream(stream);
    if (captures(*on)) return capture_allocation(on, pointer, size, from->device);
    return take(from, pointer, size);
}

Status FreeAsync(void *pointer, StreamTag *stream) {
    const auto on = find_stream(stream);
    if (!on) return gone_stream(stream);
    if (!pointer) return Status::success;
    if (captures(*on)) return submit_release(on, pointer);
    const Memory memory = memory_beginning_at(pointer);
    const auto of_graph = memory ? graph_memory_of(*memory) : nullptr;
    if (of_graph && of_graph->free()) {
        const auto release = [of_graph] { of_graph->release(); };
        if (settings().strict || !on->run_now(release)) on->submit(make_work(release));
        return Status::success;
    }
    if (!memory || memory->owner != Owner::caller || !memory->on_device() || memory->freeing.exchange(true)) {
        report_misuse(lately_freed(pointer) ? "freed before"
                      : memory              ? "a free is queued already, or no memory that can be freed so"
                                            : "unknown pointer",
                      pointer, memory.get());
        return Status::invalid_value;
    }
    const auto release = [memory, call = thread().call] {
        if (memory->queued && call) {
            const Inside inside(*call);
            report_misuse("work of another stream, which this one doesn't wait for, still uses this memory",
                          memory->base, memory.get());
        }
        if (forget(memory)) return_to_pool(*memory);
    };
    const Status queued = caught([&] {
        if (settings().strict || !on->run_now(release)) on->submit(make_work(release));
        return Status::success;
    });
    if (queued != Status::success) memory->freeing = false;
    return queued;
}

Status DeviceGetDefaultMemPool(PoolTag **pool, int number) {
    if (!pool) return Status::invalid_value;
    if (!is_device(number)) return Status::invalid_device;
    *pool = static_cast<PoolTag *>(handle_of(device(number).default_pool));
    return Status::success;
}

Status DeviceGetMemPool(PoolTag **pool, int number) {
    if (!pool) return Status::invalid_value;
    if (!is_device(number)) return Status::invalid_value;
    Device &owner = device(number);
    std::lock_guard lock(owner.mutex);
    *pool = static_cast<PoolTag *>(handle_of(owner.pool));
    return Status::success;
}

Status DeviceSetMemPool(int number, PoolTag *pool) {
    if (!is_device(number)) return Status::invalid_value;
    const auto object = find_pool(pool);
    if (!object || object->device != number) return Status::invalid_value;
    Device &owner = device(number);
    std::lock_guard lock(owner.mutex);
    owner.pool = object;
    return Status::success;
}

Status MemPoolCreate(PoolTag **pool, const PoolProperties *properties) {
    if (!pool || !properties) return Status::invalid_value;
    const Status placed = on_hip() ? place_of_hip(*properties) : place_of(*properties);
    if (placed != Status::success) return placed;
    if (properties->handle_types) return Status::not_supported; // no other process can import it
    auto created = std::make_shared<Pool>(properties->location.id, false);
    created->max_size = properties->max_size;
    created->member.enter(device(created->device).pools);
    *pool = static_cast<PoolTag *>(handle_of(created));
    return Status::success;
}

Status MemPoolDestroy(PoolTag *pool) {
    const auto object = find_pool(pool);
    if (!object || object->is_default) return Status::invalid_value;
    pools().remove(pool);
    Device &owner = device(object->device);
    std::lock_guard lock(owner.mutex);
    if (owner.pool == object) owner.pool = owner.default_pool;
    return Status::success;
}

Status MemPoolTrimTo(PoolTag *pool, std::size_t keep) {
    const auto object = find_pool(pool);
    if (!object) return Status::invalid_value;
    object->trim(keep);
    return Status::success;
}

Status MemPoolGetAttribute(PoolTag *pool, int attribute, void *value) {
    const auto object = find_pool(pool);
    return object && value ? object->get(attribute, value) : Status::invalid_value;
}

Status MemPoolSetAttribute(PoolTag *pool, int attribute, void *value) {
    const auto object = find_pool(pool);
    return object && value ? object->set(attribute, value) : Status::invalid_value;
}

Status MemPoolGetAccess(int *flags, PoolTag *pool, Location *location) {
    const auto object = find_pool(pool);
    if (!object || !flags || !location || location->type != on_device) return Status::invalid_value;
    if (!is_device(location->id)) return Status::invalid_value;
    *flags = object->access(location->id);
    return Status::success;
}

Status MemPoolSetAccess(PoolTag *pool, const Access *list, std::size_t count) {
    const auto object = find_pool(pool);
    if (!object || (count && !list)) return Status::invalid_value;
    for (std::size_t index = 0; index < count; ++index) {
        const Access &one = list[index];
        if (one.location.type != on_device) return Status::invalid_value;
        if (!is_device(one.location.id)) return Status::invalid_device;
        if (one.flags != 0 && one.flags != 1 && one.flags != 3) return Status::invalid_value;
        // A pool's own device can't be shut out.
        if (one.location.id == object->device && one.flags != 3) return Status::invalid_device;
    }
    for (std::size_t index = 0; index < count; ++index)
        object->set_access(list[index].location.id, static_cast<int>(list[index].flags));
    return Status::success;
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

} // namespace pygpu::host::api
