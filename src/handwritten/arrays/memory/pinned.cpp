// The store of page-locked memory.
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

struct Piece {
    void *pointer;
    int device; // in whose context it was made, and whose reset ends it
    DeviceGeneration generation;
};

struct Store {
    std::mutex mutex;
    std::multimap<std::size_t, Piece> pieces; // by capacity
    std::size_t bytes = 0;
};

Store &store() {
    static auto *kept = new Store; // outlives every static destructor
    return *kept;
}

constexpr std::size_t page = 4096, large = std::size_t{1} << 20;
constexpr std::size_t most_bytes = std::size_t{256} << 20, largest = most_bytes / 4;

// So that sizes that differ a little share: powers of two, from 1 MiB on whole ones.
std::size_t capacity_of(std::size_t size) {
    if (size <= page) return page;
    return size <= large ? std::bit_ceil(size) : (size + large - 1) / large * large;
}

} // namespace

int take_pinned(const Runtime &runtime, Scope &scope, std::size_t size, void *&pointer) {
    const std::size_t capacity = capacity_of(size);
    if (!in_child()) {
        Store &kept = store();
        const Lock lock(kept.mutex);
        auto [at, end] = kept.pieces.equal_range(capacity);
        for (; at != end; ++at) {
            const Piece piece = at->second;
            if (piece.device != scope.device() || piece.generation != generation_of(piece.device)) continue;
            kept.bytes -= capacity;
            kept.pieces.erase(at);
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
    if (in_child() || capacity > largest) return false;
    Store &kept = store();
    const Lock lock(kept.mutex);
    if (kept.bytes + capacity > most_bytes) return false;
    kept.pieces.emplace(capacity, Piece{pointer, device, generation_of(device)});
    kept.bytes += capacity;
    return true;
}

int free_cached_pinned(const Runtime &runtime, Scope &scope) {
    if (in_child()) return success;
    Store &kept = store();
    std::vector<std::pair<std::size_t, Piece>> taken; // freed without the lock: freeing waits for the device
    {
        const Lock lock(kept.mutex);
        for (auto at = kept.pieces.begin(); at != kept.pieces.end();) {
            const Piece &piece = at->second;
            const bool over = piece.generation != generation_of(piece.device);
            if (!over && piece.device != scope.device()) {
                ++at;
                continue;
            }
            if (!over) taken.push_back(*at);
            kept.bytes -= at->first;
            at = kept.pieces.erase(at);
        }
    }
    int status = success;
    for (const auto &[capacity, piece] : taken) {
        const int freed = scope(runtime.host_free(piece.pointer));
        if (!freed) continue;
        if (!status) status = freed;
        const Lock lock(kept.mutex);
        kept.pieces.emplace(capacity, piece);
        kept.bytes += capacity;
    }
    return status;
}

} // namespace pygpu::arrays
