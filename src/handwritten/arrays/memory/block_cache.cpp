// The lists of kept pieces, one a device.
#include "arrays/memory/block_cache.hpp"

#include "arrays/memory/deferred_free.hpp"
#include "arrays/streams/captures.hpp"
#include "python/lock.hpp"
#include "runtime/generation.hpp"

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

namespace pygpu::arrays {
namespace {

constexpr std::size_t largest = std::size_t{1} << 20, most_bytes = std::size_t{16} << 20;
std::atomic<int> devices_with_any{0};

constexpr std::size_t most_pieces = 64; // few enough to look through

struct Piece {
    void *pointer;
    std::size_t size;
};

struct Kept {
    std::mutex mutex;
    Epoch epoch;
    std::vector<Piece> pieces; // the oldest first
    std::size_t bytes = 0, limit = most_bytes;
    bool counted = false; // among the devices with any

    void count() {
        if (counted == !pieces.empty()) return;
        counted = !counted;
        devices_with_any.fetch_add(counted ? 1 : -1, std::memory_order_relaxed);
    }

    // All of before a reset went with it.
    void forget_if_over(int device) {
        if (epoch == epoch_of(device)) return;
        epoch = epoch_of(device);
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

Kept &kept_on(int device) {
    static auto *lists = new Kept[most_devices]; // outlives every static destructor
    return lists[device & (most_devices - 1)];
}

} // namespace

bool any_kept() { return devices_with_any.load(std::memory_order_relaxed); }

void *take_kept(int device, std::size_t size) {
    if (size > largest || in_child()) return nullptr;
    Kept &kept = kept_on(device);
    const Lock lock(kept.mutex);
    kept.forget_if_over(device);
    for (std::size_t at = kept.pieces.size(); at-- > 0;) {
        if (kept.pieces[at].size == size) return kept.remove(at).pointer;
    }
    return nullptr;
}

bool keep(int device, void *pointer, std::size_t size, void *&evicted, std::size_t &evicted_size) {
    evicted = nullptr;
    if (size > largest || in_child()) return false;
    Kept &kept = kept_on(device);
    const Lock lock(kept.mutex);
    kept.forget_if_over(device);
    if (kept.pieces.size() == most_pieces || (kept.bytes + size > kept.limit && !kept.pieces.empty())) {
        const Piece oldest = kept.remove(0);
        evicted = oldest.pointer;
        evicted_size = oldest.size;
    }
    if (kept.bytes + size > kept.limit) return false;
    kept.pieces.push_back({pointer, size});
    kept.bytes += size;
    kept.count();
    return true;
}

std::size_t kept_bytes(int device, std::size_t granule) {
    if (in_child()) return 0;
    Kept &kept = kept_on(device);
    const Lock lock(kept.mutex);
    kept.forget_if_over(device);
    std::size_t bytes = 0;
    for (const Piece &piece : kept.pieces) bytes += (piece.size + granule - 1) / granule * granule;
    return bytes;
}

void limit_kept(int device, std::size_t bytes) {
    if (in_child()) return;
    Kept &kept = kept_on(device);
    const Lock lock(kept.mutex);
    kept.limit = bytes < most_bytes ? bytes : most_bytes;
}

int free_kept(const Runtime &runtime, Scope &scope) {
    if (scope.status() || in_child() || refuse_capture(runtime, scope, nullptr)) return scope.status();
    Kept &kept = kept_on(scope.device());
    std::vector<Piece> pieces;
    {
        const Lock lock(kept.mutex);
        kept.forget_if_over(scope.device());
        pieces = std::exchange(kept.pieces, {});
        kept.bytes = 0;
        kept.count();
    }
    int status = success;
    for (const Piece &piece : pieces) {
        const int freed = scope(runtime.free_async(piece.pointer, nullptr));
        if (freed) park(Buffer::Kind::pool, piece.pointer, piece.size, scope.device());
        if (!status) status = freed;
    }
    return status;
}

} // namespace pygpu::arrays
