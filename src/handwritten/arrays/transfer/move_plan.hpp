// The plan of a copy, fill or cast within one device's memory by a kernel: which kernel, its blocks and its
// arguments.
//
// Pure functions of the axes, so that tests can read the plan. moves.cpp launches it. The structs that
// kernels take, and the sizes of blocks, are those of PyGPU/_moves/*.cu.
#pragma once

#include "arrays/base/layout.hpp"
#include "arrays/transfer/cast.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace pygpu::arrays {

struct MoveAxis {
    std::uint32_t extent;
    std::uint32_t factor, shift; // of the division by the extent
    std::uint32_t unused;
    std::int64_t to, from; // strides in bytes
};

struct MoveAxes {
    static constexpr int most = 8;
    std::uint32_t count, unused;
    MoveAxis axis[most];
};

// One of several copies in one launch.
struct MovePart {
    static constexpr int most_axes = 3;
    char *to;
    const char *from;
    std::uint32_t words, first_block;
    std::uint32_t count, unused;
    MoveAxis axis[most_axes];
};

struct MoveParts {
    static constexpr int most = 15;
    std::uint32_t count, unused;
    MovePart part[most];
};

struct MoveTiles {
    std::uint32_t rows, columns;
    MoveAxis across, down;
    std::int64_t from_row, from_column, to_row, to_column;
};

struct alignas(8) MovePattern {
    char bytes[16];
};

// Vectors of elements, and single elements after them.
struct MoveLanes {
    std::uint32_t vectors, blocks; // of vectors
    std::uint32_t elements;
    std::uint32_t pairs;
};

// As the kernels read them.
static_assert(sizeof(MoveAxes) == 264 && sizeof(MoveParts) == 1928 && sizeof(MoveTiles) == 104 &&
              sizeof(Cast::Rule) == 16);

// A copy whose axes are normalised (rectangles.hpp).
struct Part {
    char *to;
    const char *from;
    Axes axes;
};

struct Move {
    enum class Kind : unsigned char { copy, swap, join, fill, transpose, squares, cast };
    static constexpr ssize_t most_words = INT32_MAX; // larger moves are divided

    Kind kind;
    unsigned word; // bytes; for a cast, both types
    char *to;
    const char *from;
    unsigned words, blocks, threads;
    MoveAxes axes;       // of a transpose, the axes around its two
    MoveTiles tiles;     // of a transpose
    MovePattern pattern; // of a fill
    MoveParts parts;     // of a join
    Cast cast;           // of a cast
    MoveLanes lanes;     // of a cast

    std::string name() const; // "copy_4", of the file in PyGPU/_moves
};

// Plans a move. The axes are normalised. False if they are too many for the
// kernels, or the words are.
bool plan_copy(Move &move, char *to, const char *from, Axes axes);
// Also false if no word has whole elements, as for those of 3 bytes.
bool plan_fill(Move &move, char *to, Axes axes, const char *pattern, ssize_t itemsize);

// At most MoveParts::most. Also false if one of the copies needs a kernel of another kind.
bool plan_join(Move &move, std::span<const Part> parts);

// The axes are those of the elements. Also false if an element is not aligned to its size.
bool plan_cast(Move &move, char *to, const char *from, Axes axes, const Cast &cast);

// The axes as kernels take them. False if they are too many.
bool set_axes(MoveAxes &set, const Axes &axes);

} // namespace pygpu::arrays
