// How much memory, or how many elements, C touches behind a pointer; and the error where there is less.
//
// Nothing here is inline: hundreds of wrappers use it.
#pragma once

#include "binding/argument_errors.hpp"

#include <Python.h>

#include <cstddef>

namespace pygpu {

struct SizeRequirement {
    std::size_t parameter; // its index in the Python signature
    std::size_t size;      // bytes behind a memory pointer, elements of a sequence
};

// Arithmetic for rules' formulas; saturates on overflow.
[[gnu::const]] std::size_t saturated_sum(std::size_t one, std::size_t other);
[[gnu::const]] std::size_t saturated_product(std::size_t one, std::size_t other);
[[gnu::const]] std::size_t saturated_difference(std::size_t one, std::size_t other);
[[gnu::const]] std::size_t quotient(std::size_t one, std::size_t other);

// The bytes that a pitched copy spans: every row but the last one counts with its full pitch. 0 if nothing is
// copied.
[[gnu::const]] std::size_t pitched(std::size_t pitch, std::size_t width, std::size_t height);

// The bytes up to the end of a box that begins at (x, y, z), in memory with `rows` rows a layer.
[[gnu::const]] std::size_t box(std::size_t pitch, std::size_t rows, std::size_t x, std::size_t y,
                               std::size_t z, std::size_t width, std::size_t height, std::size_t depth);

// Raises ValueError; always returns false.
bool too_short(const ArgumentContext &context, std::size_t needed, std::size_t size);

} // namespace pygpu
