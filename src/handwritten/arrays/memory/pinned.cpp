// The cache of page-locked memory.
#include "arrays/memory/pinned.hpp"

#include "python/lock.hpp"
#include "runtime/generation.hpp"

#include <bit>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

namespace pygpu::arrays {
namespace {

struct PinnedPiece {
    void *pointer;
    int device; // in whose context it was made, and whose reset ends it
    DeviceGeneration generation;
};

struct PinnedCache {
    std::mutex mutex;
    std::multimap<std::size_t, PinnedPiece> pieces; // by capacity
    std::size_t bytes = 0;
    std::size_t staging = 0; // bytes that copies pass through now
    std::size_t limit = std::size_t{64} << 20;

    bool has_room_for(std::size_t more) const { return bytes + staging + more <= limit; }
};

PinnedCache &pinned_cache() {
    static auto *cache = new PinnedCache; // outlives every static destructor
    return *cache;
}

constexpr std::size_t page = 4096, large = std::size_t{1} << 20;

// So that nearly equal sizes share: powers of two, from 1 MiB on multiples of it.
std::size_t capacity_of(std::size_t size) {
    if (size <= page) return page;
    return size <= large ? std::bit_ceil(size) : (size + large - 1) / large * large;
}

} // namespace

int take_pinned(const Runtime &runtime, Scope &scope, std::size_t size, void *&pointer) {
    const std::size_t capacity = capacity_of(size);
    if (!in_child()) {
        PinnedCache &cache = pinned_cache();
        const Lock lock(cache.mutex);
        auto [at, end] = cache.pieces.equal_range(capacity);
        for (; at != end; ++at) {
            const PinnedPiece piece = at->second;
            if (piece.device != scope.device() || piece.generation != generation_of(piece.device)) continue;
            cache.bytes -= capacity;
            cache.pieces.erase(at);
            pointer = piece.pointer;
            return success;
        }
    }
    int status = scope(runtime.host_alloc(&pointer, capacity));
    if (status == out_of_memory && !free_cached_pinned(runtime, scope))
        status = scope(runtime.host_alloc(&pointer, capacity));
    return status;
}

bool cache_pinned(void *pointer, std::size_t size, int device) {
    const std::size_t capacity = capacity_of(size);
    if (in_child()) return false;
    PinnedCache &cache = pinned_cache();
    const Lock lock(cache.mutex);
    if (!cache.has_room_for(capacity)) return false;
    cache.pieces.emplace(capacity, PinnedPiece{pointer, device, generation_of(device)});
    cache.bytes += capacity;
    return true;
}

int take_staging(const Runtime &runtime, Scope &scope, std::size_t size, void *&pointer) {
    const std::size_t capacity = capacity_of(size);
    bool full = false;
    if (!in_child()) {
        PinnedCache &cache = pinned_cache();
        const Lock lock(cache.mutex);
        if (cache.staging + capacity > cache.limit) return out_of_memory;
        cache.staging += capacity;
        full = !cache.has_room_for(0) && !cache.pieces.contains(capacity);
    }
    if (full) free_cached_pinned(runtime, scope); // else there would be more than the limit
    const int status = take_pinned(runtime, scope, size, pointer);
    if (status) end_staging(size);
    return status;
}

void end_staging(std::size_t size) {
    if (in_child()) return;
    PinnedCache &cache = pinned_cache();
    const Lock lock(cache.mutex);
    cache.staging -= capacity_of(size);
}

std::size_t pinned_limit() {
    if (in_child()) return 0;
    PinnedCache &cache = pinned_cache();
    const Lock lock(cache.mutex);
    return cache.limit;
}

int set_pinned_limit(const Runtime &runtime, Scope &scope, std::size_t bytes) {
    if (in_child()) return scope.status();
    std::set<int> devices; // that have something cached, where that is too much now
    {
        PinnedCache &cache = pinned_cache();
        const Lock lock(cache.mutex);
        cache.limit = bytes;
        if (!cache.has_room_for(0))
            for (const auto &[capacity, piece] : cache.pieces) devices.insert(piece.device);
    }
    int status = success;
    for (const int device : devices) {
        int freed = scope.change(device);
        if (!freed) freed = free_cached_pinned(runtime, scope);
        if (!status) status = freed;
    }
    return status;
}

int free_cached_pinned(const Runtime &runtime, Scope &scope) {
    if (in_child()) return success;
    PinnedCache &cache = pinned_cache();
    // Freed without the lock: freeing waits for the device.
    std::vector<std::pair<std::size_t, PinnedPiece>> taken;
    {
        const Lock lock(cache.mutex);
        for (auto at = cache.pieces.begin(); at != cache.pieces.end();) {
            const PinnedPiece &piece = at->second;
            const bool over = piece.generation != generation_of(piece.device);
            if (!over && piece.device != scope.device()) {
                ++at;
                continue;
            }
            if (!over) taken.push_back(*at);
            cache.bytes -= at->first;
            at = cache.pieces.erase(at);
        }
    }
    int status = success;
    for (const auto &[capacity, piece] : taken) {
        const int freed = scope(runtime.host_free(piece.pointer));
        if (!freed) continue;
        if (!status) status = freed;
        const Lock lock(cache.mutex);
        cache.pieces.emplace(capacity, piece);
        cache.bytes += capacity;
    }
    return status;
}

} // namespace pygpu::arrays
