// Moving bytes: blocks of up to three dimensions, large ones by several threads.
#pragma once

#include "common/checked_int.hpp"

#include <cstddef>

namespace pygpu::host {

// A block in memory: rows of `width` bytes, `pitch` apart, `height` of them to a slice, slices `slice` bytes
// apart.
struct StridedBlock {
    char *base;
    std::size_t pitch;
    std::size_t slice;
};

struct Size {
    std::size_t width; // bytes
    std::size_t height;
    std::size_t depth;

    bool empty() const { return !width || !height || !depth; }
    CheckedInt<std::size_t> bytes() const { return CheckedInt(width) * height * depth; }
};

// The distance in bytes from a block's first byte to the end of its last one; SIZE_MAX where it is too large.
std::size_t span_of(const StridedBlock &block, const Size &size);

void move_bytes(void *to, const void *from, std::size_t count);
void move_block(const StridedBlock &to, const StridedBlock &from, const Size &size);
// Sets each element of `element` bytes (1, 2 or 4).
void set_block(const StridedBlock &to, const Size &size, unsigned value, unsigned element);

} // namespace pygpu::host
