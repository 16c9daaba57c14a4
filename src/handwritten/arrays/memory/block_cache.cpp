// The lists of cached blocks, one a device.
#include "arrays/memory/block_cache.hpp"

#include "arrays/memory/deferred_free.hpp"
#include "arrays/streams/captures.hpp"
#include "runtime/device_state.hpp"

#include <atomic>
#include <utility>
#include <vector>

namespace pygpu::arrays {
namespace {

constexpr std::size_t largest_block = std::size_t{1} << 20, most_cached_bytes = std::size_t{16} << 20;
std::atomic<int> devices_with_any{0};

constexpr std::size_t most_blocks = 64; // few enough to look through

struct Block {
    void *pointer;
    std::size_t size;
};

struct BlockCache {
    std::vector<Block> blocks; // the oldest first
    std::size_t bytes = 0, limit = most_cached_bytes;
    bool counted = false; // among the devices with any

    void count() {
        if (counted == !blocks.empty()) return;
        counted = !counted;
        devices_with_any.fetch_add(counted ? 1 : -1, std::memory_order_relaxed);
    }

    void forget() {
        blocks.clear();
        bytes = 0;
        count();
    }

    Block remove(std::size_t at) {
        const Block block = blocks[at];
        blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(at));
        bytes -= block.size;
        count();
        return block;
    }
};

using Cache = DeviceState<BlockCache>;

} // namespace

bool has_cached_blocks() { return devices_with_any.load(std::memory_order_relaxed); }

void *take_block(int device, std::size_t size) {
    if (size > largest_block || in_child()) return nullptr;
    const Cache cache(device);
    for (std::size_t at = cache->blocks.size(); at-- > 0;) {
        if (cache->blocks[at].size == size) return cache->remove(at).pointer;
    }
    return nullptr;
}

bool cache_block(int device, void *pointer, std::size_t size, void *&evicted, std::size_t &evicted_size) {
    evicted = nullptr;
    if (size > largest_block || in_child()) return false;
    const Cache cache(device);
    if (cache->blocks.size() == most_blocks ||
        (cache->bytes + size > cache->limit && !cache->blocks.empty())) {
        const Block oldest = cache->remove(0);
        evicted = oldest.pointer;
        evicted_size = oldest.size;
    }
    if (cache->bytes + size > cache->limit) return false;
    cache->blocks.push_back({pointer, size});
    cache->bytes += size;
    cache->count();
    return true;
}

std::size_t cached_bytes(int device, std::size_t granule) {
    if (in_child()) return 0;
    const Cache cache(device);
    std::size_t bytes = 0;
    for (const Block &block : cache->blocks) bytes += (block.size + granule - 1) / granule * granule;
    return bytes;
}

void limit_cache(int device, std::size_t bytes) {
    if (in_child()) return;
    const Cache cache(device);
    cache->limit = bytes < most_cached_bytes ? bytes : most_cached_bytes;
}

int free_cached_blocks(const Runtime &runtime, Scope &scope) {
    if (scope.status() || in_child() || refuse_capture(runtime, scope, nullptr)) return scope.status();
    std::vector<Block> blocks;
    {
        const Cache cache(scope.device());
        blocks = std::exchange(cache->blocks, {});
        cache->bytes = 0;
        cache->count();
    }
    int status = success;
    for (const Block &block : blocks) {
        const int freed = scope(runtime.free_async(block.pointer, nullptr));
        if (freed) defer_free(Buffer::Kind::pool, block.pointer, block.size, scope.device());
        if (!status) status = freed;
    }
    return status;
}

} // namespace pygpu::arrays
