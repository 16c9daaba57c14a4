// Planning a cast by a kernel.
#include "arrays/transfer/move_plan.hpp"

#include <algorithm>

namespace pygpu::arrays {
namespace {

// As in PyGPU/_moves/cast.cu.
constexpr ssize_t cast_threads = 256, cast_steps = 2;
constexpr ssize_t cast_vector = 16; // bytes, on the side of the longer elements

std::uintptr_t address_bits(const char *first, const Axes &axes, ssize_t Axis::*side) {
    auto bits = reinterpret_cast<std::uintptr_t>(first);
    for (int at = 0; at < axes.count; ++at) bits |= static_cast<std::uintptr_t>(axes.axis[at].*side);
    return bits;
}

bool is_multiple(ssize_t size, std::uintptr_t bits) {
    return !(bits & static_cast<std::uintptr_t>(size - 1));
}

// Replaces the last axis by vectors. `rest` is the number of elements after the last one of a single axis.
// False if there are none, or if others would not be aligned.
bool take_vectors(const Move &move, Axes &axes, ssize_t lanes, ssize_t &rest) {
    const ssize_t to_size = move.cast.to.size, from_size = move.cast.from.size;
    if (!axes.count || move.cast.pairs) return false;
    Axis last = axes.axis[axes.count - 1];
    if (last.to != to_size || last.from != from_size || last.extent < lanes) return false;
    rest = last.extent % lanes;
    if (rest && axes.count > 1) return false;
    last = {last.extent / lanes, last.to * lanes, last.from * lanes};
    Axes vectors = axes;
    vectors.axis[axes.count - 1] = last;
    if (!is_multiple(to_size * lanes, address_bits(move.to, vectors, &Axis::to)) ||
        !is_multiple(from_size * lanes, address_bits(move.from, vectors, &Axis::from)))
        return false;
    axes = vectors;
    return true;
}

} // namespace

bool plan_cast(Move &move, char *to, const char *from, Axes axes, const Cast &cast) {
    move.kind = Move::Kind::cast;
    move.cast = cast;
    move.word = static_cast<unsigned>(cast.from.kind) << 24 | static_cast<unsigned>(cast.from.size) << 16 |
                static_cast<unsigned>(cast.to.kind) << 8 | cast.to.size;
    move.to = to;
    move.from = from;
    // A kernel that reads or writes an element across its alignment would end the context.
    constexpr ssize_t most = 8;
    if (!is_multiple(std::min<ssize_t>(cast.to.size, most), address_bits(to, axes, &Axis::to)) ||
        !is_multiple(std::min<ssize_t>(cast.from.size, most), address_bits(from, axes, &Axis::from)))
        return false;
    const ssize_t most_lanes = cast_vector / std::max(cast.from.size, cast.to.size);
    ssize_t rest = 0;
    const bool vectors = take_vectors(move, axes, most_lanes, rest);
    const ssize_t count = axes.size();
    if (count > Move::most_words || !set_axes(move.axes, axes)) return false;
    const auto blocks_of = [](ssize_t items) {
        return static_cast<std::uint32_t>((items + cast_threads * cast_steps - 1) /
                                          (cast_threads * cast_steps));
    };
    move.lanes = {vectors ? static_cast<std::uint32_t>(count) : 0, vectors ? blocks_of(count) : 0,
                  static_cast<std::uint32_t>(vectors ? rest : count), cast.pairs};
    move.blocks = move.lanes.blocks + blocks_of(move.lanes.elements);
    move.threads = cast_threads;
    return true;
}

} // namespace pygpu::arrays
