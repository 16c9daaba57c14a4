// The lists of cached blocks, one for each device.
#include "arrays/memory/block_cache.hpp"

#include "arrays/memory/deferred_free.hpp"
#include "arrays/streams/captures.hpp"
#include "runtime/device_state.hpp"

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

namespace pygpu::arrays {
namespace {

constexpr std::size_t largest = std::size_t{4} << 20, most_bytes = std::size_t{32} << 20;
std::atomic<int> devices_with_any{0};

constexpr std::size_t most_pieces = 64; // few enough for a linear search

struct Piece {
    void *pointer;
    std::size_t size;
    std::uint64_t number; // of all that were cached
};

struct BlockCache {
    std::vector<Piece> pieces; // the oldest first
    std::size_t bytes = 0, limit = most_bytes;
    std::uint64_t newest = 0; // the number of the piece that came last
    bool counted = false;     // among the devices with any

    void count() {
        if (counted == !pieces.empty()) return;
        counted = !counted;
        devices_with_any.fetch_add(counted ? 1 : -1, std::memory_order_relaxed);
    }

    void forget() {
        pieces.clear();
        bytes = 0;
        count();
    }

    Piece remove(std::size_t at) {
        const Piece piece = pieces[at];
        pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(at));
        bytes -= piece.size;
        count();
        return piece;
    }
};

using Cache = DeviceState<BlockCache>;

} // namespace

bool has_cached_blocks() { return devices_with_any.load(std::memory_order_relaxed); }

void *take_block(int device, std::size_t size) {
    if (size > largest || in_child()) return nullptr;
    const Cache cache(device);
    for (std::size_t at = cache->pieces.size(); at-- > 0;) {
        if (cache->pieces[at].size == size) return cache->remove(at).pointer;
    }
    return nullptr;
}

bool cache_block(int device, void *pointer, std::size_t size, void *&evicted, std::size_t &evicted_size) {
    evicted = nullptr;
    if (size > largest || in_child()) return false;
    const Cache cache(device);
    if (cache->pieces.size() == most_pieces ||
        (cache->bytes + size > cache->limit && !cache->pieces.empty())) {
        const Piece oldest = cache->remove(0);
        evicted = oldest.pointer;
        evicted_size = oldest.size;
    }
    if (cache->bytes + size > cache->limit) return false;
    cache->pieces.push_back({pointer, size, ++cache->newest});
    cache->bytes += size;
    cache->count();
    return true;
}

std::uint64_t newest_block(int device) { return in_child() ? 0 : Cache(device)->newest; }

std::size_t cached_bytes(int device, std::uint64_t newest) {
    if (in_child()) return 0;
    const Cache cache(device);
    std::size_t bytes = 0;
    for (const Piece &piece : cache->pieces) bytes += piece.number <= newest ? piece.size : 0;
    return bytes;
}

void limit_cache(int device, std::size_t bytes) {
    if (in_child()) return;
    const Cache cache(device);
    cache->limit = bytes < most_bytes ? bytes : most_bytes;
}

int free_cached_blocks(const Runtime &runtime, Scope &scope) {
    if (scope.status() || in_child() || refuse_capture(runtime, scope, nullptr)) return scope.status();
    std::vector<Piece> pieces;
    {
        const Cache cache(scope.device());
        pieces = std::exchange(cache->pieces, {});
        cache->bytes = 0;
        cache->count();
    }
    int status = success;
    for (const Piece &piece : pieces) {
        const int freed = scope(runtime.free_async(piece.pointer, nullptr));
        if (freed) defer_free(MemoryKind::pool, piece.pointer, piece.size, scope.device());
        if (!status) status = freed;
    }
    return status;
}

} // namespace pygpu::arrays
