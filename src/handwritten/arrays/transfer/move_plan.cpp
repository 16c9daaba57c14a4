// Choosing the kernel for a move.
#include "arrays/transfer/move_plan.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace pygpu::arrays {
namespace {

constexpr unsigned block_threads = 256, block_words = 1024; // of copies and fills
constexpr unsigned lines = 8;                               // of a tile that its threads cover at a time
constexpr ssize_t least_side = 16;                          // a smaller side leaves most of a tile empty
constexpr ssize_t sector = 32;                              // bytes that the memory reads at once

// So that the quotient of a number below 2**31 is (high(number * factor) + number) >> shift, with the high 32
// bits of the product (Granlund and Montgomery, Division by Invariant Integers using Multiplication, 1994).
MoveAxis divisible(ssize_t extent, ssize_t to = 0, ssize_t from = 0) {
    const auto divisor = static_cast<std::uint64_t>(extent);
    unsigned shift = 0;
    while (std::uint64_t{1} << shift < divisor) ++shift;
    const std::uint64_t factor = (((std::uint64_t{1} << shift) - divisor) << 32) / divisor + 1;
    return {static_cast<std::uint32_t>(extent), static_cast<std::uint32_t>(factor), shift, 0, to, from};
}

// The greatest word that divides all of these. `from` may be null.
class Alignment {
public:
    Alignment(const char *to, const char *from)
        : bits_(16 | reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from)) {}
    void add(ssize_t stride) { bits_ |= static_cast<std::uintptr_t>(stride); }
    ssize_t word() const { return static_cast<ssize_t>(bits_ & (~bits_ + 1)); }

private:
    std::uintptr_t bits_;
};

void add_strides(Alignment &alignment, const Axes &axes) {
    for (int at = 0; at < axes.count; ++at) {
        alignment.add(axes.axis[at].to);
        alignment.add(axes.axis[at].from);
    }
}

// Replaces a run of bytes on both sides, which is the last axis, by words of at most `most` bytes. Returns
// the size of a word.
ssize_t take_words(const char *to, const char *from, Axes &axes, ssize_t most = 16) {
    if (!axes.count) return 1;
    const Axis last = axes.axis[axes.count - 1];
    if (last.to != 1 || last.from != 1) return 1;
    --axes.count;
    Alignment alignment(to, from);
    add_strides(alignment, axes);
    alignment.add(last.extent);
    alignment.add(most);
    const ssize_t word = alignment.word();
    if (last.extent > word) axes.add({last.extent / word, word, word});
    return word;
}

// Replaces the last axis by words whose bytes are reversed, if its bytes are: those of an element in the
// other byte order, or a row of bytes. Returns the size of a word, or 0.
ssize_t take_reversed(const char *to, const char *&from, Axes &axes) {
    if (!axes.count) return 0;
    const Axis last = axes.axis[axes.count - 1];
    if (last.to != 1 || last.from != -1) return 0;
    Axes others = axes;
    --others.count;
    Alignment alignment(to, from + 1);
    add_strides(alignment, others);
    alignment.add(last.extent);
    alignment.add(8);
    const ssize_t word = alignment.word();
    if (word == 1) return 0;
    axes = others;
    if (last.extent > word) axes.add({last.extent / word, word, -word});
    from -= word - 1;
    return word;
}

bool set_words(Move &move, const Axes &axes) {
    const ssize_t words = axes.size();
    if (words > Move::most_words || !set_axes(move.axes, axes)) return false;
    move.words = static_cast<unsigned>(words);
    move.blocks = (move.words + block_words - 1) / block_words;
    move.threads = block_threads;
    return true;
}

// Plans a copy whose rows on one side run across those on the other side. False if there is none such.
bool plan_transpose(Move &move, Axes axes) {
    if (axes.count < 2) return false;
    const Axis row = axes.axis[axes.count - 1]; // written along
    int along = axes.count - 1;
    for (int at = along; at >= 0; --at)
        if (axes.axis[at].from && std::abs(axes.axis[at].from) < std::abs(axes.axis[along].from)) along = at;
    if (along == axes.count - 1) return false;
    Axis column = axes.axis[along]; // read along
    const char *from = move.from;
    char *to = move.to;
    if (column.from < 0) { // read forwards, write backwards
        from += (column.extent - 1) * column.from;
        to += (column.extent - 1) * column.to;
        column.from = -column.from;
        column.to = -column.to;
    }
    if (row.extent < least_side || column.extent < least_side || column.from >= sector) return false;
    axes.remove(axes.count - 1);
    axes.remove(along);
    MoveAxes outer;
    if (!set_axes(outer, axes)) return false;

    const ssize_t word = move.word, side = word < 4 ? 4 / word : 1;
    Alignment alignment(to, from);
    add_strides(alignment, axes);
    alignment.add(row.from);
    alignment.add(column.to);
    const bool squares = side > 1 && row.to == word && column.from == word && row.extent % side == 0 &&
                         column.extent % side == 0 && alignment.word() >= 4;
    const ssize_t tile = squares ? 32 * side : word > 4 ? 32 : 64;
    const ssize_t across = (column.extent + tile - 1) / tile, down = (row.extent + tile - 1) / tile;
    const ssize_t blocks = across * down * axes.size();
    if (blocks > INT32_MAX) return false;
    move.kind = squares ? Move::Kind::squares : Move::Kind::transpose;
    move.to = to;
    move.from = from;
    move.axes = outer;
    move.tiles = {static_cast<std::uint32_t>(row.extent),
                  static_cast<std::uint32_t>(column.extent),
                  divisible(across),
                  divisible(down),
                  row.from,
                  column.from,
                  row.to,
                  column.to};
    move.blocks = static_cast<unsigned>(blocks);
    move.threads = static_cast<unsigned>(squares ? 32 : tile) * lines;
    return true;
}

} // namespace

bool set_axes(MoveAxes &set, const Axes &axes) {
    if (axes.count > MoveAxes::most) return false;
    set = {};
    for (int at = 0; at < axes.count; ++at)
        set.axis[at] = divisible(axes.axis[at].extent, axes.axis[at].to, axes.axis[at].from);
    set.count = static_cast<std::uint32_t>(axes.count);
    if (!axes.count) { // one element
        set.axis[0] = divisible(1);
        set.count = 1;
    }
    return true;
}

std::string Move::name() const {
    static constexpr const char *kinds[] = {"copy", "swap", "join", "fill", "transpose", "squares", "cast"};
    static constexpr const char *types[] = {"_i", "_f", "_bf", "_b"};
    const std::string start = kinds[static_cast<int>(kind)];
    if (kind != Kind::cast) return start + "_" + std::to_string(word);
    const auto type = [](const Cast::Element &one) {
        return types[static_cast<int>(one.kind)] + std::to_string(one.size);
    };
    return start + type(cast.from) + type(cast.to);
}

bool plan_copy(Move &move, char *to, const char *from, Axes axes) {
    ssize_t word = take_reversed(to, from, axes);
    move.kind = word ? Move::Kind::swap : Move::Kind::copy;
    if (!word) word = take_words(to, from, axes);
    move.word = static_cast<unsigned>(word);
    move.to = to;
    move.from = from;
    if (axes.size() > Move::most_words) return false;
    if (move.kind == Move::Kind::copy && plan_transpose(move, axes)) return true;
    return set_words(move, axes);
}

bool plan_join(Move &move, std::span<const Part> parts) {
    // All parts are moved by the same words.
    ssize_t word = 16;
    for (const Part &part : parts) {
        Axes axes = part.axes;
        word = take_words(part.to, part.from, axes, word);
    }
    move.kind = Move::Kind::join;
    move.word = static_cast<unsigned>(word);
    move.parts.count = static_cast<std::uint32_t>(parts.size());
    move.threads = block_threads;
    ssize_t blocks = 0;
    for (std::size_t at = 0; at < parts.size(); ++at) {
        Axes axes = parts[at].axes;
        take_words(parts[at].to, parts[at].from, axes, word);
        const ssize_t words = axes.size();
        MoveAxes set;
        if (words > Move::most_words || axes.count > MovePart::most_axes || !set_axes(set, axes))
            return false;
        MovePart &part = move.parts.part[at];
        part = {parts[at].to,
                parts[at].from,
                static_cast<std::uint32_t>(words),
                static_cast<std::uint32_t>(blocks),
                set.count,
                0,
                {}};
        std::copy_n(set.axis, MovePart::most_axes, part.axis);
        blocks += (words + block_words - 1) / block_words;
        Move alone;
        alone.word = move.word;
        alone.to = part.to;
        alone.from = part.from;
        if (blocks > INT32_MAX || plan_transpose(alone, axes)) return false;
    }
    move.blocks = static_cast<unsigned>(blocks);
    return true;
}

bool plan_fill(Move &move, char *to, Axes axes, const char *pattern, ssize_t itemsize) {
    if (itemsize > static_cast<ssize_t>(sizeof move.pattern.bytes)) return false;
    for (int at = 0; at < axes.count; ++at) axes.axis[at].from = axes.axis[at].to;
    const ssize_t word = take_words(to, nullptr, axes);
    if (word % itemsize) return false;
    move.kind = Move::Kind::fill;
    move.word = static_cast<unsigned>(word);
    move.to = to;
    move.from = nullptr;
    for (ssize_t at = 0; at < word; at += itemsize)
        std::memcpy(move.pattern.bytes + at, pattern, static_cast<std::size_t>(itemsize));
    return set_words(move, axes);
}

} // namespace pygpu::arrays
