// Making the pools.
#include "arrays/memory/pools.hpp"

#include "arrays/memory/block_cache.hpp"
#include "arrays/memory/deferred_free.hpp"
#include "arrays/memory/pinned.hpp"
#include "arrays/memory/upload_ring.hpp"
#include "arrays/streams/captures.hpp"
#include "python/lock.hpp"
#include "runtime/api.hpp"
#include "runtime/generation.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

namespace pygpu::arrays {
namespace {

constexpr std::uint64_t unset = UINT64_MAX;

struct DevicePool {
    std::mutex mutex;
    std::atomic<Pool> pool{nullptr};
    std::atomic<bool> asked{false}; // whether there is one is known
    std::atomic<unsigned> resets{0};
    std::atomic<std::uint64_t> threshold{unset};

    bool is_known(unsigned now) const {
        return asked.load(std::memory_order_acquire) && resets.load(std::memory_order_relaxed) == now;
    }
};

DevicePool &entry_of(int device) {
    static auto *pools = new DevicePool[most_devices];
    return pools[device & (most_devices - 1)];
}

// Memory that was freed and is asked for again shortly is not worth a trip to the driver.
std::uint64_t default_threshold(const Runtime &runtime, Scope &scope) {
    std::size_t free = 0, total = 0;
    return scope(runtime.memory_info(&free, &total)) ? 0 : total / 16;
}

Pool make_pool(const Runtime &runtime, Scope &scope, DevicePool &entry) {
    Pool pool = nullptr;
    // HIP numbers the attribute that tells differently in each release, so the call itself is the probe.
    if (scope(runtime.pool_create(&pool, scope.device()))) return nullptr;
    const std::uint64_t threshold = entry.threshold;
    scope(
        runtime.pool_set_threshold(pool, threshold == unset ? default_threshold(runtime, scope) : threshold));
    return pool;
}

} // namespace

Pool pool_of(const Runtime &runtime, Scope &scope) {
    if (scope.status() || in_child()) return nullptr;
    DevicePool &entry = entry_of(scope.device());
    const unsigned now = generation_of(scope.device()).resets;
    if (entry.is_known(now)) return entry.pool.load(std::memory_order_relaxed);
    const Pool made = make_pool(runtime, scope, entry);
    bool quicker = false; // another thread was
    {
        const Lock lock(entry.mutex);
        quicker = entry.is_known(now);
        if (!quicker) {
            entry.pool = made;
            entry.resets = now;
            entry.asked.store(true, std::memory_order_release);
        }
    }
    if (quicker && made) scope(runtime.pool_destroy(made));
    return quicker ? entry.pool.load(std::memory_order_relaxed) : made;
}

int set_pool_threshold(const Runtime &runtime, Scope &scope, std::uint64_t bytes) {
    if (in_child()) return scope.status();
    entry_of(scope.device()).threshold = bytes; // a pool that is being made takes it, or is there below
    const Pool pool = pool_of(runtime, scope);
    limit_cache(scope.device(), bytes);
    const int freed = free_cached_blocks(runtime, scope);
    const int set = pool ? scope(runtime.pool_set_threshold(pool, bytes)) : success;
    return set ? set : freed;
}

int pool_usage(const Runtime &runtime, Scope &scope, std::uint64_t &used, std::uint64_t &reserved) {
    used = reserved = 0;
    const Pool pool = pool_of(runtime, scope);
    const int status = pool ? scope(runtime.pool_usage(pool, &used, &reserved)) : success;
    // What is kept is in no array. The vendors' pools count in pieces of 512 bytes.
    used -= std::min<std::uint64_t>(used, cached_bytes(scope.device(), runtime.api.host ? 1 : 512));
    reserved = std::max(reserved, used);
    return status;
}

int trim(const Runtime &runtime, Scope &scope, std::size_t keep) {
    int status = free_cached_blocks(runtime, scope);
    const int deferred = free_deferred(runtime, scope); // waits for the device
    if (!status) status = deferred;
    for (auto *give_back : {free_cached_pinned, free_upload_ring}) {
        const int given = give_back(runtime, scope);
        if (!status) status = given;
    }
    const Pool pool = pool_of(runtime, scope);
    if (pool) {
        // A pool gives back only what a stream or an event was waited for since (seen with driver 580).
        if (!refuse_capture(runtime, scope, nullptr)) {
            const int waited = scope(runtime.stream_synchronize(nullptr));
            if (!status) status = waited;
        }
        const int trimmed = scope(runtime.pool_trim(pool, keep));
        if (!status) status = trimmed;
    }
    return status;
}

bool give_all_back(const Runtime &runtime, Scope &scope) {
    const int trimmed = trim(runtime, scope, 0);
    return !trimmed || trimmed == out_of_memory; // what can't be given back may not be what is missing
}

} // namespace pygpu::arrays
