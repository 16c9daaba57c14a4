// Copies within the host's memory by the CPU: between strided layouts, and past the caches.
#pragma once

#include "arrays/base/layout.hpp"

#include <cstddef>

namespace pygpu::arrays {

// The description of a strided copy. Both sides may have any strides, also 0 and negative ones. The sides
// must not overlap.
struct HostCopy {
    char *to = nullptr;
    const char *from = nullptr;
    Axes axes;

    void run() const;
};

// Copies a part of a copy's host side to packed memory (`gather`) or from it: `size` bytes from byte `first`
// on. The host's side has the strides `from` of the axes, and their order.
void copy_range(bool gather, char *piece, char *host, const Axes &axes, ssize_t first, ssize_t size);

// As memcpy(), but the stores go past the caches, if the processor has AVX2. When it returns, the bytes are
// visible to other threads and to the bus.
//
// The bus is slow to read lines that are modified in a processor's own cache. Pieces of 1 MiB that eight
// threads had just written crossed it at 20 GB/s, and at 38 when they were written past the caches (one
// H100). Large results don't fit into the caches; written past the caches, their lines need not be read
// first.
void copy_past_caches(char *to, const char *from, std::size_t bytes);

} // namespace pygpu::arrays
