// Functions of numpy that C's library lacks, or has with other parameters.
#pragma once
#include <math.h>

extern "C++" {
namespace pygpu {

// The parts of frexp: a number is fraction * 2^exponent. The exponent of infinities and NaN is 0.
template <class T> __device__ T fraction(T x) {
    int exponent;
    return ::frexp(x, &exponent);
}
template <class T> __device__ int exponent(T x) {
    int exponent = 0;
    ::frexp(x, &exponent);
    return ::isfinite(x) ? exponent : 0;
}

// x * 2^n for any type of n, whose fraction doesn't count.
template <class T, class N> __device__ T scaled(T x, N n) {
    const N limit = 100000, least = N(0) - limit;
    return ::ldexp(x, n > limit ? 100000 : least < limit && n < least ? -100000 : int(n));
}

// log(e^x + e^y) and log2(2^x + 2^y).
template <class T> __device__ T log_of_sum(T x, T y) {
    return x == y ? x + T(M_LN2) : ::fmax(x, y) + ::log1p(::exp(-::fabs(x - y)));
}
template <class T> __device__ T log2_of_sum(T x, T y) {
    return x == y ? x + 1 : ::fmax(x, y) + ::log1p(::exp2(-::fabs(x - y))) * T(M_LOG2E);
}

} // namespace pygpu
}
