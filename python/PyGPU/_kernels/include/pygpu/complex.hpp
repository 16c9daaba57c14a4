// Complex numbers for device code, in place of PyCUDA's: pygpu::complex<float> and pygpu::complex<double>.
//
// Products and quotients of infinities and NaNs, and whole powers, are numpy's; the other functions follow
// C99's annex G. No quotient and no function overflows or underflows on its way to a result that doesn't. A
// product is rounded before another one is added to it, so that the imaginary part of z * conj(z) is 0.
#pragma once
#include <math.h>

extern "C++" {
namespace pygpu {

struct half;
struct bfloat16;

namespace detail {

// The numbers that may stand beside complex ones. `wide`: the result is double.
template <class T> struct number;
// clang-format off
#define PYGPU_NUMBER(type, is_wide) template <> struct number<type> { static constexpr bool wide = is_wide; };
PYGPU_NUMBER(bool, false) PYGPU_NUMBER(char, false) PYGPU_NUMBER(signed char, false)
PYGPU_NUMBER(unsigned char, false) PYGPU_NUMBER(short, false) PYGPU_NUMBER(unsigned short, false)
PYGPU_NUMBER(int, false) PYGPU_NUMBER(unsigned, false) PYGPU_NUMBER(long, false)
PYGPU_NUMBER(unsigned long, false) PYGPU_NUMBER(long long, false) PYGPU_NUMBER(unsigned long long, false)
PYGPU_NUMBER(half, false) PYGPU_NUMBER(bfloat16, false) PYGPU_NUMBER(float, false) PYGPU_NUMBER(double, true)
#undef PYGPU_NUMBER
    // clang-format on

    template <bool wide>
    struct real_type {
    typedef float type;
};
template <> struct real_type<true> {
    typedef double type;
};
template <class A, class B> using common = typename real_type<number<A>::wide || number<B>::wide>::type;

template <bool condition> struct enable;
template <> struct enable<true> {
    typedef int type;
};

} // namespace detail

template <class T> struct alignas(2 * sizeof(T)) complex {
    typedef T value_type;

    T _M_re, _M_im; // PyCUDA's names

    __device__ constexpr complex(T real = 0, T imag = 0) : _M_re(real), _M_im(imag) {}
    template <class U, typename detail::enable<(sizeof(U) < sizeof(T))>::type = 0>
    __device__ constexpr complex(const complex<U> &z) : _M_re(z._M_re), _M_im(z._M_im) {}
    template <class U, typename detail::enable<(sizeof(U) > sizeof(T))>::type = 0>
    __device__ constexpr explicit complex(const complex<U> &z) : _M_re(T(z._M_re)), _M_im(T(z._M_im)) {}

    template <class U> __device__ complex &operator=(const complex<U> &z) { return *this = complex(z); }
    __device__ complex &operator=(T value) { return *this = complex(value); }
    template <class U> __device__ volatile complex &operator=(const complex<U> &z) volatile {
        _M_re = T(z._M_re);
        _M_im = T(z._M_im);
        return *this;
    }
    __device__ volatile complex &operator=(T value) volatile { return *this = complex(value); }

    __device__ constexpr T real() const { return _M_re; }
    __device__ constexpr T imag() const { return _M_im; }
    __device__ void real(T value) { _M_re = value; }
    __device__ void imag(T value) { _M_im = value; }

    // The right side is complex, or a number.
    template <class U> __device__ complex &operator+=(const U &other) { return *this = *this + other; }
    template <class U> __device__ complex &operator-=(const U &other) { return *this = *this - other; }
    template <class U> __device__ complex &operator*=(const U &other) { return *this = *this * other; }
    template <class U> __device__ complex &operator/=(const U &other) { return *this = *this / other; }
};

namespace detail {

__device__ inline float product(float a, float b) {
#ifndef __HIP__
    return __fmul_rn(a, b);
#else
#pragma clang fp contract(off)
    return a * b;
#endif
}
__device__ inline double product(double a, double b) {
#ifndef __HIP__
    return __dmul_rn(a, b);
#else
#pragma clang fp contract(off)
    return a * b;
#endif
}

// Bounds for a quotient: parts above `largest` and below `smallest` are scaled by powers of two.
template <class T> struct range;
template <> struct range<float> {
    static constexpr float largest = 2.1267648e37f, smallest = 1.9721523e-31f; // 2^124, 2^-102
    static constexpr float down = 0.00390625f, up = 140737488355328.f;         // 2^-8, 2^47
};
template <> struct range<double> {
    static constexpr double largest = 1.1235582092889474e307,
                            smallest = 2.0041683600089728e-292;            // 2^1020, 2^-969
    static constexpr double down = 0.00390625, up = 4.0564819207303340e31; // 2^-8, 2^105
};

// The real part of (a + ib) / (c + id) by Baudin and Smith, with r = d / c and t = 1 / (c + d * r).
template <class T> __device__ T quotient_part(T a, T b, T c, T d, T r, T t) {
    const T scaled = b * r;
    if (scaled != 0 || b == 0 || d == 0) return (a + scaled) * t;
    return r == 0 ? (a + d * (b / c)) * t : a * t + b * t * r;
}

template <class T> __device__ complex<T> quotient(T a, T b, T c, T d) {
    const T above = ::fmax(::fabs(a), ::fabs(b)), below = ::fmax(::fabs(c), ::fabs(d));
    if (c == 0 && d == 0) return complex<T>(a / ::fabs(c), b / ::fabs(c));
    T scale = 1;
    if (above >= range<T>::largest) {
        a *= range<T>::down, b *= range<T>::down, scale /= range<T>::down;
    } else if (above <= range<T>::smallest) {
        a *= range<T>::up, b *= range<T>::up, scale /= range<T>::up;
    }
    if (below >= range<T>::largest) {
        c *= range<T>::down, d *= range<T>::down, scale *= range<T>::down;
    } else if (below <= range<T>::smallest) {
        c *= range<T>::up, d *= range<T>::up, scale *= range<T>::up;
    }
    if (::fabs(c) >= ::fabs(d)) {
        const T r = d / c, t = 1 / (c + d * r);
        return complex<T>(quotient_part(a, b, c, d, r, t) * scale, quotient_part(b, -a, c, d, r, t) * scale);
    }
    const T r = c / d, t = 1 / (d + c * r);
    return complex<T>(quotient_part(b, a, d, c, r, t) * scale, -quotient_part(a, -b, d, c, r, t) * scale);
}

} // namespace detail

// Two complex numbers give a complex number of the wider type; so do a complex one and a real one.
#define PYGPU_OPERATOR(symbol, of_both, of_left, of_right)                                                   \
    template <class A, class B, class T = detail::common<A, B>>                                              \
    __device__ complex<T> operator symbol(const complex<A> &left, const complex<B> &right) {                 \
        const T a = left._M_re, b = left._M_im, c = right._M_re, d = right._M_im;                            \
        return of_both;                                                                                      \
    }                                                                                                        \
    template <class A, class B, class T = detail::common<A, B>>                                              \
    __device__ complex<T> operator symbol(const complex<A> &left, const B & right) {                         \
        const T a = left._M_re, b = left._M_im, c = static_cast<T>(right);                                   \
        return of_left;                                                                                      \
    }                                                                                                        \
    template <class A, class B, class T = detail::common<A, B>>                                              \
    __device__ complex<T> operator symbol(const A & left, const complex<B> &right) {                         \
        const T a = static_cast<T>(left), c = right._M_re, d = right._M_im;                                  \
        return of_right;                                                                                     \
    }
PYGPU_OPERATOR(+, complex<T>(a + c, b + d), complex<T>(a + c, b), complex<T>(a + c, d))
PYGPU_OPERATOR(-, complex<T>(a - c, b - d), complex<T>(a - c, b), complex<T>(a - c, -d))
PYGPU_OPERATOR(*,
               complex<T>(detail::product(a, c) - detail::product(b, d),
                          detail::product(a, d) + detail::product(b, c)),
               complex<T>(a *c, b *c), complex<T>(a *c, a *d))
PYGPU_OPERATOR(/, detail::quotient(a, b, c, d), complex<T>(a / c, b / c), detail::quotient(a, T(0), c, d))
#undef PYGPU_OPERATOR

#define PYGPU_COMPARISON(symbol, joint)                                                                      \
    template <class A, class B, class T = detail::common<A, B>>                                              \
    __device__ constexpr bool operator symbol(const complex<A> &left, const complex<B> &right) {             \
        return T(left._M_re) symbol T(right._M_re) joint T(left._M_im) symbol T(right._M_im);                \
    }                                                                                                        \
    template <class A, class B, class T = detail::common<A, B>>                                              \
    __device__ constexpr bool operator symbol(const complex<A> &left, const B &right) {                      \
        return T(left._M_re) symbol static_cast<T>(right) joint left._M_im symbol 0;                         \
    }                                                                                                        \
    template <class A, class B, class T = detail::common<A, B>>                                              \
    __device__ constexpr bool operator symbol(const A &left, const complex<B> &right) {                      \
        return static_cast<T>(left) symbol T(right._M_re) joint right._M_im symbol 0;                        \
    }
PYGPU_COMPARISON(==, &&)
PYGPU_COMPARISON(!=, ||)
#undef PYGPU_COMPARISON

template <class T> __device__ constexpr complex<T> operator+(const complex<T> &z) { return z; }
template <class T> __device__ constexpr complex<T> operator-(const complex<T> &z) {
    return complex<T>(-z._M_re, -z._M_im);
}
// PyCUDA adds and multiplies also what lies in volatile memory.
template <class T>
__device__ complex<T> operator+(const volatile complex<T> &left, const volatile complex<T> &right) {
    return complex<T>(left._M_re, left._M_im) + complex<T>(right._M_re, right._M_im);
}
template <class T>
__device__ complex<T> operator*(const volatile complex<T> &left, const volatile complex<T> &right) {
    return complex<T>(left._M_re, left._M_im) * complex<T>(right._M_re, right._M_im);
}

template <class T> __device__ constexpr T real(const complex<T> &z) { return z._M_re; }
template <class T> __device__ constexpr T imag(const complex<T> &z) { return z._M_im; }
template <class T> __device__ constexpr complex<T> conj(const complex<T> &z) {
    return complex<T>(z._M_re, -z._M_im);
}
template <class T> __device__ T abs(const complex<T> &z) { return ::hypot(z._M_re, z._M_im); }
template <class T> __device__ T arg(const complex<T> &z) { return ::atan2(z._M_im, z._M_re); }
template <class T> __device__ T norm(const complex<T> &z) { return z._M_re * z._M_re + z._M_im * z._M_im; }

template <class T> __device__ bool isnan(const complex<T> &z) { return ::isnan(z._M_re) || ::isnan(z._M_im); }
template <class T> __device__ bool isinf(const complex<T> &z) { return ::isinf(z._M_re) || ::isinf(z._M_im); }
template <class T> __device__ bool isfinite(const complex<T> &z) {
    return ::isfinite(z._M_re) && ::isfinite(z._M_im);
}

} // namespace pygpu

// PyCUDA's name for it, unless PyCUDA's own header came before; one that comes later is left out.
#ifndef PYCUDA_COMPLEX_HPP_SEEN
#define PYCUDA_COMPLEX_HPP_SEEN
namespace pycuda = pygpu;
#endif
}

#include <pygpu/complex_functions.hpp>
