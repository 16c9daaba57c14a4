// Kernels that convert elements to another type.
//
// One compilation gives one kernel. Macros choose it:
//   NAME              of the kernel
//   FROM, TO          what elements are: integer, real, brain (bfloat16) or boolean
//   FROM_BYTES        their sizes: 1, 2, 4, 8, or 16 for two words of 8, of which TO takes either, and FROM
//   TO_BYTES          leaves the second one 0
// words.cuh comes before this file. CastRule says what else differs from cast to cast, such as the sign of integers;
// src/handwritten/arrays/transfer/cast.hpp makes it. The other structs, and the sizes of blocks, are those of
// src/handwritten/arrays/transfer/cast_plan.cpp.

enum Kind { integer, real, brain, boolean };

struct CastRule {
    u64 low;  // FROM integer: the bit of the sign, 0 if there is none. TO boolean: the bits that count. TO integer: the
              // least value, below 0 if there is a sign
    u64 high; // TO integer: the greatest value
};

// Vectors of elements, and single elements after them.
struct CastParts {
    u32 vectors, blocks; // of vectors
    u32 elements;
    u32 pairs; // whether a zero is written behind each element, as an imaginary part
};

struct alignas(8) TwoWords {
    u64 first, second;
};
template <int bytes> struct ItemOf {
    using Type = typename WordOf<bytes>::Type;
};
template <> struct ItemOf<16> {
    using Type = TwoWords;
};

// What an element is converted in: floats narrower than 8 bytes as float.
template <bool wide> struct RealOf {
    using Type = float;
};
template <> struct RealOf<true> {
    using Type = double;
};
using Real = RealOf<FROM == real ? FROM_BYTES == 8 : TO == real && TO_BYTES == 8>::Type;

// Integers that have all values of `bytes`, with a sign or without.
template <int bytes> struct WiderOf {
    using Type = int;
};
template <> struct WiderOf<4> {
    using Type = i64;
};

#ifdef __CUDACC__
__device__ inline float of_half(u16 half) {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half));
    return value;
}
__device__ inline u16 to_half(float value) {
    u16 half;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(value));
    return half;
}
__device__ inline u16 to_half(double value) {
    u16 half;
    asm("cvt.rn.f16.f64 %0, %1;" : "=h"(half) : "d"(value));
    return half;
}
// The nearest integer of the type towards 0: PTX's cvt does that for values out of range, too. Not for NaN.
template <class Integer> __device__ inline Integer truncated(Real value) { return static_cast<Integer>(value); }
#else
__device__ inline float of_half(u16 half) { return static_cast<float>(__builtin_bit_cast(_Float16, half)); }
template <class Any> __device__ inline u16 to_half(Any value) {
    return __builtin_bit_cast(u16, static_cast<_Float16>(value));
}
template <class Integer> __device__ inline Integer truncated(Real value) {
    constexpr bool with_sign = static_cast<Integer>(-1) < 0;
    constexpr Integer least = with_sign ? static_cast<Integer>(1ull << (sizeof(Integer) * 8 - 1)) : 0;
    constexpr Integer greatest = ~least;
    const Real end = static_cast<Real>(1ull << (sizeof(Integer) * 8 - 1)) * (with_sign ? 1 : 2);
    return value >= end ? greatest : value > static_cast<Real>(least) ? static_cast<Integer>(value) : least;
}
#endif

// To the nearest one, ties to even.
__device__ inline u16 to_brain(float value) {
    const u32 bits = __float_as_uint(value), rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return static_cast<u16>(value == value ? rounded : (bits >> 16 & 0x8000) | 0x7fc0);
}

template <class Source> __device__ inline Real real_of(Source item, const CastRule &rule) {
    if constexpr (FROM == brain)
        return __uint_as_float(static_cast<u32>(item) << 16);
    else if constexpr (FROM == real && FROM_BYTES == 2)
        return of_half(item);
    else if constexpr (FROM == real && FROM_BYTES == 4)
        return __uint_as_float(item);
    else if constexpr (FROM == real)
        return __longlong_as_double(item);
    else if constexpr (FROM_BYTES == 8) {
        const Real with_sign = static_cast<Real>(static_cast<i64>(item)), without = static_cast<Real>(item);
        return rule.low ? with_sign : without;
    } else {
        using Wider = WiderOf<FROM_BYTES>::Type;
        const auto sign = static_cast<Wider>(rule.low);
        return static_cast<Real>((static_cast<Wider>(item) ^ sign) - sign);
    }
}

template <class Source, class Target> __device__ inline Target converted(Source item, const CastRule &rule) {
    if constexpr (TO == boolean && FROM_BYTES == 16)
        return ((item.first | item.second) & rule.low) != 0;
    else if constexpr (TO == boolean)
        return (item & static_cast<Source>(rule.low)) != 0;
    else if constexpr (TO_BYTES == 16)
        return {item, 0};
    else if constexpr (FROM == integer && TO == integer) {
        if constexpr (TO_BYTES < FROM_BYTES) return static_cast<Target>(item);
        const auto sign = static_cast<Target>(rule.low);
        return (static_cast<Target>(item) ^ sign) - sign;
    } else if constexpr (TO == integer && TO_BYTES == 8) {
        const Real value = real_of(item, rule);
        const u64 with_sign = truncated<i64>(value), without = truncated<u64>(value);
        const u64 whole = rule.low ? with_sign : without;
        return value == value ? whole : 0;
    } else if constexpr (TO == integer) {
        using Wider = WiderOf<TO_BYTES>::Type;
        const auto low = static_cast<Wider>(rule.low), high = static_cast<Wider>(rule.high);
        const Real value = real_of(item, rule);
        const Wider whole = truncated<Wider>(value), number = value == value ? whole : 0;
        return static_cast<Target>(number < low ? low : number > high ? high : number);
    } else if constexpr (TO == brain)
        return to_brain(real_of(item, rule));
    else if constexpr (TO_BYTES == 2)
        return to_half(real_of(item, rule));
    else if constexpr (TO_BYTES == 4)
        return __float_as_uint(static_cast<float>(real_of(item, rule)));
    else
        return __double_as_longlong(static_cast<double>(real_of(item, rule)));
}

// On one H200, two vectors of 16 bytes a thread ran at 96 to 105 % of the speed of cudaMemcpy, of whichever types. One
// was up to a tenth slower from 8 bytes to fewer; four, and eight, were no faster, and are more code.
enum : u32 {
    threads = 256, // of a block
    steps = 2,     // vectors or elements that a thread converts
    lanes = 16 / (FROM_BYTES > TO_BYTES ? FROM_BYTES : TO_BYTES), // elements of a vector
};

template <class Item> union VectorOf {
    typename WordOf<sizeof(Item) * lanes>::Type word;
    Item lane[lanes];
};

template <class Source, class Target>
__device__ inline void cast(char *to, const char *from, const CastParts &parts, const CastRule &rule,
                            const Axes &axes) {
    const bool by_vectors = blockIdx.x < parts.blocks;
    const u32 block = by_vectors ? blockIdx.x : blockIdx.x - parts.blocks;
    const u32 count = by_vectors ? parts.vectors : parts.elements;
    const u32 first = block * (threads * steps) + threadIdx.x;

    // Both steps go through the axes together.
    u32 number[steps];
    i64 there[steps] = {}, here[steps] = {};
#pragma unroll
    for (u32 step = 0; step < steps; ++step) number[step] = first + step * threads;
#pragma unroll 1
    for (u32 at = axes.count; at-- > 1;) {
        const Axis axis = axes.axis[at];
#pragma unroll
        for (u32 step = 0; step < steps; ++step) {
            const u32 outer = divided(number[step], axis), along = number[step] - outer * axis.extent;
            there[step] += along * axis.to;
            here[step] += along * axis.from;
            number[step] = outer;
        }
    }
    i64 to_stride = axes.axis[0].to, from_stride = axes.axis[0].from;
    if (parts.blocks && !by_vectors) { // the elements behind the last vector of the only axis
        to += parts.vectors * to_stride;
        from += parts.vectors * from_stride;
        to_stride = sizeof(Target);
        from_stride = sizeof(Source);
    }
    char *place[steps];
    const char *origin[steps];
#pragma unroll
    for (u32 step = 0; step < steps; ++step) {
        place[step] = to + there[step] + number[step] * to_stride;
        origin[step] = from + here[step] + number[step] * from_stride;
    }

    // All reads come before all writes, so that they are under way together.
    if (by_vectors) {
        VectorOf<Source> source[steps];
#pragma unroll
        for (u32 step = 0; step < steps; ++step)
            if (first + step * threads < count)
                source[step].word = *reinterpret_cast<const decltype(source[step].word) *>(origin[step]);
#pragma unroll
        for (u32 step = 0; step < steps; ++step) {
            if (first + step * threads >= count) continue;
            VectorOf<Target> target;
#pragma unroll
            for (u32 lane = 0; lane < lanes; ++lane)
                target.lane[lane] = converted<Source, Target>(source[step].lane[lane], rule);
            *reinterpret_cast<decltype(target.word) *>(place[step]) = target.word;
        }
        return;
    }
    Source source[steps];
#pragma unroll
    for (u32 step = 0; step < steps; ++step)
        if (first + step * threads < count) source[step] = *reinterpret_cast<const Source *>(origin[step]);
#pragma unroll
    for (u32 step = 0; step < steps; ++step) {
        if (first + step * threads >= count) continue;
        auto *const target = reinterpret_cast<Target *>(place[step]);
        *target = converted<Source, Target>(source[step], rule);
        if constexpr (TO == real && TO_BYTES >= 4)
            if (parts.pairs) target[1] = 0;
    }
}

extern "C" __global__ void __launch_bounds__(threads)
    NAME(char *to, const char *from, const CastParts parts, const CastRule rule, const Axes axes) {
    cast<ItemOf<FROM_BYTES>::Type, ItemOf<TO_BYTES>::Type>(to, from, parts, rule, axes);
}
