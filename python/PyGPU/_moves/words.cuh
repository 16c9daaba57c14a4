// What the kernels of this folder share: words, and the axes of arrays. It stands before each of their sources.
// The structs are those of src/handwritten/arrays/transfer/move_plan.hpp.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

template <int bytes> struct WordOf;
template <> struct WordOf<1> { using Type = u8; };
template <> struct WordOf<2> { using Type = u16; };
template <> struct WordOf<4> { using Type = u32; };
template <> struct WordOf<8> { using Type = u64; };
template <> struct WordOf<16> { using Type = uint4; };

// The quotient of a number below 2**31 by `extent` is (high(number * factor) + number) >> shift.
struct Axis {
    u32 extent, factor, shift, unused;
    i64 to, from; // strides in bytes
};

// Outermost first.
template <int most> struct AxesOf {
    u32 count, unused;
    Axis axis[most];
};
using Axes = AxesOf<8>;

__device__ inline u32 divided(u32 number, const Axis &axis) {
    return (__umulhi(number, axis.factor) + number) >> axis.shift;
}
