// The cached blocks of each device, by stream.
#include "arrays/memory/block_cache.hpp"

#include "arrays/memory/deferred_free.hpp"
#include "arrays/streams/captures.hpp"
#include "arrays/streams/stream.hpp"
#include "python/finaliser.hpp"
#include "python/gil.hpp"
#include "runtime/api.hpp"
#include "runtime/device_state.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace pygpu::arrays {
namespace {

constexpr std::size_t largest = std::size_t{4} << 20, most_bytes = std::size_t{32} << 20;
constexpr std::size_t most_blocks = 64; // of a stream: few enough for a linear search
constexpr std::size_t most_shares = 4;  // what all streams together may have, in shares of one

std::atomic<int> devices_with_any{0};

struct StreamBlocks {
    PyObject *owner;                 // borrowed: it takes its blocks out before it ends
    std::vector<CachedBlock> blocks; // the oldest first
    std::size_t bytes = 0;
};

struct BlockCache {
    std::vector<StreamBlocks> streams; // of which some have no block at present
    std::size_t bytes = 0, limit = most_bytes;
    std::uint64_t newest = 0; // the number of the block that came last
    bool counted = false;     // among the devices with any

    void count() {
        if (counted == (bytes > 0)) return;
        counted = !counted;
        devices_with_any.fetch_add(counted ? 1 : -1, std::memory_order_relaxed);
    }

    void forget() {
        streams.clear();
        bytes = 0;
        count();
    }

    std::vector<StreamBlocks>::iterator of(PyObject *owner) {
        return std::ranges::find(streams, owner, &StreamBlocks::owner);
    }

    CachedBlock remove(StreamBlocks &from, std::size_t at) {
        const CachedBlock block = from.blocks[at];
        from.blocks.erase(from.blocks.begin() + static_cast<std::ptrdiff_t>(at));
        from.bytes -= block.size;
        bytes -= block.size;
        count();
        return block;
    }
};

using Cache = DeviceState<BlockCache>;
using Blocks = std::vector<CachedBlock>;

void defer(int device, const Blocks &blocks) {
    for (const CachedBlock &block : blocks) defer_free(MemoryKind::pool, block.pointer, block.size, device);
}

// Returns blocks to the pool in the order of their stream, which isn't being captured. Those that it fails
// for are freed when PyGPU next waits for the device; then it returns why.
int free_in_order(const Runtime &runtime, Scope &scope, Stream stream, const Blocks &blocks) {
    int status = success;
    for (const CachedBlock &block : blocks) {
        const int freed = scope(runtime.free_async(block.pointer, stream));
        if (freed) defer(scope.device(), {block});
        if (!status) status = freed;
    }
    return status;
}

Blocks take_all(int device, PyObject *owner) {
    const Cache cache(device);
    const auto mine = cache->of(owner);
    if (mine == cache->streams.end()) return {};
    Blocks blocks = std::move(mine->blocks);
    cache->bytes -= mine->bytes;
    cache->streams.erase(mine);
    cache->count();
    return blocks;
}

// For `stream_ends`.
void leave(StreamObject &stream) {
    if (in_child()) return;
    const int device = stream.device;
    Blocks blocks = take_all(device, reinterpret_cast<PyObject *>(&stream));
    if (blocks.empty()) return;
    if (stream.destroyed) return defer(device, blocks);
    finalise([&runtime = *stream.runtime, device, generation = stream.generation, handle = stream.stream,
              blocks = std::move(blocks)] {
        if (generation != generation_of(device)) return; // a reset has ended all
        GilReleased released(true);
        Scope scope(runtime, device);
        if (scope.status() || refuse_capture(runtime, scope, handle))
            defer(device, blocks);
        else
            free_in_order(runtime, scope, handle, blocks);
    });
}

} // namespace

bool has_cached_blocks() { return devices_with_any.load(std::memory_order_relaxed); }

bool caches_blocks(const Runtime &runtime, Stream stream, PyObject *owner, int device) {
    if (!stream) return !owner && !runtime.api.per_thread;
    const StreamObject *own = owner ? stream_object(owner) : nullptr;
    return own && own->owned && !own->ended() && own->device == device;
}

void *take_block(int device, PyObject *owner, std::size_t size) {
    if (size > largest || in_child()) return nullptr;
    const Cache cache(device);
    const auto mine = cache->of(owner);
    if (mine == cache->streams.end()) return nullptr;
    for (std::size_t at = mine->blocks.size(); at-- > 0;) {
        if (mine->blocks[at].size == size) return cache->remove(*mine, at).pointer;
    }
    return nullptr;
}

bool cache_block(int device, PyObject *owner, void *pointer, std::size_t size, CachedBlock &evicted) {
    evicted = {};
    if (size > largest || in_child()) return false;
    if (owner) stream_ends = leave;
    const Cache cache(device);
    auto mine = cache->of(owner);
    if (mine == cache->streams.end()) mine = cache->streams.insert(mine, {owner, {}, 0});
    if (mine->blocks.size() == most_blocks || (mine->bytes + size > cache->limit && mine->bytes))
        evicted = cache->remove(*mine, 0);
    if (mine->bytes + size > cache->limit || cache->bytes + size > most_shares * cache->limit) return false;
    mine->blocks.push_back({pointer, size, ++cache->newest});
    mine->bytes += size;
    cache->bytes += size;
    cache->count();
    return true;
}

std::uint64_t newest_block(int device) { return in_child() ? 0 : Cache(device)->newest; }

std::size_t cached_bytes(int device, std::uint64_t newest) {
    if (in_child()) return 0;
    const Cache cache(device);
    std::size_t bytes = 0;
    for (const StreamBlocks &stream : cache->streams) {
        for (const CachedBlock &block : stream.blocks) bytes += block.number <= newest ? block.size : 0;
    }
    return bytes;
}

void limit_cache(int device, std::size_t bytes) {
    if (in_child()) return;
    const Cache cache(device);
    cache->limit = std::min(bytes, most_bytes);
}

int free_cached_blocks(const Runtime &runtime, Scope &scope) {
    if (scope.status() || in_child() || refuse_capture(runtime, scope, nullptr)) return scope.status();
    std::vector<StreamBlocks> streams;
    {
        const Cache cache(scope.device());
        streams = std::exchange(cache->streams, {});
        cache->bytes = 0;
        cache->count();
    }
    int status = success;
    for (const StreamBlocks &stream : streams) {
        if (stream.owner)
            defer(scope.device(), stream.blocks);
        else
            status = free_in_order(runtime, scope, nullptr, stream.blocks);
    }
    return status;
}

} // namespace pygpu::arrays
