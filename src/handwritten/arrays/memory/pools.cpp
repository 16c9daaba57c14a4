// Making the pools.
#include "arrays/memory/pools.hpp"

#include "arrays/memory/block_cache.hpp"
#include "arrays/memory/deferred_free.hpp"
#include "arrays/memory/huge_pages.hpp"
#include "arrays/memory/pinned.hpp"
#include "arrays/memory/upload_ring.hpp"
#include "arrays/streams/captures.hpp"
#include "runtime/api.hpp"
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

// Memory that was freed and will be needed again shortly is not worth a trip to the driver.
std::uint64_t default_threshold(const Runtime &runtime, Scope &scope) {
    std::size_t free = 0, total = 0;
    return scope(runtime.memory_info(&free, &total)) ? 0 : total / 16;
}

Pool make_pool(const Runtime &runtime, Scope &scope) {
    Pool pool = nullptr;
    // HIP renumbers the attribute for this with each release, so the call itself is the probe.
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
    const Pool made = make_pool(runtime, scope);
    Pool pool = nullptr;
    {
        const Entry entry(device);
        if (entry.generation() != now) return nullptr; // what was made ended with a reset
        if (!entry->probed) entry->pool = made;        // else another thread was quicker
        entry->probed.store(true, std::memory_order_release);
        pool = entry->pool;
    }
    if (made && made != pool) scope(runtime.pool_destroy(made));
    return pool;
}

int set_pool_threshold(const Runtime &runtime, Scope &scope, std::uint64_t bytes) {
    if (in_child()) return scope.status();
    Entry::peek(scope.device()).threshold = bytes; // a pool that is being made takes it, or is there below
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
    // What is cached is in no array. The vendors' pools count in pieces of 512 bytes.
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
    free_kept_huge_pages(); // to which what was page-locked has come
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
