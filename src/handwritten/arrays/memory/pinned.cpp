// The cache of page-locked memory.
#include "arrays/memory/pinned.hpp"

#include "arrays/memory/page_lock.hpp"
#include "base/lock.hpp"
#include "runtime/generation.hpp"

#include <atomic>
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
    int device; // it was made in this device's context, whose reset ends it
    DeviceGeneration generation;
};

struct PinnedCache {
    std::mutex mutex;
    std::multimap<std::size_t, PinnedPiece> pieces; // by capacity
    std::size_t bytes = 0;
    std::size_t staging = 0;                               // bytes of the staging buffers in use
    std::atomic<std::size_t> limit{std::size_t{64} << 20}; // copies ask for it without the lock

    bool has_room_for(std::size_t more) const { return bytes + staging + more <= limit; }

    bool take(std::size_t capacity, int device, void *&pointer) {
        auto [at, end] = pieces.equal_range(capacity);
        for (; at != end; ++at) {
            if (at->second.device != device || at->second.generation != generation_of(device)) continue;
            pointer = at->second.pointer;
            bytes -= capacity;
            pieces.erase(at);
            return true;
        }
        return false;
    }

    bool give(void *pointer, std::size_t capacity, int device) {
        if (!has_room_for(capacity)) return false;
        pieces.emplace(capacity, PinnedPiece{pointer, device, generation_of(device)});
        bytes += capacity;
        return true;
    }
};

PinnedCache &pinned_cache() {
    static auto *cache = new PinnedCache; // outlives every static destructor
    return *cache;
}

constexpr std::size_t page = 4096, large = std::size_t{1} << 20;

// Rounds sizes up, so that memory fits nearly equal sizes: to powers of two, and from 1 MiB on to multiples
// of 1 MiB.
std::size_t capacity_of(std::size_t size) {
    if (size <= page) return page;
    return size <= large ? std::bit_ceil(size) : (size + large - 1) / large * large;
}

int allocate_pinned(const Runtime &runtime, Scope &scope, std::size_t capacity, void *&pointer) {
    int status = lock_pages(runtime, scope, capacity, pointer);
    if (status == runtime.codes.out_of_memory && !free_cached_pinned(runtime, scope))
        status = lock_pages(runtime, scope, capacity, pointer);
    return status;
}

} // namespace

int take_pinned(const Runtime &runtime, Scope &scope, std::size_t size, void *&pointer) {
    const std::size_t capacity = capacity_of(size);
    if (!in_child()) {
        PinnedCache &cache = pinned_cache();
        const Lock lock(cache.mutex);
        if (cache.take(capacity, scope.device(), pointer)) return success;
    }
    return allocate_pinned(runtime, scope, capacity, pointer);
}

bool cache_pinned(void *pointer, std::size_t size, int device) {
    if (in_child()) return false;
    PinnedCache &cache = pinned_cache();
    const Lock lock(cache.mutex);
    return cache.give(pointer, capacity_of(size), device);
}

int take_staging(const Runtime &runtime, Scope &scope, std::size_t size, void *&pointer) {
    const std::size_t capacity = capacity_of(size);
    if (in_child()) return allocate_pinned(runtime, scope, capacity, pointer);
    PinnedCache &cache = pinned_cache();
    bool over = false; // cached memory has to make room
    {
        const Lock lock(cache.mutex);
        if (cache.staging + capacity > cache.limit) return runtime.codes.out_of_memory;
        cache.staging += capacity;
        if (cache.take(capacity, scope.device(), pointer)) return success;
        over = !cache.has_room_for(0);
    }
    if (over) free_cached_pinned(runtime, scope);
    const int status = allocate_pinned(runtime, scope, capacity, pointer);
    if (!status) return success;
    const Lock lock(cache.mutex);
    cache.staging -= capacity;
    return status;
}

bool give_staging(void *pointer, std::size_t size, int device, const DeviceGeneration &generation) {
    if (in_child()) return true; // it belongs to the parent
    const std::size_t capacity = capacity_of(size);
    PinnedCache &cache = pinned_cache();
    const Lock lock(cache.mutex);
    cache.staging -= capacity;
    return generation != generation_of(device) || cache.give(pointer, capacity, device);
}

std::size_t pinned_limit() { return in_child() ? 0 : pinned_cache().limit.load(std::memory_order_relaxed); }

int set_pinned_limit(const Runtime &runtime, Scope &scope, std::size_t bytes) {
    if (in_child()) return scope.status();
    std::set<int> devices; // all devices with cached memory, if the cache is over the new limit
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
    std::vector<PinnedPiece> gone; // ended by a reset
    {
        const Lock lock(cache.mutex);
        for (auto at = cache.pieces.begin(); at != cache.pieces.end();) {
            const PinnedPiece &piece = at->second;
            const bool over = piece.generation != generation_of(piece.device);
            if (!over && piece.device != scope.device()) {
                ++at;
                continue;
            }
            if (over)
                gone.push_back(piece);
            else
                taken.push_back(*at);
            cache.bytes -= at->first;
            at = cache.pieces.erase(at);
        }
    }
    for (const PinnedPiece &piece : gone) forget_pages(piece.pointer, piece.device, piece.generation);
    int status = success;
    for (const auto &[capacity, piece] : taken) {
        const int freed = unlock_pages(runtime, scope, piece.pointer);
        if (!freed) continue;
        if (!status) status = freed;
        const Lock lock(cache.mutex);
        cache.pieces.emplace(capacity, piece);
        cache.bytes += capacity;
    }
    return status;
}

} // namespace pygpu::arrays
