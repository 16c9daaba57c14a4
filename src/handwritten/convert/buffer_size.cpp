// Refuses memory that is too short: of arguments (call/run.cpp), behind pointers in structs
// (types/structs/lengths.cpp), and in arrays of pointers (convert/sequences.hpp).
#include "convert/buffer_size.hpp"

#include "common/checked_int.hpp"

namespace pygpu {

using Length = CheckedInt<std::size_t>;

std::size_t saturated_sum(std::size_t one, std::size_t other) { return (Length(one) + other).saturated(); }

std::size_t saturated_product(std::size_t one, std::size_t other) {
    return (Length(one) * other).saturated();
}

std::size_t saturated_difference(std::size_t one, std::size_t other) { return one > other ? one - other : 0; }

std::size_t quotient(std::size_t one, std::size_t other) { return other ? one / other : 0; }

std::size_t pitched(std::size_t pitch, std::size_t width, std::size_t height) {
    return width && height ? (Length(height - 1) * pitch + width).saturated() : 0;
}

std::size_t box(std::size_t pitch, std::size_t rows, std::size_t x, std::size_t y, std::size_t z,
                std::size_t width, std::size_t height, std::size_t depth) {
    if (!width || !height || !depth) return 0;
    const Length before = (Length(z) + (depth - 1)) * rows + y + (height - 1);
    return (before * pitch + x + width).saturated();
}

bool too_short(const ArgumentContext &context, std::size_t needed, std::size_t size) {
    return value_error(context, "is too short: %zu needed, %zu given", needed, size);
}

} // namespace pygpu
