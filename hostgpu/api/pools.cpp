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
#include "memory/physical.hpp"
#include "memory/pool.hpp"
#include "streams/stream.hpp"

#include <map>
#include <mutex>
#include <tuple>

namespace pygpu::host::api {
namespace {

constexpr int pinned_allocations = 1, managed_allocations = 2;

// Where AMD's runtime makes pools (hipamd/src/hip_mempool.cpp of ROCm/clr).
Status place_of_hip(const PoolProperties &wanted) {
    const bool there = wanted.type == pinned_allocations && wanted.location.type == on_device &&
                       is_device(wanted.location.id);
    if (!there) return Status::invalid_value;
    return wanted.handle_types & ~posix_file ? Status::not_supported : Status::success;
}

// The codes of an H200.
Status place_of(const PoolProperties &wanted) {
    const bool managed = wanted.type == managed_allocations;
    if (!managed && wanted.type != pinned_allocations) return Status::invalid_value;
    if (wanted.handle_types && wanted.handle_types != posix_file && wanted.handle_types != fabric_handle)
        return Status::invalid_value;
    if (wanted.handle_types == fabric_handle) return Status::not_supported;
    switch (wanted.location.type) {
    case on_device:
        return is_device(wanted.location.id) ? Status::success : Status::invalid_value;
    case on_host:
        return Status::success;
    case on_host_numa:
        return wanted.location.id ? Status::invalid_value : Status::success;
    case no_location:
        return managed ? Status::success : Status::invalid_value;
    default:
        return managed ? Status::not_supported : Status::invalid_value;
    }
}

MemoryKind kind_of(const Location &location, int type) {
    if (type == managed_allocations) return MemoryKind::managed;
    return location.type == on_device ? MemoryKind::device : MemoryKind::host;
}

// An H200 knows no pool of a place beyond the nodes.
Status check_place(const Location *location, int type) {
    if (!location) return Status::invalid_value;
    if (location->type > on_host_numa) return Status::not_supported;
    const bool managed = type == managed_allocations;
    if (!managed && type != pinned_allocations) return Status::invalid_value;
    if (location->type == on_device && !is_device(location->id)) return Status::invalid_value;
    if (location->type == on_host_numa && location->id) return Status::invalid_value;
    return location->type == no_location && !managed ? Status::invalid_value : Status::success;
}

bool is_pool_of_device(const Location &location, int type) {
    return kind_of(location, type) == MemoryKind::device;
}

// The pools of the host and of managed memory: of each place the default one, and the current one.
struct PlacePools {
    std::shared_ptr<Pool> first, current;
};

struct AllPlaces {
    std::mutex mutex;
    std::map<std::tuple<int, unsigned, int>, PlacePools> by_place;

    // Made when first asked for. The caller holds the lock.
    PlacePools &at(const Location &location, int type) {
        const bool numbered = location.type == on_device;
        PlacePools &pools = by_place[{type, location.type, numbered ? location.id : 0}];
        if (pools.first) return pools;
        const int device = numbered ? location.id : 0;
        auto created = std::make_shared<Pool>(device, true, kind_of(location, type));
        created->place = location;
        created->member.enter(host::device(device).pools);
        pools.first = pools.current = std::move(created);
        return pools;
    }
};

AllPlaces &all_places() {
    static auto *all = new AllPlaces;
    return *all;
}

Status take(const std::shared_ptr<Pool> &pool, void **pointer, std::size_t size) {
    if (!pointer) return Status::invalid_value;
    *pointer = nullptr;
    if (!size) return Status::success;
    if (pool->origin.process) return Status::invalid_value; // imported pools allocate nothing
    if (!pool->take(size)) return Status::memory_allocation;
    Memory memory;
    const Pages pages = pool->handle_types ? Pages::own : Pages::shared; // others may map them
    const unsigned flags = pool->kind == MemoryKind::managed ? 1 : 0;    // attached globally
    const Status status = caught([&] {
        const Status allocated =
            allocate(pool->kind, pool->device, size, flags, memory, Owner::caller, pages);
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
    const bool captured = captures(*on); // which refuses the call where a capture forbids it
    if (!pointer) return Status::success;
    if (captured) return submit_release(on, pointer);
    const Memory memory = memory_beginning_at(pointer);
    const auto of_graph = memory ? graph_memory_of(*memory) : nullptr;
    if (of_graph && of_graph->free()) {
        const auto release = [of_graph] { of_graph->release(); };
        if (settings().strict || !on->run_now(release)) on->submit(make_work(release));
        return Status::success;
    }
    const bool frees = memory && is_freed_by_caller(*memory) && (memory->on_device() || pool_of(*memory));
    if (!frees || memory->freeing.exchange(true)) {
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
    // A card takes a pool of managed memory, too.
    const bool fits = object && object->device == number && object->kind != MemoryKind::host;
    if (!fits || object->origin.process) return Status::invalid_value;
    Device &owner = device(number);
    std::lock_guard lock(owner.mutex);
    owner.pool = object;
    return Status::success;
}

Status MemPoolCreate(PoolTag **pool, const PoolProperties *properties) {
    if (!pool || !properties) return Status::invalid_value;
    const Status placed = on_hip() ? place_of_hip(*properties) : place_of(*properties);
    if (placed != Status::success) return placed;
    const Location &place = properties->location;
    const MemoryKind kind = kind_of(place, static_cast<int>(properties->type));
    auto created =
        std::make_shared<Pool>(place.type == on_device ? place.id : current_device().number, false, kind);
    created->place = place;
    created->max_size = properties->max_size;
    created->handle_types = properties->handle_types;
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
    if (const Status status = check_place(location, type); status != Status::success) return status;
    if (is_pool_of_device(*location, type)) return DeviceGetDefaultMemPool(pool, location->id);
    if (!pool) return Status::invalid_value;
    AllPlaces &all = all_places();
    std::lock_guard lock(all.mutex);
    *pool = static_cast<PoolTag *>(handle_of(all.at(*location, type).first));
    return Status::success;
}

Status MemGetMemPool(PoolTag **pool, Location *location, int type) {
    if (const Status status = check_place(location, type); status != Status::success) return status;
    if (is_pool_of_device(*location, type)) return DeviceGetMemPool(pool, location->id);
    if (!pool) return Status::invalid_value;
    AllPlaces &all = all_places();
    std::lock_guard lock(all.mutex);
    PlacePools &here = all.at(*location, type);
    if (!pools().find(here.current->handle)) here.current = here.first; // it was destroyed
    *pool = static_cast<PoolTag *>(handle_of(here.current));
    return Status::success;
}

Status MemSetMemPool(Location *location, int type, PoolTag *pool) {
    if (const Status status = check_place(location, type); status != Status::success) return status;
    if (is_pool_of_device(*location, type)) return DeviceSetMemPool(location->id, pool);
    const auto object = find_pool(pool);
    const bool fits = object && object->kind == kind_of(*location, type) && object->place == *location;
    if (!fits || object->origin.process) return Status::invalid_value;
    AllPlaces &all = all_places();
    std::lock_guard lock(all.mutex);
    all.at(*location, type).current = object;
    return Status::success;
}

} // namespace pygpu::host::api
