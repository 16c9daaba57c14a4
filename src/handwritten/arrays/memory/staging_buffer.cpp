// Taking and giving back host memory for copies.
#include "arrays/memory/staging_buffer.hpp"

#include "arrays/memory/deferred_free.hpp"
#include "arrays/memory/pinned.hpp"
#include "runtime/generation.hpp"

#include <algorithm>
#include <cstdlib>

namespace pygpu::arrays {

struct StagingBuffer::Piece {
    char *memory;
    std::size_t size;
    int device;
    DeviceGeneration generation;
    bool pinned;
};

void StagingBuffer::Giving::operator()(Piece *piece) const {
    if (!piece->pinned) {
        std::free(piece->memory);
    } else if (!give_staging(piece->memory, piece->size, piece->device, piece->generation)) {
        defer_free(MemoryKind::pinned, piece->memory, piece->size, piece->device);
    }
    delete piece;
}

char *StagingBuffer::take(const Runtime &runtime, Scope &scope, std::size_t size, std::size_t most) {
    if (char *memory = take_pinned(runtime, scope, size, most)) return memory;
    void *memory = std::malloc(std::max<std::size_t>(size, 1));
    return memory ? add(scope, memory, size, false) : nullptr;
}

char *StagingBuffer::take_pinned(const Runtime &runtime, Scope &scope, std::size_t size, std::size_t most) {
    void *memory = nullptr;
    if (size > most || take_staging(runtime, scope, size, memory)) return nullptr;
    return add(scope, memory, size, true);
}

char *StagingBuffer::add(Scope &scope, void *memory, std::size_t size, bool pinned) {
    const int device = scope.device();
    auto *piece = new Piece{static_cast<char *>(memory), size, device, generation_of(device), pinned};
    pieces_.emplace_back(piece);
    return piece->memory;
}

} // namespace pygpu::arrays
