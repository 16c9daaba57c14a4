// The functions of complex numbers; pygpu/complex.hpp includes it.
#pragma once
#include <pygpu/complex.hpp>

extern "C++" {
namespace pygpu {
namespace detail {

// What differs between the formats. `exponent`: e to its power is neither infinite nor subnormal.
// `hyperbolic`: beyond it sinh and cosh are half of an exponential.
template <class T> struct format;
template <> struct format<float> {
    static constexpr float exponent = 80, hyperbolic = 10, tiniest_square = 1e-19f;
};
template <> struct format<double> {
    static constexpr double exponent = 700, hyperbolic = 20, tiniest_square = 1e-154;
};

__device__ inline void sine_and_cosine(float x, float &sine, float &cosine) { ::sincosf(x, &sine, &cosine); }
__device__ inline void sine_and_cosine(double x, double &sine, double &cosine) {
    ::sincos(x, &sine, &cosine);
}

template <class T> __device__ T not_a_number() { return T(NAN); }
template <class T> __device__ T with_sign(T value, T sign) { return ::copysign(value, sign); }
template <class T> __device__ complex<T> swapped(const complex<T> &z) { return complex<T>(z._M_im, z._M_re); }

// e^x * scale * factor, where e^x alone may be out of range. `scale` is a power of two.
template <class T> __device__ T exponential(T x, T factor, T scale = 1) {
    if (::fabs(x) <= format<T>::exponent) return ::exp(x) * scale * factor;
    const T root = ::exp(x / 2);
    return root * scale * factor * root;
}

// The logarithm of |z|, also next to 1, where it is nearly 0.
template <class T> __device__ T log_of_abs(const complex<T> &z) {
    if (isnan(z)) return ::hypot(z._M_re, z._M_im);
    const T x = ::fmax(::fabs(z._M_re), ::fabs(z._M_im)), y = ::fmin(::fabs(z._M_re), ::fabs(z._M_im));
    if (x >= range<T>::largest)
        return ::log(::hypot(x * range<T>::down, y * range<T>::down)) - ::log(range<T>::down);
    if (x <= range<T>::smallest)
        return ::log(::hypot(x * range<T>::up, y * range<T>::up)) - ::log(range<T>::up);
    const T magnitude = ::hypot(z._M_re, z._M_im);
    if (!(magnitude > T(0.75) && magnitude < T(1.5))) return ::log(magnitude);
    const T xx = product(x, x), yy = product(y, y);
    const T rest = ::fma(x, x, -xx) + ::fma(y, y, -yy);
    return ::log1p(((xx - 1) + yy) + rest) / 2;
}

template <class T> __device__ T log_of_twice(const complex<T> &z) { return log_of_abs(z) + T(M_LN2); }
template <class T> __device__ bool is_large(const complex<T> &z) {
    return ::fabs(z._M_re) >= range<T>::largest || ::fabs(z._M_im) >= range<T>::largest;
}

} // namespace detail

template <class T> __device__ complex<T> polar(const T &rho, const T &theta = T(0)) {
    T sine, cosine;
    detail::sine_and_cosine(theta, sine, cosine);
    return complex<T>(rho * cosine, rho * sine);
}

template <class T> __device__ complex<T> sqrt(const complex<T> &z) {
    T x = z._M_re, y = z._M_im, scale = 1;
    if (::isinf(y)) return complex<T>(T(INFINITY), y);
    if (::isinf(x)) {
        const T other = ::isnan(y) ? y : T(0);
        return x > 0 ? complex<T>(x, detail::with_sign(other, y))
                     : complex<T>(other, detail::with_sign(-x, y));
    }
    if (x == 0 && y == 0) return complex<T>(0, y);
    if (isnan(z)) return complex<T>(x + y, x + y);
    const T size = ::fmax(::fabs(x), ::fabs(y));
    if (size >= detail::range<T>::largest) {
        x /= 16, y /= 16, scale = 4;
    } else if (size <= detail::range<T>::smallest) {
        const T up = detail::range<T>::up * 2; // an even power of two
        x *= up, y *= up, scale = 1 / ::sqrt(up);
    }
    const T root = ::sqrt((::fabs(x) + ::hypot(x, y)) / 2);
    if (x >= 0) return complex<T>(root * scale, y / (2 * root) * scale);
    return complex<T>(::fabs(y) / (2 * root) * scale, detail::with_sign(root * scale, y));
}

template <class T> __device__ complex<T> exp(const complex<T> &z) {
    const T x = z._M_re, y = z._M_im;
    if (y == 0) return complex<T>(::exp(x), y);
    if (!::isfinite(y)) {
        if (::isinf(x))
            return x < 0 ? complex<T>(0, detail::with_sign(T(0), y))
                         : complex<T>(x, detail::not_a_number<T>());
        return complex<T>(detail::not_a_number<T>(), detail::not_a_number<T>());
    }
    T sine, cosine;
    detail::sine_and_cosine(y, sine, cosine);
    return complex<T>(detail::exponential(x, cosine), detail::exponential(x, sine));
}

template <class T> __device__ complex<T> log(const complex<T> &z) {
    return complex<T>(detail::log_of_abs(z), arg(z));
}
template <class T> __device__ complex<T> log10(const complex<T> &z) { return log(z) * T(M_LOG10E); }
template <class T> __device__ complex<T> log2(const complex<T> &z) { return log(z) * T(M_LOG2E); }
template <class T> __device__ complex<T> exp2(const complex<T> &z) { return exp(z * T(M_LN2)); }

// e^z - 1 and log(1 + z), also where z is nearly 0.
template <class T> __device__ complex<T> expm1(const complex<T> &z) {
    const T x = z._M_re, half = ::sin(z._M_im / 2);
    if (!(::fabs(x) < 1 && ::fabs(z._M_im) < 1)) return exp(z) - 1;
    T sine, cosine;
    detail::sine_and_cosine(z._M_im, sine, cosine);
    return complex<T>(::expm1(x) * cosine - 2 * half * half, ::exp(x) * sine);
}
template <class T> __device__ complex<T> log1p(const complex<T> &z) {
    const T x = z._M_re, y = z._M_im;
    if (!(::fabs(x) < T(0.5) && ::fabs(y) < T(0.5))) return log(complex<T>(x + 1, y));
    return complex<T>(::log1p(x * (x + 2) + y * y) / 2, ::atan2(y, x + 1));
}
template <class T> __device__ complex<T> rint(const complex<T> &z) {
    return complex<T>(::rint(z._M_re), ::rint(z._M_im));
}

template <class T> __device__ complex<T> sinh(const complex<T> &z) {
    const T x = z._M_re, y = z._M_im;
    if (y == 0) return complex<T>(::sinh(x), y);
    if (!::isfinite(y)) {
        const T real = x == 0 ? x : ::isinf(x) ? ::fabs(x) : detail::not_a_number<T>();
        return complex<T>(real, detail::not_a_number<T>());
    }
    T sine, cosine;
    detail::sine_and_cosine(y, sine, cosine);
    if (!(::fabs(x) > detail::format<T>::hyperbolic)) return complex<T>(::sinh(x) * cosine, ::cosh(x) * sine);
    const T real = detail::exponential(::fabs(x), cosine, T(0.5));
    return complex<T>(x < 0 ? -real : real, detail::exponential(::fabs(x), sine, T(0.5)));
}

template <class T> __device__ complex<T> cosh(const complex<T> &z) {
    const T x = z._M_re, y = z._M_im;
    if (y == 0)
        return complex<T>(::cosh(x), ::isnan(x) ? y : detail::with_sign(y, x) * detail::with_sign(T(1), y));
    if (!::isfinite(y)) {
        const T imag = x == 0 ? T(0) : detail::not_a_number<T>();
        return complex<T>(::isinf(x) ? ::fabs(x) : detail::not_a_number<T>(), imag);
    }
    T sine, cosine;
    detail::sine_and_cosine(y, sine, cosine);
    if (!(::fabs(x) > detail::format<T>::hyperbolic)) return complex<T>(::cosh(x) * cosine, ::sinh(x) * sine);
    const T imag = detail::exponential(::fabs(x), sine, T(0.5));
    return complex<T>(detail::exponential(::fabs(x), cosine, T(0.5)), x < 0 ? -imag : imag);
}

// By Kahan, "Branch cuts for complex elementary functions"; so are the inverse functions.
template <class T> __device__ complex<T> tanh(const complex<T> &z) {
    const T x = z._M_re, y = z._M_im;
    if (::isnan(x)) return complex<T>(x, y == 0 ? y : x);
    if (!::isfinite(y) && !::isinf(x)) return complex<T>(x == 0 ? x : y - y, y - y);
    if (::fabs(x) > 2 * detail::format<T>::hyperbolic) {
        if (!::isfinite(y)) return complex<T>(detail::with_sign(T(1), x), detail::with_sign(T(0), y));
        T sine, cosine;
        detail::sine_and_cosine(y, sine, cosine);
        const T shrunk = ::exp(-::fabs(x));
        return complex<T>(detail::with_sign(T(1), x), 4 * sine * cosine * shrunk * shrunk);
    }
    const T t = ::tan(y), s = ::sinh(x), beta = 1 + t * t, rho = ::sqrt(1 + s * s);
    if (::isinf(t)) return complex<T>(rho / s, 1 / t);
    const T below = 1 + beta * s * s;
    return complex<T>(beta * rho * s / below, t / below);
}

template <class T> __device__ complex<T> sin(const complex<T> &z) {
    return detail::swapped(sinh(detail::swapped(z)));
}
template <class T> __device__ complex<T> cos(const complex<T> &z) {
    return cosh(complex<T>(-z._M_im, z._M_re));
}
template <class T> __device__ complex<T> tan(const complex<T> &z) {
    return detail::swapped(tanh(detail::swapped(z)));
}

template <class T> __device__ complex<T> asinh(const complex<T> &z) {
    const T x = z._M_re, y = z._M_im;
    if (isnan(z)) {
        if (::isinf(x)) return z;
        if (::isinf(y)) return complex<T>(::fabs(y), x);
        return y == 0 ? z : complex<T>(x + y, x + y);
    }
    if (detail::is_large(z)) {
        return complex<T>(detail::with_sign(detail::log_of_twice(z), x), ::atan2(y, ::fabs(x)));
    }
    const complex<T> one = sqrt(complex<T>(1 + y, -x)), two = sqrt(complex<T>(1 - y, x));
    return complex<T>(::asinh(one._M_re * two._M_im - two._M_re * one._M_im),
                      ::atan2(y, one._M_re * two._M_re - one._M_im * two._M_im));
}

template <class T> __device__ complex<T> acos(const complex<T> &z) {
    const T x = z._M_re, y = z._M_im;
    if (isnan(z)) {
        if (::isinf(x)) return complex<T>(y, -::fabs(x));
        if (::isinf(y)) return complex<T>(x, -y);
        return complex<T>(x == 0 ? T(M_PI_2) : x + y, x + y);
    }
    if (detail::is_large(z)) {
        return complex<T>(::atan2(::fabs(y), x), detail::with_sign(detail::log_of_twice(z), -y));
    }
    const complex<T> one = sqrt(complex<T>(1 - x, -y)), two = sqrt(complex<T>(1 + x, y));
    return complex<T>(2 * ::atan2(one._M_re, two._M_re),
                      ::asinh(two._M_re * one._M_im - two._M_im * one._M_re));
}

template <class T> __device__ complex<T> atanh(const complex<T> &z) {
    const T x = ::fabs(z._M_re), y = ::fabs(z._M_im);
    T real, imag;
    if (isnan(z)) {
        real = ::isinf(x) || ::isinf(y) ? T(0) : x == 0 ? x : x + y;
        imag = ::isinf(y) ? T(M_PI_2) : x + y;
    } else if (isinf(z)) {
        real = 0, imag = T(M_PI_2);
    } else if (x > 1 / detail::format<T>::tiniest_square || y > 1 / detail::format<T>::tiniest_square) {
        const T half = ::hypot(x / 2, y / 2);
        real = x / 4 / half / half, imag = T(M_PI_2);
    } else if (x == 1 && y < detail::format<T>::tiniest_square) {
        real = y == 0 ? T(INFINITY) : -::log(::sqrt(y) / ::sqrt(T(2)));
        imag = y == 0 ? T(0) : ::atan2(T(2), -y) / 2;
    } else {
        real = ::log1p(4 * x / ((1 - x) * (1 - x) + y * y)) / 4;
        imag = ::atan2(2 * y, (1 - x) * (1 + x) - y * y) / 2;
    }
    return complex<T>(detail::with_sign(real, z._M_re), detail::with_sign(imag, z._M_im));
}

template <class T> __device__ complex<T> asin(const complex<T> &z) {
    return detail::swapped(asinh(detail::swapped(z)));
}
template <class T> __device__ complex<T> atan(const complex<T> &z) {
    return detail::swapped(atanh(detail::swapped(z)));
}
template <class T> __device__ complex<T> acosh(const complex<T> &z) {
    const complex<T> angle = acos(z);
    return complex<T>(::fabs(angle._M_im), detail::with_sign(angle._M_re, z._M_im));
}

// A small whole power is a chain of products, as numpy's.
template <class T> __device__ complex<T> pow(const complex<T> &z, const complex<T> &power) {
    if (power == T(0)) return complex<T>(1);
    if (z == T(0)) {
        return power._M_re > 0 ? complex<T>(0)
                               : complex<T>(detail::not_a_number<T>(), detail::not_a_number<T>());
    }
    if (power._M_im != 0 || !(::fabs(power._M_re) < 100) || power._M_re != ::trunc(power._M_re)) {
        return exp(power * log(z));
    }
    unsigned left = static_cast<unsigned>(::fabs(power._M_re));
    if (power._M_re > 0 && left < 4) return left == 1 ? z : left == 2 ? z * z : z * (z * z);
    complex<T> result(1), square = z;
    for (;; square = square * square) {
        if (left & 1) result = result * square;
        if ((left >>= 1) == 0) break;
    }
    return power._M_re < 0 ? T(1) / result : result;
}
template <class A, class B, class T = detail::common<A, B>>
__device__ complex<T> pow(const complex<A> &z, const B &power) {
    return pow(complex<T>(z), complex<T>(static_cast<T>(power)));
}
template <class A, class B, class T = detail::common<A, B>>
__device__ complex<T> pow(const A &base, const complex<B> &power) {
    return pow(complex<T>(static_cast<T>(base)), complex<T>(power));
}

} // namespace pygpu
}
