// The cache of page-locked memory.
#include "arrays/memory/pinned.hpp"

#include "python/lock.hpp"
#include "runtime/generation.hpp"

#include <bit>
#include <map>
#include <mutex>
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
};

PinnedCache &pinned_cache() {
    static auto *cache = new PinnedCache; // outlives every static destructor
    return *cache;
}

constexpr std::size_t page = 4096, large = std::size_t{1} << 20;
constexpr std::size_t pinned_bytes = std::size_t{256} << 20, largest_pinned = pinned_bytes / 4;

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
    if (in_child() || capacity > largest_pinned) return false;
    PinnedCache &cache = pinned_cache();
    const Lock lock(cache.mutex);
    if (cache.bytes + capacity > pinned_bytes) return false;
    cache.pieces.emplace(capacity, PinnedPiece{pointer, device, generation_of(device)});
    cache.bytes += capacity;
    return true;
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
