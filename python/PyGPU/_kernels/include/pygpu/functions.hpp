// Operations of numpy that C++ lacks, or that it does otherwise: whole quotients, powers, shifts, order.
#pragma once
#include <math.h>
#include <pygpu/math.hpp>

extern "C++" {
namespace pygpu {

// Whole numbers wrap around, also where C++ leaves it open.
template <class T> __device__ T add(T x, T y) { return T((unsigned long long)x + (unsigned long long)y); }
template <class T> __device__ T subtract(T x, T y) { return T((unsigned long long)x - (unsigned long long)y); }
template <class T> __device__ T multiply(T x, T y) { return T((unsigned long long)x * (unsigned long long)y); }
template <class T> __device__ T negative(T x) { return subtract(T(0), x); }

// As numpy: rounded down, 0 for a divisor of 0.
template <class T> __device__ T floor_divide(T x, T y) {
    if (y == 0) return 0;
    if (T(-1) < 0 && y == T(-1)) return negative(x); // the quotient of the least number doesn't exist
    const T quotient = x / y;
    return quotient - T((x < 0) != (y < 0) && quotient * y != x);
}
template <class T> __device__ T remainder(T x, T y) {
    if (y == 0 || (T(-1) < 0 && y == T(-1))) return 0;
    const T rest = x % y;
    return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}
template <class T> __device__ T fmod(T x, T y) { return y == 0 || (T(-1) < 0 && y == T(-1)) ? T(0) : T(x % y); }

// As numpy and Python: the remainder has the sign of the divisor, and the quotient fits to it.
template <class T> __device__ T remainder_of_reals(T x, T y) {
    T rest = ::fmod(x, y);
    if (y == 0) return rest; // NaN
    if (rest != 0) return (y < 0) != (rest < 0) ? rest + y : rest;
    return copysign(T(0), y);
}
template <class T> __device__ T floor_divide_reals(T x, T y) {
    const T rest = ::fmod(x, y);
    if (y == 0) return x / y;
    T quotient = (x - rest) / y;
    if (rest != 0 && (y < 0) != (rest < 0)) quotient -= 1;
    if (quotient == 0) return copysign(T(0), x / y);
    const T whole = ::floor(quotient);
    return quotient - whole > T(0.5) ? whole + 1 : whole;
}
template <> __device__ inline float remainder(float x, float y) { return remainder_of_reals(x, y); }
template <> __device__ inline double remainder(double x, double y) { return remainder_of_reals(x, y); }
template <> __device__ inline float floor_divide(float x, float y) { return floor_divide_reals(x, y); }
template <> __device__ inline double floor_divide(double x, double y) { return floor_divide_reals(x, y); }
template <> __device__ inline float fmod(float x, float y) { return ::fmod(x, y); }
template <> __device__ inline double fmod(double x, double y) { return ::fmod(x, y); }

// Whole numbers wrap around. A negative exponent gives 0, unless the base is 1 or -1.
template <class T> __device__ T power(T x, T y) {
    if (y < 0) return x == 1 ? T(1) : x == T(-1) ? (y % 2 ? T(-1) : T(1)) : T(0);
    T result = 1;
    for (; y; y >>= 1) {
        if (y & 1) result = multiply(result, x);
        x = multiply(x, x);
    }
    return result;
}
template <> __device__ inline float power(float x, float y) { return ::pow(x, y); }
template <> __device__ inline double power(double x, double y) { return ::pow(x, y); }

// All bits are shifted out where C++ says nothing.
template <class T> __device__ T left_shift(T x, T y) { return y >= 0 && y < T(8 * sizeof(T)) ? T(x << y) : T(0); }
template <class T> __device__ T right_shift(T x, T y) {
    return y >= 0 && y < T(8 * sizeof(T)) ? T(x >> y) : x < 0 ? T(-1) : T(0);
}

// Whole numbers of any two types, by their values.
template <class T> constexpr bool is_signed = T(-1) < T(0);
template <class A, class B> __device__ bool equal(A x, B y) {
    return x == A(y) && (is_signed<A> == is_signed<B> || (is_signed<A> ? x >= 0 : y >= 0)) && B(x) == y;
}
template <class A, class B> __device__ bool less(A x, B y) {
    if (is_signed<A> == is_signed<B>) return x < y;
    if (is_signed<A>) return x < 0 || (unsigned long)x < (unsigned long)y;
    return y >= 0 && (unsigned long)x < (unsigned long)y;
}

// NaN is the greatest and the least number.
template <class T> __device__ T maximum(T x, T y) { return x >= y || x != x ? x : y; }
template <class T> __device__ T minimum(T x, T y) { return x <= y || x != x ? x : y; }
// NaN is neither.
template <class T> __device__ T fmax(T x, T y) { return x >= y || y != y ? x : y; }
template <class T> __device__ T fmin(T x, T y) { return x <= y || y != y ? x : y; }

// Complex numbers are ordered by their real parts, then by their imaginary parts; NaN is in no order.
template <class T> struct complex;
template <class T> __device__ bool less(const complex<T> &x, const complex<T> &y) {
    return x.real() < y.real() ? x.imag() == x.imag() && y.imag() == y.imag()
                               : x.real() == y.real() && x.imag() < y.imag();
}
template <class T> __device__ bool less_equal(const complex<T> &x, const complex<T> &y) {
    return x.real() < y.real() ? x.imag() == x.imag() && y.imag() == y.imag()
                               : x.real() == y.real() && x.imag() <= y.imag();
}
template <class T> __device__ bool is_nan(const complex<T> &x) { return x.real() != x.real() || x.imag() != x.imag(); }
template <class T> __device__ complex<T> maximum(const complex<T> &x, const complex<T> &y) {
    return is_nan(x) || less_equal(y, x) ? x : y;
}
template <class T> __device__ complex<T> minimum(const complex<T> &x, const complex<T> &y) {
    return is_nan(x) || less_equal(x, y) ? x : y;
}

template <class T> __device__ complex<T> fmax(const complex<T> &x, const complex<T> &y) {
    return is_nan(y) || less_equal(y, x) ? x : y;
}
template <class T> __device__ complex<T> fmin(const complex<T> &x, const complex<T> &y) {
    return is_nan(y) || less_equal(x, y) ? x : y;
}

template <class T> __device__ T sign(T x) { return x > 0 ? T(1) : x < 0 ? T(-1) : x == 0 ? T(0) : x; }
template <class T> __device__ complex<T> sign(const complex<T> &x) { // of numpy 2
    if (x.real() == 0 && x.imag() == 0) return x;
    return x / hypot(x.real(), x.imag());
}

} // namespace pygpu
}
