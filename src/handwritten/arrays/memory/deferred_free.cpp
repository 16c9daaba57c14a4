// The lists of deferred memory, one a device.
#include "arrays/memory/deferred_free.hpp"

#include "arrays/memory/device_idle.hpp"
#include "arrays/memory/release.hpp"
#include "arrays/streams/captures.hpp"
#include "python/lock.hpp"
#include "runtime/generation.hpp"

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

namespace pygpu::arrays {
namespace {

struct Piece {
    Buffer::Kind kind;
    void *pointer;
    std::size_t size;
};

struct Deferred {
    std::mutex mutex;
    DeviceGeneration generation;
    std::vector<Piece> pieces;
    std::atomic<std::size_t> bytes{0};

    // All of before a reset went with it.
    void forget_if_over(int device) {
        if (generation == generation_of(device)) return;
        generation = generation_of(device);
        pieces.clear();
        bytes = 0;
    }
};

Deferred &deferred_on(int device) {
    static auto *lists = new Deferred[most_devices];
    return lists[device & (most_devices - 1)];
}

constexpr std::size_t most_bytes = std::size_t{256} << 20, most_pieces = 4096;

} // namespace

void defer_free(Buffer::Kind kind, void *pointer, std::size_t size, int device) {
    if (in_child()) return;
    Deferred &list = deferred_on(device);
    const Lock lock(list.mutex);
    list.forget_if_over(device);
    list.pieces.push_back({kind, pointer, size});
    list.bytes += size;
}

std::size_t deferred_bytes(int device) {
    if (in_child()) return 0;
    Deferred &list = deferred_on(device);
    const Lock lock(list.mutex);
    list.forget_if_over(device);
    return list.bytes;
}

bool much_is_deferred(int device) {
    Deferred &list = deferred_on(device);
    if (!list.bytes.load(std::memory_order_relaxed) || in_child()) return false;
    const Lock lock(list.mutex);
    list.forget_if_over(device);
    return list.bytes > most_bytes || list.pieces.size() > most_pieces;
}

int free_deferred(const Runtime &runtime, Scope &scope) {
    if (scope.status()) return scope.status();
    if (in_child()) return wait_for_device(runtime, scope);
    const int device = scope.device();
    const DeviceGeneration now = generation_of(device);
    Deferred &list = deferred_on(device);
    std::vector<Piece> pieces;
    {
        const Lock lock(list.mutex);
        list.forget_if_over(device);
        pieces = std::exchange(list.pieces, {});
        list.bytes = 0;
    }
    // Taken out first: what others defer meanwhile is not covered by this wait.
    const int status = wait_for_device(runtime, scope);
    const bool refused = refuse_capture(runtime, scope, nullptr); // where the pool's pieces are freed
    for (const Piece &piece : pieces) {
        if (now != generation_of(device)) break; // a reset in another thread ended them
        const bool later = status || (piece.kind == Buffer::Kind::pool && refused);
        if (later || scope(free_idle(runtime, piece.kind, piece.pointer)))
            defer_free(piece.kind, piece.pointer, piece.size, device);
    }
    return status;
}

} // namespace pygpu::arrays
