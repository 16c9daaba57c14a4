// Making the pools.
#include "arrays/memory/pools.hpp"

#include "arrays/memory/block_cache.hpp"
#include "runtime/device_state.hpp"

#include <algorithm>
#include <atomic>

namespace pygpu::arrays {
namespace {

constexpr std::uint64_t unset = UINT64_MAX;

struct DevicePool {
    std::atomic<Pool> pool{nullptr};
    std::atomic<bool> probed{false}; // whether pool_create was tried
    std::atomic<std::uint64_t> threshold{unset};

    void forget() {
        probed.store(false, std::memory_order_relaxed);
        pool = nullptr;
    }
};

using Entry = DeviceState<DevicePool>;

// Freed memory that is needed again shortly should not go back to the driver.
std::uint64_t default_threshold(const Runtime &runtime, Scope &scope) {
    std::size_t free = 0, total = 0;
    return scope(runtime.memory_info(&free, &total)) ? 0 : total / 8;
}

Pool make_pool(const Runtime &runtime, Scope &scope) {
    Pool pool = nullptr;
    // Trying this call is the only way to know whether there are pools: HIP changes the number of the
    // attribute with its releases.
    if (scope(runtime.pool_create(&pool, scope.device()))) return nullptr;
    const std::uint64_t threshold = Entry::peek(scope.device()).threshold;
    scope(
        runtime.pool_set_threshold(pool, threshold == unset ? default_threshold(runtime, scope) : threshold));
    return pool;
}

} // namespace

Pool pool_of(const Runtime &runtime, Scope &scope) {
    if (scope.status() || in_child()) return nullptr;
    const int device = scope.device();
    const DevicePool &known = Entry::peek(device);
    if (Entry::is_current(device) && known.probed.load(std::memory_order_acquire))
        return known.pool.load(std::memory_order_relaxed);
    const DeviceGeneration now = generation_of(device);
    const Pool created = make_pool(runtime, scope);
    Pool pool = nullptr;
    {
        const Entry entry(device);
        if (entry.generation() != now) return nullptr; // what was made ended with a reset
        if (!entry->probed) entry->pool = created;     // otherwise another thread was quicker
        entry->probed.store(true, std::memory_order_release);
        pool = entry->pool;
    }
    if (created && created != pool) scope(runtime.pool_destroy(created));
    return pool;
}

int set_pool_threshold(const Runtime &runtime, Scope &scope, std::uint64_t bytes) {
    if (in_child()) return scope.status();
    // Set first: a pool that another thread is making either reads this value, or is returned below.
    Entry::peek(scope.device()).threshold = bytes;
    const Pool pool = pool_of(runtime, scope);
    limit_cache(scope.device(), bytes);
    const int freed = free_cached_blocks(runtime, scope);
    const int set = pool ? scope(runtime.pool_set_threshold(pool, bytes)) : success;
    return set ? set : freed;
}

int pool_usage(const Runtime &runtime, Scope &scope, std::uint64_t &used, std::uint64_t &reserved) {
    used = reserved = 0;
    const Pool pool = pool_of(runtime, scope);
    const std::uint64_t newest = newest_block(scope.device());
    const int status = pool ? scope(runtime.pool_usage(pool, &used, &reserved)) : success;
    // Cached blocks are in no array, so they don't count as used, if they were cached all the time: another
    // thread may have allocated and cached one since. A pool counts the bytes that were asked for (seen with
    // driver 580).
    used -= std::min<std::uint64_t>(used, cached_bytes(scope.device(), newest));
    reserved = std::max(reserved, used);
    return status;
}

} // namespace pygpu::arrays
