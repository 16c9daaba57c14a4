// Kernels that move elements on a device: strided copies, transposes, fills.
//
// One compilation gives one kernel. Macros choose it:
//   NAME                         of the kernel
//   COPY, SWAP, JOIN, FILL, TRANSPOSE
//                                the kind, as 1. SWAP copies, and reverses the bytes of each word. JOIN makes several
//                                copies.
//   WORD                         the bytes that are moved at a time: 1, 2, 4, 8 or 16
//   SIDE                         TRANSPOSE: words on a side of the square that a thread turns; 4 / WORD or 1
// words.cuh comes before this file. The structs, and the sizes of blocks, are those of
// src/handwritten/arrays/transfer/move_plan.hpp. The PTX of all kernels lies beside this file; tools/make_moves.py
// makes it.

// The bytes from the first element to the one with this number, on either side.
template <int most> __device__ inline void locate(u32 number, const AxesOf<most> &axes, i64 &to, i64 &from) {
    to = from = 0;
#pragma unroll 1
    for (u32 at = axes.count; at-- > 1;) {
        const u32 outer = divided(number, axes.axis[at]), step = number - outer * axes.axis[at].extent;
        to += step * axes.axis[at].to;
        from += step * axes.axis[at].from;
        number = outer;
    }
    to += number * axes.axis[0].to;
    from += number * axes.axis[0].from;
}

using Word = WordOf<WORD>::Type;

#if COPY || SWAP || JOIN || FILL
enum : u32 { threads = 256, words = 4 }; // of a block, and that a thread moves

#if SWAP
__device__ inline u32 turned(u32 word) { return __byte_perm(word, 0, 0x0123); }
__device__ inline u16 turned(u16 word) { return static_cast<u16>(word << 8 | word >> 8); }
__device__ inline u64 turned(u64 word) {
    return static_cast<u64>(turned(static_cast<u32>(word))) << 32 | turned(static_cast<u32>(word >> 32));
}
#else
template <class Any> __device__ inline Any turned(Any word) { return word; }
#endif
#endif

#if COPY || SWAP || JOIN
template <int most>
__device__ inline void copy(char *to, const char *from, u32 count, const AxesOf<most> &axes, u32 block) {
    const u32 first = block * (threads * words) + threadIdx.x;
    Word word[words];
    char *place[words];
    // All reads come before all writes, so that they are under way together.
#pragma unroll
    for (u32 at = 0; at < words; ++at) {
        const u32 number = first + at * threads;
        if (number >= count) continue;
        i64 there, here;
        locate(number, axes, there, here);
        place[at] = to + there;
        word[at] = *reinterpret_cast<const Word *>(from + here);
    }
#pragma unroll
    for (u32 at = 0; at < words; ++at)
        if (first + at * threads < count) *reinterpret_cast<Word *>(place[at]) = turned(word[at]);
}
#endif

#if COPY || SWAP
extern "C" __global__ void __launch_bounds__(256)
    NAME(char *to, const char *from, u32 count, const Axes axes) {
    copy(to, from, count, axes, blockIdx.x);
}
#endif

#if JOIN
struct Part {
    char *to;
    const char *from;
    u32 count, first_block;
    AxesOf<3> axes;
};

struct Parts {
    u32 count, unused;
    Part part[15];
};

extern "C" __global__ void __launch_bounds__(256) NAME(const Parts parts) {
    u32 at = 0;
    while (at + 1 < parts.count && blockIdx.x >= parts.part[at + 1].first_block) ++at;
    const Part &part = parts.part[at];
    copy(part.to, part.from, part.count, part.axes, blockIdx.x - part.first_block);
}
#endif

#if FILL
struct Pattern {
    u64 low, high;
};

extern "C" __global__ void __launch_bounds__(256)
    NAME(char *to, const Pattern pattern, u32 count, const Axes axes) {
    const u32 first = blockIdx.x * (threads * words) + threadIdx.x;
    const Word word = *reinterpret_cast<const Word *>(&pattern);
#pragma unroll
    for (u32 at = 0; at < words; ++at) {
        const u32 number = first + at * threads;
        if (number >= count) return;
        i64 there, unused;
        locate(number, axes, there, unused);
        *reinterpret_cast<Word *>(to + there) = word;
    }
}
#endif

#if TRANSPOSE
// A row is read along `from`, a column is written along `to`: element (row, column) lies at
// from + row * from_row + column * from_column, and at to + row * to_row + column * to_column.
struct Tiles {
    u32 rows, columns;
    Axis across; // extent: tiles beside each other in a row
    Axis down;   // extent: tiles below each other
    i64 from_row, from_column, to_row, to_column;
};

// Several narrow words are read and written as one. On one H200, 4,096 x 4,096 elements took: 4 bytes 36.9 us by
// tiles of 64, 37.8 to 50.9 by tiles of 32 (cudaMemcpy 34.7); 8 bytes 69.2 (66.7); 16 bytes 135.4 (128.6); single
// bytes 6.8 in squares of four (6.9), 23 alone.
enum : u32 {
    side = SIDE,
    unit = SIDE > 1 ? 4 : WORD,
    tile = SIDE > 1 || WORD > 4 ? 32 : 64, // units on a side of the tile of a block
    lines = 8,                             // of the tile that its threads cover at a time
    steps = tile / lines,
};
using Unit = WordOf<unit>::Type;

// Transposes a square of words: each unit is one of its rows.
__device__ inline void turn(Unit (&rows)[side]) {
#if SIDE == 2
    const u32 a = rows[0], b = rows[1];
    rows[0] = __byte_perm(a, b, 0x5410);
    rows[1] = __byte_perm(a, b, 0x7632);
#elif SIDE == 4
    const u32 a = __byte_perm(rows[0], rows[1], 0x5140), b = __byte_perm(rows[2], rows[3], 0x5140);
    const u32 c = __byte_perm(rows[0], rows[1], 0x7362), d = __byte_perm(rows[2], rows[3], 0x7362);
    rows[0] = __byte_perm(a, b, 0x5410);
    rows[1] = __byte_perm(a, b, 0x7632);
    rows[2] = __byte_perm(c, d, 0x5410);
    rows[3] = __byte_perm(c, d, 0x7632);
#endif
}

extern "C" __global__ void __launch_bounds__(tile * lines)
    NAME(char *to, const char *from, const Tiles tiles, const Axes outer) {
    __shared__ Unit shared[side * tile][tile + 1]; // one more, so that the lanes use different banks
    const u32 above = divided(blockIdx.x, tiles.across), block = divided(above, tiles.down);
    const u32 first_column = (blockIdx.x - above * tiles.across.extent) * tile;
    const u32 first_row = (above - block * tiles.down.extent) * tile;
    i64 there, here;
    locate(block, outer, there, here);
    to += there;
    from += here;

    const u32 lane = threadIdx.x % tile, line = threadIdx.x / tile;
    Unit units[steps][side];
    const u32 column = (first_column + lane) * side;
#pragma unroll
    for (u32 step = 0; step < steps; ++step) {
        const u32 row = (first_row + line + step * lines) * side;
        if (row >= tiles.rows || column >= tiles.columns) continue;
#pragma unroll
        for (u32 at = 0; at < side; ++at)
            units[step][at] = *reinterpret_cast<const Unit *>(
                from + static_cast<i64>(row + at) * tiles.from_row + column * tiles.from_column);
    }
#pragma unroll
    for (u32 step = 0; step < steps; ++step) {
        turn(units[step]);
#pragma unroll
        for (u32 at = 0; at < side; ++at) shared[at * tile + lane][line + step * lines] = units[step][at];
    }
    __syncthreads();
    const u32 row = (first_row + lane) * side;
#pragma unroll
    for (u32 step = 0; step < steps; ++step) {
        const u32 written = line + step * lines, column = (first_column + written) * side;
        if (row >= tiles.rows || column >= tiles.columns) continue;
#pragma unroll
        for (u32 at = 0; at < side; ++at)
            *reinterpret_cast<Unit *>(to + static_cast<i64>(column + at) * tiles.to_column +
                                      row * tiles.to_row) = shared[at * tile + written][lane];
    }
}
#endif
