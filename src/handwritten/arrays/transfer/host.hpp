// Moving elements within the host's memory, by the CPU: between strided layouts, and past the caches.
#pragma once

#include "arrays/base/layout.hpp"

#include <cstddef>

namespace pygpu::arrays {

// A strided copy that is to be made. Any strides on both sides, 0 and negative ones too; they must not
// overlap.
struct HostCopy {
    char *to = nullptr;
    const char *from = nullptr;
    Axes axes;

    void run() const;
};

// Copies `size` bytes from the `first` on to packed memory, or from it: of the host's side of a copy, at the
// strides `from` of the axes and in their order.
void copy_range(bool gather, char *piece, char *host, const Axes &axes, ssize_t first, ssize_t size);

// As memcpy(), but past the caches of the processors, where these have AVX2. The bytes are there when it
// returns: another thread or the bus may be told so.
//
// The bus is slow to read lines that a processor's own cache holds changed: pieces of 1 MiB that eight
// threads had just written crossed at 20 GB/s, and at 38 when written past the caches (one H100). Large
// results, of which the caches hold little, are written without being read first.
void copy_past_caches(char *to, const char *from, std::size_t bytes);

} // namespace pygpu::arrays
