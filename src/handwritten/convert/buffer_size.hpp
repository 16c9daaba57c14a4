// How much memory, or how many elements, C touches behind a pointer; and the error where there is less.
#pragma once

#include "binding/argument_errors.hpp"
#include "common/checked_int.hpp"

#include <Python.h>

#include <cstddef>
#include <span>

namespace pygpu {

struct SizeRequirement {
    std::size_t parameter; // its index in the Python signature
    std::size_t size;      // bytes behind a memory pointer, elements of a sequence
};

using Length = CheckedInt<std::size_t>;

// Arithmetic for rules' formulas; saturates on overflow.
constexpr std::size_t saturated_sum(std::size_t one, std::size_t other) {
    return (Length(one) + other).saturated();
}
constexpr std::size_t saturated_product(std::size_t one, std::size_t other) {
    return (Length(one) * other).saturated();
}
constexpr std::size_t saturated_difference(std::size_t one, std::size_t other) {
    return one > other ? one - other : 0;
}
constexpr std::size_t quotient(std::size_t one, std::size_t other) { return other ? one / other : 0; }

// The bytes that a pitched copy spans: every row but the last one counts with its full pitch. 0 if nothing is
// copied.
constexpr std::size_t pitched(std::size_t pitch, std::size_t width, std::size_t height) {
    return width && height ? (Length(height - 1) * pitch + width).saturated() : 0;
}

// The bytes up to the end of a box that begins at (x, y, z), in memory with `rows` rows a layer.
constexpr std::size_t box(std::size_t pitch, std::size_t rows, std::size_t x, std::size_t y, std::size_t z,
                          std::size_t width, std::size_t height, std::size_t depth) {
    if (!width || !height || !depth) return 0;
    const Length before = (Length(z) + (depth - 1)) * rows + y + (height - 1);
    return (before * pitch + x + width).saturated();
}

// Raises ValueError; always returns false.
bool too_short(const ArgumentContext &context, std::size_t needed, std::size_t size);

// Whether all memory is long enough; ValueError otherwise. `sizes` has the size of each parameter.
bool long_enough(const ArgumentContext &context, std::span<const SizeRequirement> needs,
                 const std::size_t *sizes);

// How much memory or how many items a converter holds. If it doesn't know, the greatest number, which is
// always enough.
template <class C> std::size_t size_of([[maybe_unused]] const C &converter) {
    if constexpr (requires { converter.size(); })
        return converter.size();
    else
        return static_cast<std::size_t>(-1);
}

} // namespace pygpu
