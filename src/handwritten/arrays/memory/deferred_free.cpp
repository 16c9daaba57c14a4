// The lists of deferred memory, one for each device.
#include "arrays/memory/deferred_free.hpp"

#include "arrays/memory/device_idle.hpp"
#include "arrays/memory/free_in_order.hpp"
#include "arrays/memory/page_lock.hpp"
#include "arrays/streams/captures.hpp"
#include "runtime/device_state.hpp"

#include <atomic>
#include <utility>
#include <vector>

namespace pygpu::arrays {
namespace {

struct DeferredPiece {
    Buffer::Kind kind;
    void *pointer;
    std::size_t size;
    int device;
    DeviceGeneration generation;

    // A reset ended it.
    void forget() const {
        if (kind == Buffer::Kind::pinned) forget_pages(pointer, device, generation);
    }
};

struct Deferred {
    std::vector<DeferredPiece> pieces;
    std::atomic<std::size_t> bytes{0};

    void forget() {
        for (const DeferredPiece &piece : pieces) piece.forget();
        pieces.clear();
        bytes = 0;
    }
};

using List = DeviceState<Deferred>;

constexpr std::size_t most_deferred = std::size_t{256} << 20, most_deferred_pieces = 4096;

} // namespace

void defer_free(Buffer::Kind kind, void *pointer, std::size_t size, int device) {
    if (in_child()) return;
    const List list(device);
    list->pieces.push_back({kind, pointer, size, device, list.generation()});
    list->bytes += size;
}

std::size_t deferred_bytes(int device) {
    if (in_child()) return 0;
    const List list(device);
    return list->bytes;
}

bool much_is_deferred(int device) {
    if (!List::peek(device).bytes.load(std::memory_order_relaxed) || in_child()) return false;
    const List list(device);
    return list->bytes > most_deferred || list->pieces.size() > most_deferred_pieces;
}

int free_deferred(const Runtime &runtime, Scope &scope) {
    if (scope.status()) return scope.status();
    if (in_child()) return wait_for_device(runtime, scope);
    const int device = scope.device();
    const DeviceGeneration now = generation_of(device);
    std::vector<DeferredPiece> pieces;
    {
        const List list(device);
        pieces = std::exchange(list->pieces, {});
        list->bytes = 0;
    }
    // Taken out before the wait, which doesn't cover what other threads defer meanwhile.
    const int status = wait_for_device(runtime, scope);
    const bool refused =
        refuse_capture(runtime, scope, nullptr); // the pool's pieces are freed on this stream
    for (const DeferredPiece &piece : pieces) {
        if (now != generation_of(device)) { // a reset in another thread ended them
            piece.forget();
            continue;
        }
        const bool later = status || (piece.kind == Buffer::Kind::pool && refused);
        if (later || free_idle(runtime, scope, piece.kind, piece.pointer))
            defer_free(piece.kind, piece.pointer, piece.size, device);
    }
    return status;
}

} // namespace pygpu::arrays
