// Counting what pools hold.
#include "memory/pool.hpp"

#include "memory/side_table.hpp"

#include <algorithm>
#include <cstring>

namespace pygpu::host {
namespace {

constexpr std::uint64_t granule = std::uint64_t{32} << 20; // pools take memory from the device in such pieces

// Saturates at the largest multiple.
std::uint64_t granules(std::uint64_t bytes) {
    return bytes <= UINT64_MAX - granule ? (bytes + granule - 1) / granule * granule
                                         : UINT64_MAX / granule * granule;
}

// The attributes' numbers, equal in both APIs.
enum Attribute {
    reuse_first = 1, // 1 to 3: follow events, opportunistic, internal dependencies
    reuse_last = 3,
    release_threshold = 4,
    reserved_current = 5,
    reserved_high = 6,
    used_current = 7,
    used_high = 8,
};

SideTable<Pool> &pools_of_memory() {
    static auto *table = new SideTable<Pool>;
    return *table;
}

template <class Value> Status give(void *to, Value value) {
    std::memcpy(to, &value, sizeof value);
    return Status::success;
}

} // namespace

bool Pool::take(std::size_t size) {
    std::lock_guard lock(mutex_);
    if (max_size && (size > max_size || used_ > max_size - size)) return false;
    used_ += size;
    return true;
}

void Pool::took() {
    std::lock_guard lock(mutex_);
    used_high_ = std::max(used_high_, used_);
    reserved_ = std::max(reserved_, granules(used_));
    reserved_high_ = std::max(reserved_high_, reserved_);
}

void Pool::give(std::size_t size) {
    std::lock_guard lock(mutex_);
    used_ -= std::min<std::uint64_t>(used_, size);
}

void Pool::trim(std::size_t keep) {
    std::lock_guard lock(mutex_);
    reserved_ = std::min(reserved_, granules(std::max<std::uint64_t>(used_, keep)));
}

void Pool::trim_to_threshold() {
    std::lock_guard lock(mutex_);
    reserved_ =
        std::min(reserved_, granules(used_) > threshold_ ? granules(used_) : threshold_ / granule * granule);
}

Status Pool::get(int attribute, void *value) const {
    std::lock_guard lock(mutex_);
    switch (attribute) {
    case release_threshold:
        return host::give(value, threshold_);
    case reserved_current:
        return host::give(value, reserved_);
    case reserved_high:
        return host::give(value, reserved_high_);
    case used_current:
        return host::give(value, used_);
    case used_high:
        return host::give(value, used_high_);
    default:
        if (attribute < reuse_first || attribute > reuse_last) return Status::invalid_value;
        return host::give(value, reuse_[attribute - reuse_first]);
    }
}

// Only a known attribute's value is read: nobody knows what an unknown one's pointer is for.
Status Pool::set(int attribute, const void *value) {
    std::lock_guard lock(mutex_);
    const auto number = [=] {
        std::uint64_t read = 0;
        std::memcpy(&read, value, sizeof read);
        return read;
    };
    // High-water marks can only be reset.
    const auto reset = [&](std::uint64_t &mark, std::uint64_t current) {
        if (number()) return Status::invalid_value;
        mark = current;
        return Status::success;
    };
    switch (attribute) {
    case release_threshold:
        threshold_ = number();
        return Status::success;
    case reserved_high:
        return reset(reserved_high_, reserved_);
    case used_high:
        return reset(used_high_, used_);
    default:
        if (attribute < reuse_first || attribute > reuse_last) return Status::invalid_value;
        std::memcpy(&reuse_[attribute - reuse_first], value, sizeof(int));
        return Status::success;
    }
}

int Pool::access(int from) const {
    std::lock_guard lock(mutex_);
    const auto entry = access_.find(from);
    return entry != access_.end() ? entry->second : from == device || kind != MemoryKind::device ? 3 : 0;
}

void Pool::set_access(int from, int flags) {
    std::lock_guard lock(mutex_);
    access_[from] = flags;
}

std::shared_ptr<Pool> pool_of(const Allocation &memory) { return pools_of_memory().find(memory); }

void set_pool(const Allocation &memory, std::shared_ptr<Pool> pool) {
    pools_of_memory().set(memory, std::move(pool));
}

bool is_freed_by_caller(const Allocation &memory) {
    return memory.owner == Owner::caller || (memory.owner == Owner::other_process && pool_of(memory));
}

void return_to_pool(const Allocation &memory) {
    if (const auto pool = pool_of(memory)) pool->give(memory.size);
}

Handles<Pool> &pools() {
    static auto *handles = new Handles<Pool>;
    return *handles;
}

void *handle_of(const std::shared_ptr<Pool> &pool) {
    static std::mutex mutex;
    std::lock_guard lock(mutex);
    if (!pool->handle) pool->handle = pools().add(pool);
    return pool->handle;
}

} // namespace pygpu::host
