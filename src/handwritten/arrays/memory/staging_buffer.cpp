// Taking and giving back host memory for copies.
#include "arrays/memory/staging_buffer.hpp"

#include "arrays/memory/deferred_free.hpp"
#include "arrays/memory/pinned.hpp"
#include "runtime/generation.hpp"

#include <algorithm>
#include <cstdlib>

namespace pygpu::arrays {

struct Staging::Piece {
    char *memory;
    std::size_t size;
    int device;
    Epoch epoch;
    bool pinned;
};

void Staging::Giving::operator()(Piece *piece) const {
    if (!piece->pinned) {
        std::free(piece->memory);
    } else if (piece->epoch == epoch_of(piece->device) &&
               !keep_pinned(piece->memory, piece->size, piece->device)) {
        park(Buffer::Kind::pinned, piece->memory, piece->size, piece->device);
    }
    delete piece;
}

char *Staging::take(const Runtime &runtime, Scope &scope, std::size_t size) {
    void *memory = nullptr;
    const bool pinned = size <= most_pinned && !take_pinned(runtime, scope, size, memory);
    if (!pinned) memory = std::malloc(std::max<std::size_t>(size, 1));
    if (!memory) return nullptr;
    const int device = scope.device();
    auto *piece = new Piece{static_cast<char *>(memory), size, device, epoch_of(device), pinned};
    pieces_.emplace_back(piece);
    return piece->memory;
}

} // namespace pygpu::arrays
