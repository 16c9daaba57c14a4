// Memory that nobody uses any more, but that can't be freed yet; free_in_order.hpp lists the reasons.
//
// It is freed when PyGPU waits for the device (trim.hpp): when there is much of it, when memory runs out, or
// in trim_memory().
#pragma once

#include "arrays/memory/kind.hpp"
#include "runtime/generation.hpp"

#include <cstddef>
#include <vector>

namespace pygpu::arrays {

struct DeferredPiece {
    MemoryKind kind;
    void *pointer;
    std::size_t size;
    int device;
    DeviceGeneration generation;

    void forget() const; // a reset ended it
};

void defer_free(MemoryKind kind, void *pointer, std::size_t size, int device);

std::size_t deferred_bytes(int device);

// Whether there is so much that the next allocation should free it.
bool much_is_deferred(int device);

// Takes all pieces of a device out of the list.
std::vector<DeferredPiece> take_deferred(int device);

} // namespace pygpu::arrays
