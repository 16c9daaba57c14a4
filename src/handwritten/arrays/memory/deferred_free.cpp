// The lists of deferred memory, one for each device.
#include "arrays/memory/deferred_free.hpp"

#include "arrays/memory/page_lock.hpp"
#include "runtime/device_state.hpp"

#include <atomic>
#include <utility>

namespace pygpu::arrays {
namespace {

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

void DeferredPiece::forget() const {
    if (kind == MemoryKind::pinned) forget_pages(pointer, device, generation);
}

void defer_free(MemoryKind kind, void *pointer, std::size_t size, int device) {
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

std::vector<DeferredPiece> take_deferred(int device) {
    const List list(device);
    list->bytes = 0;
    return std::exchange(list->pieces, {});
}

} // namespace pygpu::arrays
